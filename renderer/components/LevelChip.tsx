import type { CSSProperties } from 'react'
import { levelCode, levelColor, levelLook } from '../state/levels.ts'
import { classes } from './classes.ts'
import { MiddleCut } from './MiddleCut.tsx'
import styles from './LevelChip.module.css'

export interface LevelChipProps {
  readonly name: string
  /** Loses its hue: the value beside it is not current. */
  readonly stale?: boolean
  /** The name stands beside it: the chip itself is silent. */
  readonly decorative?: boolean
}

/** A level by colour and code, never by colour alone. */
export function LevelChip({ name, stale = false, decorative = false }: LevelChipProps) {
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
    <span className={styles['level']}>
      <LevelChip name={name} stale={stale} decorative />
      <span className={styles['name']}>
        <MiddleCut text={name} />
      </span>
    </span>
  )
}
