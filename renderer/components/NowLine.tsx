import type { ReactNode, CSSProperties } from 'react'
import { NOTE_IDS, useShownNotes, type NoteId } from '../state/firstRun.ts'
import { UNKNOWN } from '../../core/text/format.ts'
import type { TermId } from '../../core/glossary/glossary.ts'
import { format } from '../theme/format.ts'
import { LevelChip } from './LevelChip.tsx'
import { Icon } from './Icon.tsx'
import styles from './NowLine.module.css'
import { classes } from './classes.ts'
import { Term } from './Term.tsx'

export interface NowLineProps {
  /** The one sentence that is true now. */
  readonly title: string
  readonly evidence?: ReactNode
  /** More evidence than there is room for, shown on hover. */
  readonly details?: string | undefined
  /** The level that the sentence is about. */
  readonly level?: string | undefined
  readonly stale?: boolean
  /** Keeps the place of what is below: the sentence changes its length while samples arrive. */
  readonly steady?: boolean
  /** At most three. */
  readonly actions?: ReactNode
}

/** Each screen opens with one plain sentence, followed by the evidence and the next action. */
export function NowLine({ title, evidence, details, level, stale = false, steady = false, actions }: NowLineProps) {
  return (
    <header className={classes(styles['line'], steady && styles['steady'])}>
      <div className="shrink-x">
        <h1 className={styles['title']}>
          {stale && (
            <span className="warn">
              <Icon name="warn" />
            </span>
          )}
          {level !== undefined && <LevelChip name={level} stale={stale} decorative />}
          {format.said(title)}
        </h1>
        {evidence !== undefined && (
          <p className={styles['evidence']} title={details ?? (typeof evidence === 'string' ? evidence : undefined)}>
            {typeof evidence === 'string' ? format.said(evidence) : evidence}
          </p>
        )}
      </div>
      {actions !== undefined && <div className="flex gap-8 rigid push">{actions}</div>}
    </header>
  )
}

/** The number of a first-run note, placed at what the note describes; nothing once the note is dismissed. */
export function NoteMark({ note, style }: { readonly note: NoteId; readonly style?: CSSProperties }) {
  return useShownNotes().includes(note) ? <NoteNumber note={note} style={style} /> : null
}

export const NoteNumber = ({ note, style }: { readonly note: NoteId; readonly style?: CSSProperties | undefined }) => (
  <span className={styles['number']} style={style} aria-hidden="true">
    {NOTE_IDS.indexOf(note) + 1}
  </span>
)

export interface KeyNumber {
  readonly label: string
  /** Formatted; "–" when unknown. */
  readonly value: string
  /** Unit or denominator, smaller: `/ 602 seats`. */
  readonly unit?: string | undefined
  /** Name of what has this value. */
  readonly whose?: string | undefined
  readonly tone?: 'queued' | 'rejected' | undefined
  /** The glossary's entry for the label. */
  readonly term?: TermId
}

/** What follows a value, smaller: its unit, and whose it is. */
function AfterValue({ unit, whose }: KeyNumber) {
  const text = [unit, whose].filter(Boolean).join(', ')
  return text === '' ? null : <small>{text}</small>
}

/** Four to seven facts in one line. */
export const KeyNumbers = ({ label, items }: { readonly label: string; readonly items: readonly KeyNumber[] }) => (
  <dl className="flex clip line-below" aria-label={label}>
    {items.map((item) => (
      <div key={item.label} className={styles['item']}>
        <dt className="nowrap tiny muted">
          {item.term === undefined ? item.label : <Term id={item.term}>{item.label}</Term>}
        </dt>
        <dd className={classes(styles['value'], item.value === UNKNOWN ? 'faint' : item.tone)} title={item.whose}>
          {item.value}
          <AfterValue {...item} />
        </dd>
      </div>
    ))}
  </dl>
)
