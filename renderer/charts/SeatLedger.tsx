import { memo, useCallback, useMemo, useState } from 'react'
import { classes } from '../components/classes.ts'
import { LedgerKeys } from './LedgerKeys.tsx'
import { levelStyle, NO_LEVEL_STYLE } from './levelStyle.ts'
import { entrySentence, ledgerSentence, type Ledger } from './seatLedger.data.ts'
import { layoutLedger, type LedgerGroup } from './seatLedger.layout.ts'
import { LedgerAxis, LedgerEquation, LedgerPool } from './seatLedgerMiddle.tsx'
import { GEOMETRY, LedgerRows, type LedgerGeometry, type LedgerVariant } from './seatLedgerRows.tsx'
import styles from './seatLedger.module.css'

export interface SeatLedgerProps {
  readonly ledger: Ledger
  /** Pixels. */
  readonly width: number
  readonly variant: LedgerVariant
  readonly stale?: boolean
  readonly onOpen?: ((level: string) => void) | undefined
  /** Part of the accessible name where several ledgers stand together. */
  readonly server?: string
}

const DIMS_UP_TO = 12

/** Where every seat of one server comes from and goes: nominal strip, pool, current strip (design 3.1, 6). */
export const SeatLedger = memo(function SeatLedger(props: SeatLedgerProps) {
  const { ledger, width, variant, stale = false, onOpen, server } = props
  const [lit, setLit] = useState<string>()
  const geometry = GEOMETRY[variant]
  // Dimming many groups costs a frame: with many levels the chosen one gets a frame instead.
  const dims = ledger.entries.length <= DIMS_UP_TO
  const layout = useMemo(() => {
    const { left, right } = geometry
    return layoutLedger(ledger, left, Math.max(0, width - left - right))
  }, [ledger, width, geometry])
  const present = layout.groups.some((group) => group.entry.name === lit) ? lit : undefined

  const open = useCallback((name: string) => onOpen?.(name), [onOpen])
  const { groups } = layout
  const who = server === undefined ? 'Levels in the seat ledger' : `Levels in the seat ledger of ${server}`
  const sentence = `${server === undefined ? '' : `${server}. `}${ledgerSentence(ledger)}`
  const told = groups.find((group) => group.entry.name === present)
  return (
    <div className={classes(styles['box'], stale && styles['stale'])} onMouseLeave={() => setLit(undefined)}>
      <svg
        className={classes(styles['ledger'], present !== undefined && (dims ? styles['choosing'] : styles['framing']))}
        width={width}
        height={geometry.height}
        focusable="false"
        {...{ role: 'img', 'aria-label': sentence }}
      >
        {variant === 'ribbons' && <LedgerPool layout={layout} ledger={ledger} geometry={geometry} lit={present} />}
        {variant === 'equation' && (
          <LedgerEquation ledger={ledger} perSeat={layout.perSeat} geometry={geometry} width={width} />
        )}
        <RowLabels variant={variant} geometry={geometry} />
        {groups.map((group) => (
          <LedgerGroupView
            key={group.entry.name}
            group={group}
            geometry={geometry}
            variant={variant}
            lit={group.entry.name === present}
            onLight={setLit}
            onOpen={open}
          />
        ))}
        {geometry.axis !== undefined && <LedgerAxis layout={layout} y={geometry.axis} />}
      </svg>
      <LedgerKeys label={who} groups={groups} lit={present} onLight={setLit} onOpen={open} />
      {told !== undefined && (
        <p className={classes(styles['told'], variant === 'small' && styles['below'])} aria-hidden="true">
          {entrySentence(told.entry, told.names)}
        </p>
      )}
    </div>
  )
})

const RowLabels = ({ variant, geometry }: { readonly variant: LedgerVariant; readonly geometry: LedgerGeometry }) =>
  variant === 'small' ? null : (
    <>
      <text className={styles['rowLabel']} x={0} y={geometry.nominal.y + geometry.nominal.height / 2 + 4}>
        nominal
      </text>
      <text className={styles['rowLabelStrong']} x={0} y={geometry.current.y + geometry.current.height / 2 + 4}>
        current limit
      </text>
    </>
  )

interface GroupProps {
  readonly group: LedgerGroup
  readonly geometry: LedgerGeometry
  readonly variant: LedgerVariant
  readonly lit: boolean
  readonly onLight: (name: string) => void
  readonly onOpen: (name: string) => void
}

/** Both parts of one level; renders again only when its numbers or its own highlight change. */
const LedgerGroupView = memo(function LedgerGroupView({ group, geometry, variant, lit, onLight, onOpen }: GroupProps) {
  const { entry, names } = group
  const style = names.length === 1 ? levelStyle(entry.name) : NO_LEVEL_STYLE
  return (
    <g
      className={classes(styles['group'], lit && styles['lit'])}
      style={style}
      onMouseEnter={() => onLight(entry.name)}
      onClick={() => onOpen(entry.name)}
    >
      <LedgerRows group={group} geometry={geometry} variant={variant} />
    </g>
  )
})
