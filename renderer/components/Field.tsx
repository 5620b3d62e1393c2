import { useId, type ReactNode } from 'react'
import { classes } from './classes.ts'
import styles from './controls.module.css'

export const inputClass = styles['input'] ?? ''
export const monoInputClass = classes(styles['input'], 'mono')

/** A labelled control; `children` receives the attributes that tie label, hint and error to it. */
export function Field(props: {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly children: (attributes: {
    id: string
    'aria-describedby': string | undefined
    'aria-invalid': boolean | undefined
  }) => ReactNode
}) {
  const { label, hint, error, children } = props
  const id = useId()
  const about = `${id}-about`
  const described = hint !== undefined || error !== undefined
  return (
    <div className={styles['field']}>
      <label htmlFor={id} className={styles['label']}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': described ? about : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {described && (
        <span id={about} className={error === undefined ? styles['hint'] : styles['error']}>
          {error ?? hint}
        </span>
      )}
    </div>
  )
}
