import type { CSSProperties } from 'react'
import { levelCode, levelColor, levelLook } from '../state/levels.ts'
import { classes } from './classes.ts'
import styles from './LevelChip.module.css'
import { Icon, type IconName } from './Icon.tsx'

export interface LevelChipProps {
  readonly name: string
  /** Loses its hue: the value next to it is not current. */
  readonly stale?: boolean
  /** The name is next to it, so the chip itself is hidden from screen readers. */
  readonly decorative?: boolean
}

/** A level by colour and code, never by colour alone. */
export function LevelChip({ name, stale = false, decorative = false }: LevelChipProps) {
  // The max-in-flight filter assigns requests to no level.
  if (name === '') return null
  const { turn } = levelLook(name)
  const look = classes(
    styles['chip'],
    name === 'exempt' && styles['exempt'],
    turn === 2 && styles['turn2'],
    turn === 3 && styles['turn3'],
  )
  // A custom property is not in React's CSSProperties.
  const style = { '--level': stale ? 'var(--text-3)' : levelColor(name) } as CSSProperties
  const meaning = decorative ? { 'aria-hidden': true } : { role: 'img', 'aria-label': name }
  return (
    <span className={look} style={style} {...meaning}>
      {levelCode(name)}
    </span>
  )
}

/** Chip and name. */
export function LevelName({ name, stale = false }: { readonly name: string; readonly stale?: boolean }) {
  return (
    <span className="inline-row gap-7 shrink-x nowrap">
      <LevelChip name={name} stale={stale} decorative />
      <span className="ellipsis">
        <MiddleCut text={name} />
      </span>
    </span>
  )
}

/** Texts of this length or shorter are shown in full: every column has room for them. */
const LONGEST_WHOLE = 10
/** Of a short name, a third at most: its distinctive part may just as well be at its beginning. */
const LONGEST_END = 10

export interface MiddleCutProps {
  readonly text: string
  readonly title?: string
}

/**
 * A name that loses its middle where it does not fit: similar names often differ only at their end. The halves are
 * drawn from attributes, over the name in one piece, which is what assistive technology, the clipboard and the page
 * search find.
 */
export function MiddleCut({ text, title = text }: MiddleCutProps) {
  if (text.length <= LONGEST_WHOLE) return <>{text}</>
  const cut = text.length - Math.min(LONGEST_END, Math.ceil(text.length / 3))
  return (
    <span className={styles['whole']} title={title} data-start={text.slice(0, cut)} data-end={text.slice(cut)}>
      <span className={styles['said']}>{text}</span>
    </span>
  )
}

type StateKind =
  | 'flowing'
  | 'idle'
  | 'queueing'
  | 'rejecting'
  | 'borrowing'
  | 'lending'
  | 'no-limit'
  | 'unknown'
  | 'stale'
  | 'failing'
  | 'connecting'

const LOOK: Readonly<Record<StateKind, { icon?: IconName; word: string; tone?: string }>> = {
  flowing: { word: 'flowing' },
  idle: { word: 'idle' },
  queueing: { icon: 'queue', word: 'queueing', tone: 'queued' },
  rejecting: { icon: 'cross', word: 'rejecting', tone: 'rejected' },
  borrowing: { icon: 'up', word: 'borrowing', tone: 'borrowed' },
  lending: { icon: 'down', word: 'lending', tone: 'lent' },
  'no-limit': { icon: 'infinity', word: 'no limit' },
  unknown: { word: 'unknown' },
  stale: { icon: 'disc', word: 'stale', tone: 'faint' },
  failing: { icon: 'warn', word: 'failing', tone: 'bad' },
  connecting: { word: 'connecting' },
}

/** The state of a level as a glyph and a word; `seats` is the number borrowed or lent. */
export function StateTag({ kind, seats }: { readonly kind: StateKind; readonly seats?: number | undefined }) {
  const { icon, word, tone = 'muted' } = LOOK[kind]
  return (
    <span className={`inline-row gap-4 nowrap small ${tone}`}>
      {icon !== undefined && <Icon name={icon} size={12} />}
      {seats === undefined ? word : `${word} ${seats}`}
    </span>
  )
}
