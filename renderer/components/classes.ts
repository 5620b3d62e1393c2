import styles from './controls.module.css'

/** Joins the class names that apply. */
export const classes = (...names: (string | false | undefined)[]): string => names.filter(Boolean).join(' ')

/** An input in the header of a pane. Defined here because the first screen does not load the fields. */
export const paneInputClass = classes(styles['input'], styles['paneInput'])

/** Attributes of a scrollable region: content that is only visible by scrolling must be reachable by keyboard. */
export const scrollRegion = (label: string) => ({ role: 'region', 'aria-label': label, tabIndex: 0 }) as const
