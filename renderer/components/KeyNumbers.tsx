import type { ReactNode } from 'react'
import { UNKNOWN } from '../theme/format.ts'
import type { TermId } from '../glossary/glossary.ts'
import { classes } from './classes.ts'
import styles from './KeyNumbers.module.css'
import { Term } from './Term.tsx'

export interface KeyNumber {
  readonly label: string
  /** Formatted; "–" when unknown. */
  readonly value: string
  /** Unit or denominator, smaller: `/ 602 seats`. */
  readonly unit?: ReactNode
  readonly tone?: 'queued' | 'rejected' | undefined
  /** The glossary's entry for the label. */
  readonly term?: TermId
}

/** Four to six facts in one line. */
export function KeyNumbers({ label, items }: { readonly label: string; readonly items: readonly KeyNumber[] }) {
  return (
    <dl className={styles['group']} aria-label={label}>
      {items.map(({ label: name, value, unit, tone, term }) => (
        <div key={name} className={styles['item']}>
          <dt className={styles['label']}>{term === undefined ? name : <Term id={term}>{name}</Term>}</dt>
          <dd
            className={classes(
              styles['value'],
              value === UNKNOWN ? styles['unknown'] : tone !== undefined && styles[tone],
            )}
          >
            {value}
            {unit !== undefined && <small>{unit}</small>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
