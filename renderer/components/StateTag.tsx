import { classes } from './classes.ts'
import { Icon, type IconName } from './Icon.tsx'
import styles from './StateTag.module.css'

export type StateKind = 'flowing' | 'idle' | 'queueing' | 'rejecting' | 'borrowing' | 'lending' | 'no-limit' | 'stale'

const LOOK: Readonly<Record<StateKind, { icon?: IconName; word: string }>> = {
  flowing: { word: 'flowing' },
  idle: { word: 'idle' },
  queueing: { icon: 'queue', word: 'queueing' },
  rejecting: { icon: 'cross', word: 'rejecting' },
  borrowing: { icon: 'up', word: 'borrowing' },
  lending: { icon: 'down', word: 'lending' },
  'no-limit': { icon: 'infinity', word: 'no limit' },
  stale: { icon: 'disc', word: 'stale' },
}

/** The state of a level in a glyph and a word; `seats` says how many are borrowed or lent. */
export function StateTag({ kind, seats }: { readonly kind: StateKind; readonly seats?: number | undefined }) {
  const { icon, word } = LOOK[kind]
  return (
    <span className={classes(styles['tag'], styles[kind])}>
      {icon !== undefined && <Icon name={icon} size={12} />}
      {seats === undefined ? word : `${word} ${seats}`}
    </span>
  )
}
