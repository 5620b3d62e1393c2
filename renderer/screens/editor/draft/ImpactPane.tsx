import { useEffect, useRef, useState, useMemo } from 'react'
import {
  assumedIdleSentence,
  type ImpactRow,
  type SeatImpact,
  type ImpactSums,
} from '../../../../core/impact/seatImpact.ts'
import type { AdjustmentStep } from '../../../../core/frame/adjustmentStep.ts'
import { limitsOverSteps, type LimitsOverSteps, type LimitSpan } from '../../../../core/impact/limitsOverSteps.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { LevelChip } from '../../../components/LevelChip.tsx'
import { Note } from '../../../components/Note.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { Segment } from '../../../components/Segment.tsx'
import { scrollRegion } from '../../../components/scrollRegion.ts'
import { ServerSeats } from '../../../components/ServerSeats.tsx'
import { useSettings } from '../../../state/settings.ts'
import { NOT_APPLICABLE, format, UNKNOWN } from '../../../theme/format.ts'
import { levelOrder } from '../../../theme/levelSlots.ts'
import { classes } from '../../../components/classes.ts'
import { ask } from '../../../state/connection.ts'
import { useViewPart } from '../../../state/view.ts'
import { select } from './draftObject.ts'
import styles from './impact.module.css'
import type { Impact } from './forecast.ts'

/** Every level before and after the draft, in seats. `onSeen` is called when the table becomes visible. */
export function ImpactPane(props: {
  readonly impact: Impact
  readonly selected: string | undefined
  /** The draft has errors, so its last valid values are counted. */
  readonly stale: boolean
  readonly onSeen: () => void
}) {
  const { impact: of, selected, stale, onSeen } = props
  const { impact, live } = of
  const [settings] = useSettings()
  const [limits, setLimits] = useState<'now' | 'recent'>('now')
  const recent = useRecentLimits(limits === 'recent' ? of : undefined)
  const order = levelOrder(settings.levelSlots)
  const rows = impact.rows.toSorted((a, b) => order(a.name, b.name))
  const table = useSeen(onSeen)
  const idle = assumedIdleSentence(impact)
  return (
    <Pane
      title="Seat impact"
      unit="seats"
      note={impactNote(impact)}
      className={styles['pane']}
      actions={
        live ? (
          <Segment
            label="Limits"
            value={limits}
            options={[
              { value: 'now', label: 'Now' },
              { value: 'recent', label: 'Last 10 min' },
            ]}
            onChange={setLimits}
          />
        ) : (
          <ServerSeats limit={of.limit} />
        )
      }
    >
      <div className={styles['scroll']} {...scrollRegion('Seat impact by level')}>
        <table ref={table} className={styles['table']}>
          <caption className="sr-only">Seats of each level before and after the draft</caption>
          <thead>
            <tr>
              <th scope="col">Priority level</th>
              <th scope="col">Nominal</th>
              <th scope="col">Change</th>
              <th scope="col" className={styles['min']}>
                Min
              </th>
              <th scope="col">Widest</th>
              {live && (
                <>
                  <th scope="col">{limits === 'now' ? 'Limit now' : 'Limit, least – most'}</th>
                  {limits === 'now' && <th scope="col">Change</th>}
                </>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row
                key={row.name}
                row={row}
                current={row.name === selected}
                live={live}
                limits={limits}
                recent={recent}
              />
            ))}
          </tbody>
          <tfoot>
            <Sums impact={impact} live={live} limits={limits} />
          </tfoot>
        </table>
      </div>
      {(stale || idle !== undefined || impact.refused.length > 0 || (limits === 'recent' && recent !== undefined)) && (
        <div className={styles['notes']}>
          {stale && <Note kind="warn">The draft has errors. The table uses the last valid values.</Note>}
          {idle !== undefined && <Note kind="warn">{`≈ ${idle}`}</Note>}
          {impact.refused.map(({ name, why }) => (
            <Note key={name} kind="warn">{`The server ignores ${name}: ${why}.`}</Note>
          ))}
          {limits === 'recent' && recent !== undefined && <p className={styles['recent']}>{recent.sentence}</p>}
        </div>
      )}
    </Pane>
  )
}

interface RowProps {
  readonly row: ImpactRow
  readonly current: boolean
  readonly live: boolean
  readonly limits: 'now' | 'recent'
  readonly recent: RecentLimits | undefined
}

function Row({ row, current, live, limits, recent }: RowProps) {
  const { name, change, before, after } = row
  const type = (after ?? before)?.type
  const isExempt = type === 'Exempt'
  const span = recent?.rows.get(name)
  const about = row.assumedIdle && !isExempt && <span title="Its demand is unknown and counts as 0">≈ </span>
  return (
    <tr className={classes(current && styles['current'], styles[change])} aria-current={current ? 'true' : undefined}>
      <th scope="row">
        <button
          type="button"
          className={styles['level']}
          onClick={() => select({ kind: 'PriorityLevelConfiguration', name })}
        >
          <LevelChip name={name} decorative />
          <span>{name}</span>
        </button>
      </th>
      <td>
        <Becomes before={before?.nominal} after={after?.nominal} />
      </td>
      <td>
        <Signed value={(after?.nominal ?? 0) - (before?.nominal ?? 0)} />
      </td>
      <td className={styles['min']}>
        <Becomes before={before?.lower} after={after?.lower} />
      </td>
      <td>
        {isExempt || type === 'Reject' ? (
          <span className={styles['same']}>{NOT_APPLICABLE}</span>
        ) : (
          <Becomes before={before?.maxSeatsPerRequest} after={after?.maxSeatsPerRequest} />
        )}
      </td>
      {live && limits === 'now' && (
        <>
          <td>
            {about}
            {isExempt ? <b>none</b> : <Becomes before={row.limitBefore?.current} after={row.limitAfter?.current} />}
          </td>
          <td>{!isExempt && <Signed value={limitChange(row)} />}</td>
        </>
      )}
      {live && limits === 'recent' && (
        <td>
          {about}
          {isExempt ? <b>none</b> : <Becomes before={spanText(span?.before)} after={spanText(span?.after)} />}
        </td>
      )}
    </tr>
  )
}

function Sums({ impact, live, limits }: { readonly impact: SeatImpact } & Pick<RowProps, 'live' | 'limits'>) {
  const { before, after } = impact.sums
  const { allocation } = impact
  return (
    <tr>
      <th scope="row">Sum</th>
      <td>
        <Becomes before={before.nominal} after={after.nominal} />
      </td>
      <td title={sumText(after)}>
        <Signed value={after.nominal - before.nominal} plain />
      </td>
      <td className={styles['min']}>
        <Becomes before={before.lower} after={after.lower} />
      </td>
      <td>
        <span className="sr-only">no sum</span>
      </td>
      {live && limits === 'now' && allocation !== undefined && (
        <>
          <td>
            <Becomes before={allocation.before.currentSum} after={allocation.after.currentSum} />
          </td>
          <td className={styles['same']} title={sumText(after)}>
            rounding
          </td>
        </>
      )}
      {live && limits === 'recent' && (
        <td>
          <span className="sr-only">no sum</span>
        </td>
      )}
    </tr>
  )
}

/** Tells when the table has been on the screen, after every change of what it shows. */
function useSeen(onSeen: () => void) {
  const table = useRef<HTMLTableElement>(null)
  const [visible, setVisible] = useState(typeof IntersectionObserver === 'undefined')
  useEffect(() => {
    const element = table.current
    if (element === null || typeof IntersectionObserver === 'undefined') return undefined
    const observer = new IntersectionObserver(([entry]) => setVisible(entry?.isIntersecting === true))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (visible && !document.hidden) onSeen()
  })
  return table
}

/** One line about what the table shows: `600 seats; shares 245 → 255`. */
function impactNote({ serverLimit, sums }: SeatImpact): string {
  const { before, after } = sums
  const shares =
    before.shares === after.shares
      ? `${format.fixed(before.shares)} shares`
      : `shares ${format.fixed(before.shares)} → ${format.fixed(after.shares)}`
  return `${format.seats(serverLimit)} on one server; ${shares}`
}

const limitChange = ({ limitBefore, limitAfter }: ImpactRow): number =>
  (limitAfter?.current ?? 0) - (limitBefore?.current ?? 0)

/** Why the sum is more than the server has. */
const sumText = ({ nominal, surplus }: ImpactSums): string =>
  surplus <= 0
    ? `${format.seats(nominal)} seats in all`
    : `${format.seats(surplus)} more than the server has, because every nominal limit is rounded up`

type Shown = number | string | undefined

const textOf = (value: Shown): string => (typeof value === 'string' ? value : format.seats(value))

/** A value before and after; one value when it stays. */
function Becomes({ before, after }: { readonly before: Shown; readonly after: Shown }) {
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
function Signed({ value, plain = false }: { readonly value: number; readonly plain?: boolean }) {
  const look = plain || value === 0 ? styles['same'] : value > 0 ? styles['gains'] : styles['loses']
  return <span className={classes(look)}>{format.change(value)}</span>
}

const RANGE_MS = 600_000
const EVERY_MS = 10_000

/** What both configurations would have made of the demand of the last ten minutes; nothing while it is not asked for. */
function useRecentLimits(impact: Impact | undefined): RecentLimits | undefined {
  const server = useViewPart((view) => view.server?.id)
  const at = useViewPart((view) => (view.server === undefined ? undefined : unixMsOf(view.server.at)))
  const [steps, setSteps] = useState<readonly AdjustmentStep[]>([])
  const turn = at === undefined ? undefined : Math.floor(at / EVERY_MS)
  const asked = impact !== undefined
  useEffect(() => {
    if (!asked || server === undefined || turn === undefined) return undefined
    let current = true
    const to = (turn + 1) * EVERY_MS
    ask('allocation.steps', { server, from: to - RANGE_MS, to })
      .then((read) => current && setSteps(read))
      // Without them there is nothing to say of the last minutes.
      .catch(() => undefined)
    return () => {
      current = false
    }
  }, [asked, server, turn])
  return useMemo(() => {
    if (impact === undefined) return undefined
    const { before, after, limit, version } = impact
    return recentLimits(limitsOverSteps({ before, after, serverLimit: limit.seats, version }, steps))
  }, [impact, steps])
}

/** Limits that both configurations would have had lately. */
interface RecentLimits {
  readonly rows: ReadonlyMap<string, { readonly before?: LimitSpan; readonly after?: LimitSpan }>
  /** What they were computed from. */
  readonly sentence: string
}

function recentLimits({ steps, rows }: LimitsOverSteps): RecentLimits {
  const sentence =
    steps === 0
      ? 'No reallocation was seen in the last 10 minutes.'
      : `From the demand of ${steps} reallocations. Under other limits requests would have waited differently, so demand would have differed too.`
  return { rows: new Map(rows.map(({ name, ...spans }) => [name, spans])), sentence }
}

/** `73 – 120`. */
const spanText = (span: LimitSpan | undefined): string | undefined =>
  span === undefined
    ? undefined
    : span.least === span.most
      ? format.seats(span.least)
      : `${format.seats(span.least)} – ${format.seats(span.most)}`
