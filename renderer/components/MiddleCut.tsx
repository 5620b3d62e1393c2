import styles from './MiddleCut.module.css'

/** Shorter texts are shown as they are. */
const LONGEST_WHOLE = 22
const END = 10

/** A name that, where it does not fit, loses its middle: names of one kind often differ at their end alone. */
export function MiddleCut({ text }: { readonly text: string }) {
  if (text.length <= LONGEST_WHOLE) return <>{text}</>
  return (
    <span className={styles['whole']} title={text}>
      <span className={styles['start']}>{text.slice(0, -END)}</span>
      <span className={styles['end']}>{text.slice(-END)}</span>
    </span>
  )
}
