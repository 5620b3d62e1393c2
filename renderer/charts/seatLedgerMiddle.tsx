import { classes } from '../components/classes.ts'
import { levelCode } from '../state/levels.ts'
import { patternOf } from './Patterns.tsx'
import { levelStyle } from './levelStyle.ts'
import type { Ledger } from './seatLedger.data.ts'
import { layoutEquation, ribbonPath, type EquationTerm, type LedgerLayout } from './seatLedger.layout.ts'
import type { LedgerGeometry } from './seatLedgerRows.tsx'
import styles from './seatLedger.module.css'

const NO_PAIRS = 'seats pass through one pool; no lender is tied to a borrower'

/** Lenders above, borrowers below, one pool between them: the server keeps no pairs. */
export function LedgerPool(props: {
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
      <text className={styles['ink2']} x={pool.x - 8} y={textY} textAnchor="end">
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

/** The same fact as an equation, each term in its level's drawing. */
export function LedgerEquation(props: {
  readonly ledger: Ledger
  readonly perSeat: number
  readonly geometry: LedgerGeometry
  readonly width: number
}) {
  const { ledger, perSeat, geometry, width } = props
  const { y, height } = geometry.middle
  const textY = y + height - 3
  if (ledger.regime === 'short' || (ledger.lent === 0 && ledger.borrowed === 0)) return null
  const equation = layoutEquation(ledger, geometry.left, width - geometry.left, perSeat)
  const sign = ledger.lent === ledger.borrowed ? 'lent = borrowed' : `lent, ${ledger.borrowed} borrowed`
  return (
    <g>
      <text className={styles['ink2']} x={0} y={textY}>
        pool {ledger.lent}
      </text>
      {equation.lenders.map((term) => (
        <Term key={term.name} term={term} y={y} height={height} textY={textY} />
      ))}
      <text className={styles['ink2']} x={equation.signX} y={textY}>
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
      <text className={styles['ink']} x={term.textX} y={textY}>
        {levelCode(term.name)} {term.seats > 0 ? `+${term.seats}` : `−${-term.seats}`}
      </text>
    </g>
  )
}

/** Seats, from 0. */
export const LedgerAxis = ({ layout, y }: { readonly layout: LedgerLayout; readonly y: number }) => (
  <g aria-hidden="true">
    {layout.ticks.map(({ seats, x }) => (
      <g key={seats}>
        <line className={styles['tick']} x1={x} x2={x} y1={y} y2={y + 4} />
        <text className={styles['ink3']} x={x} y={y + 14} textAnchor={seats === 0 ? 'start' : 'middle'}>
          {seats}
        </text>
      </g>
    ))}
  </g>
)
