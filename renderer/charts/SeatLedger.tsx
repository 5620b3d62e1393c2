import { memo, useCallback, useMemo, useState, useId, type KeyboardEvent } from 'react'
import { classes } from '../components/classes.ts'
import { levelCode } from '../state/levels.ts'
import { levelStyle, NO_LEVEL_STYLE, patternOf, Drawing } from './plot.tsx'
import {
  entrySentence,
  ledgerSentence,
  type Ledger,
  layoutLedger,
  type LedgerGroup,
  layoutEquation,
  ribbonPath,
  type EquationTerm,
  type LedgerLayout,
} from './seatLedger.data.ts'
import { GEOMETRY, LedgerRows, type LedgerGeometry, type LedgerVariant } from './seatLedgerRows.tsx'
import styles from './seatLedger.module.css'

export interface SeatLedgerProps {
  readonly ledger: Ledger
  /** Pixels. */
  readonly width: number
  readonly variant: LedgerVariant
  readonly stale?: boolean
  readonly onOpen?: ((level: string) => void) | undefined
  /** Part of the accessible name where several ledgers are on one screen. */
  readonly server?: string
}

const DIMS_UP_TO = 12

/** Where every seat of one server comes from and goes to: nominal strip, pool, current strip (design 3.1, 6). */
export const SeatLedger = memo(function SeatLedger(props: SeatLedgerProps) {
  const { ledger, width, variant, stale = false, onOpen, server } = props
  const [lit, setLit] = useState<string>()
  const geometry = GEOMETRY[variant]
  // Dimming many groups costs a frame: with many levels the chosen one gets an outline instead.
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
  const shown = groups.find((group) => group.entry.name === present)
  return (
    <div className={classes('placed', stale && styles['stale'])} onMouseLeave={() => setLit(undefined)}>
      <Drawing
        className={classes(styles['ledger'], present !== undefined && (dims ? styles['choosing'] : styles['framing']))}
        width={width}
        height={geometry.height}
        label={sentence}
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
      </Drawing>
      <LedgerKeys label={who} groups={groups} lit={present} onLight={setLit} onOpen={open} />
      {shown !== undefined && (
        <p className={classes(styles['told'], variant === 'small' && styles['below'])} aria-hidden="true">
          {entrySentence(shown.entry, shown.names)}
        </p>
      )}
    </div>
  )
})

const RowLabels = ({ variant, geometry }: { readonly variant: LedgerVariant; readonly geometry: LedgerGeometry }) =>
  variant === 'small' ? null : (
    <>
      <text className="fill-text-2" x={0} y={geometry.nominal.y + geometry.nominal.height / 2 + 4}>
        nominal
      </text>
      <text className="fill-text" x={0} y={geometry.current.y + geometry.current.height / 2 + 4}>
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

interface LedgerKeysProps {
  readonly label: string
  readonly groups: readonly LedgerGroup[]
  /** The highlighted level. */
  readonly lit: string | undefined
  readonly onLight: (name: string | undefined) => void
  readonly onOpen: (name: string) => void
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }

/** The ledger's levels for keyboard and screen reader: arrows highlight a level, Enter opens it. */
function LedgerKeys({ label, groups, lit, onLight, onOpen }: LedgerKeysProps) {
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

const NO_PAIRS = 'one pool; lenders and borrowers are not paired'

/** Lenders above, borrowers below, one pool between them: the server keeps no pairs. */
function LedgerPool(props: {
  readonly layout: LedgerLayout
  readonly ledger: Ledger
  readonly geometry: LedgerGeometry
  readonly lit: string | undefined
}) {
  const { layout, ledger, geometry, lit } = props
  const { pool } = layout
  if (pool === undefined) return null
  const { y, height } = geometry.middle
  const nominalEnd = geometry.nominal.y + geometry.nominal.height
  const parts = layout.groups.filter((group) => group.pool !== undefined)
  const textY = y + height - 3
  const roomRight = pool.x + pool.width + 10 + NO_PAIRS.length * 5.8 < layoutEnd(layout)
  return (
    <g>
      {parts.map((group) => {
        const { entry, lent, current } = group
        const span = group.pool ?? current
        const look = classes(styles['ribbon'], entry.name === lit && styles['lit'])
        if (lent !== undefined) {
          return (
            <g key={entry.name} className={look} style={levelStyle(entry.name)}>
              <path className={styles['lentRibbon']} d={ribbonPath(lent, span, nominalEnd, y)} />
              <rect className={styles['poolPart']} x={span.x} y={y} width={span.width} height={height} />
            </g>
          )
        }
        const target = { x: current.x + current.width - span.width, width: span.width }
        return (
          <g key={entry.name} className={look} style={levelStyle(entry.name)}>
            <path
              className={styles['borrowedRibbon']}
              fill={patternOf('hatch', entry.name)}
              d={ribbonPath(span, target, y + height, geometry.current.y)}
            />
          </g>
        )
      })}
      <text className="fill-text-2" x={pool.x - 8} y={textY} textAnchor="end">
        pool {ledger.lent === ledger.borrowed ? ledger.lent : `${ledger.lent} lent, ${ledger.borrowed} borrowed`}
      </text>
      {roomRight && (
        <text className={styles['ink3']} x={pool.x + pool.width + 10} y={textY}>
          {NO_PAIRS}
        </text>
      )}
    </g>
  )
}

const layoutEnd = (layout: LedgerLayout) => {
  const last = layout.groups.at(-1)?.current
  return last === undefined ? 0 : last.x + last.width
}

/** The same as an equation, each term in its level's drawing. */
function LedgerEquation(props: {
  readonly ledger: Ledger
  readonly perSeat: number
  readonly geometry: LedgerGeometry
  readonly width: number
}) {
  const { ledger, perSeat, geometry, width } = props
  const { y, height } = geometry.middle
  const textY = y + height - 3
  if (ledger.lent === 0 && ledger.borrowed === 0) return null
  const equation = layoutEquation(ledger, geometry.left, width - geometry.left, perSeat)
  const sign = ledger.lent === ledger.borrowed ? 'lent = borrowed' : `lent, ${ledger.borrowed} borrowed`
  return (
    <g>
      <text className="fill-text-2" x={0} y={textY}>
        pool {ledger.lent}
      </text>
      {equation.lenders.map((term) => (
        <Term key={term.name} term={term} y={y} height={height} textY={textY} />
      ))}
      <text className="fill-text-2" x={equation.signX} y={textY}>
        {sign}
      </text>
      {equation.borrowers.map((term) => (
        <Term key={term.name} term={term} y={y} height={height} textY={textY} />
      ))}
      {equation.hidden > 0 && (
        <text className={styles['ink3']} x={equation.end} y={textY}>
          and {equation.hidden} more
        </text>
      )}
    </g>
  )
}

function Term(props: {
  readonly term: EquationTerm
  readonly y: number
  readonly height: number
  readonly textY: number
}) {
  const { term, y, height, textY } = props
  const { x, width } = term.swatch
  return (
    <g style={levelStyle(term.name)}>
      {term.seats < 0 ? (
        <rect className={styles['lentTerm']} x={x + 0.5} y={y + 1.5} width={width} height={height - 3} />
      ) : (
        <rect
          className={styles['hatch']}
          fill={patternOf('hatch', term.name)}
          x={x}
          y={y + 1}
          width={width}
          height={height - 2}
        />
      )}
      <text className="fill-text" x={term.textX} y={textY}>
        {levelCode(term.name)} {term.seats > 0 ? `+${term.seats}` : `−${-term.seats}`}
      </text>
    </g>
  )
}

/** Seats, from 0. */
const LedgerAxis = ({ layout, y }: { readonly layout: LedgerLayout; readonly y: number }) => (
  <g aria-hidden="true">
    {layout.ticks.map(({ seats, x }) => (
      <g key={seats}>
        <line className="stroke-strong" x1={x} x2={x} y1={y} y2={y + 4} />
        <text className={styles['ink3']} x={x} y={y + 14} textAnchor={seats === 0 ? 'start' : 'middle'}>
          {seats}
        </text>
      </g>
    ))}
  </g>
)
