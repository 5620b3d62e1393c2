import { useId, type KeyboardEvent } from 'react'
import { entrySentence } from './seatLedger.data.ts'
import type { LedgerGroup } from './seatLedger.layout.ts'
import styles from './seatLedger.module.css'

export interface LedgerKeysProps {
  readonly label: string
  readonly groups: readonly LedgerGroup[]
  /** The level that is lit up. */
  readonly lit: string | undefined
  readonly onLight: (name: string | undefined) => void
  readonly onOpen: (name: string) => void
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }

/** The ledger's levels for keyboard and screen reader: arrows light up a level, Enter opens it. */
export function LedgerKeys({ label, groups, lit, onLight, onOpen }: LedgerKeysProps) {
  const id = useId()
  const at = groups.findIndex(({ entry }) => entry.name === lit)
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key]
    if (step !== undefined && groups.length > 0) {
      const from = at < 0 && step < 0 ? groups.length : at
      onLight(groups[Math.min(groups.length - 1, Math.max(0, from + step))]?.entry.name)
    } else if (event.key === 'Enter' && lit !== undefined) onOpen(lit)
    else if (event.key === 'Escape' && lit !== undefined) onLight(undefined)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      role="listbox"
      aria-label={label}
      aria-activedescendant={at < 0 ? undefined : `${id}${at}`}
      tabIndex={0}
      className={styles['keys']}
      onKeyDown={onKeyDown}
      onBlur={() => onLight(undefined)}
    >
      {groups.map(({ entry, names }, index) => (
        <div key={entry.name} id={`${id}${index}`} role="option" aria-selected={index === at} className="sr-only">
          {entrySentence(entry, names)}
        </div>
      ))}
    </div>
  )
}
