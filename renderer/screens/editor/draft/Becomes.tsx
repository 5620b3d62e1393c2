import { classes } from '../../../components/classes.ts'
import { format, UNKNOWN } from '../../../theme/format.ts'
import styles from './impact.module.css'

type Shown = number | string | undefined

const textOf = (value: Shown): string => (typeof value === 'string' ? value : format.seats(value))

/** A value before and after; one value when it stays. */
export function Becomes({ before, after }: { readonly before: Shown; readonly after: Shown }) {
  if (before === after) return <span className={styles['same']}>{before === undefined ? UNKNOWN : textOf(before)}</span>
  if (before === undefined) return <b>{textOf(after)}</b>
  return (
    <>
      <span className={styles['before']}>{textOf(before)}</span>
      <span className={styles['arrow']} aria-label="becomes" role="img">
        {' → '}
      </span>
      <b>{after === undefined ? 'gone' : textOf(after)}</b>
    </>
  )
}

/** A change with its sign. */
export function Signed({ value, plain = false }: { readonly value: number; readonly plain?: boolean }) {
  const look = plain || value === 0 ? styles['same'] : value > 0 ? styles['gains'] : styles['loses']
  return <span className={classes(look)}>{format.change(value)}</span>
}
