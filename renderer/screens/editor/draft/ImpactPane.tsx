import { useEffect, useRef, useState, useMemo } from 'react'
import {
  assumedIdleSentence,
  type ImpactRow,
  type SeatImpact,
  type ImpactSums,
  limitsOverSteps,
  type LimitsOverSteps,
  type LimitSpan,
} from '../../../../core/impact/seatImpact.ts'
import type { AdjustmentStep } from '../../../../core/frame/derived.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { LevelChip } from '../../../components/LevelChip.tsx'
import { Note } from '../../../components/States.tsx'
import type { DataColumn } from '../../../components/dataColumns.ts'
import { PlainTable, type FootRow } from '../../../components/PlainTable.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { Segment } from '../../../components/Button.tsx'
import { scrollRegion } from '../../../components/classes.ts'
import { ServerSeats } from '../../../components/SourceControls.tsx'
import { useSettings } from '../../../state/settings.ts'
import { NOT_APPLICABLE, UNKNOWN } from '../../../../core/text/format.ts'
import { format } from '../../../theme/format.ts'
import { levelOrder } from '../../../theme/levelSlots.ts'
import { onAnswer } from '../../../state/answer.ts'
import { askShown } from '../../../state/past.ts'
import { useViewPart } from '../../../state/view.ts'
import { select } from './draftObject.ts'
import styles from './aside.module.css'
import type { Impact } from './forecast.ts'

/** Every level before and after the draft, in seats. `onSeen` is called when the table becomes visible. */
export function ImpactPane(props: {
  readonly impact: Impact
  readonly selected: string | undefined
  /** The draft has errors, so its last valid values are used. */
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
  const seen = useSeen(onSeen)
  const idle = assumedIdleSentence(impact)
  return (
    <Pane
      title="Seat impact"
      unit="seats"
      note={impactNote(impact)}
      className={styles['seats']}
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
      <div ref={seen} className={styles['scroll']} {...scrollRegion('Seat impact by level')}>
        <PlainTable
          caption="Seats of each level before and after the draft"
          className={styles['impact']}
          columns={[...COLUMNS, ...(live ? (limits === 'now' ? NOW_COLUMNS : recentColumns(recent)) : [])]}
          rows={rows}
          rowKey={({ name }) => name}
          rowLook={({ change }) => styles[change]}
          selectedKey={selected}
          foot={[sumRow(impact)]}
        />
      </div>
      {(stale || idle !== undefined || impact.refused.length > 0 || recent !== undefined) && (
        <div className={styles['impactNotes']}>
          {stale && <Note kind="warn">The draft has errors. The table uses the last valid values.</Note>}
          {idle !== undefined && <Note kind="warn">{`≈ ${idle}`}</Note>}
          {impact.refused.map(({ name, why }) => (
            <Note key={name} kind="warn">{`The server ignores ${name}: ${why}.`}</Note>
          ))}
          {recent !== undefined && <p className={styles['recent']}>{recentText(recent)}</p>}
        </div>
      )}
    </Pane>
  )
}

const column = (
  id: string,
  header: string,
  cell: NonNullable<DataColumn<ImpactRow>['cell']>,
): DataColumn<ImpactRow> => ({ id, header, align: 'right', cell })

const typeOf = ({ before, after }: ImpactRow) => (after ?? before)?.type

const COLUMNS: readonly DataColumn<ImpactRow>[] = [
  {
    id: 'level',
    header: 'Priority level',
    term: 'priority-level',
    rowHeader: true,
    cell: ({ name }) => (
      <button
        type="button"
        className={styles['level']}
        onClick={() => select({ kind: 'PriorityLevelConfiguration', name })}
      >
        <LevelChip name={name} decorative />
        <span>{name}</span>
      </button>
    ),
  },
  column('nominal', 'Nominal', ({ before, after }) => <Becomes before={before?.nominal} after={after?.nominal} />),
  column('change', 'Change', ({ before, after }) => <Signed value={(after?.nominal ?? 0) - (before?.nominal ?? 0)} />),
  column('min', 'Min', ({ before, after }) => <Becomes before={before?.lower} after={after?.lower} />),
  column('widest', 'Widest', (row) =>
    typeOf(row) === 'Exempt' || typeOf(row) === 'Reject' ? (
      <span className={styles['steady']}>{NOT_APPLICABLE}</span>
    ) : (
      <Becomes before={row.before?.maxSeatsPerRequest} after={row.after?.maxSeatsPerRequest} />
    ),
  ),
]

const NOW_COLUMNS: readonly DataColumn<ImpactRow>[] = [
  column('limit', 'Limit now', (row) => (
    <Limit row={row} before={row.limitBefore?.current} after={row.limitAfter?.current} />
  )),
  column(
    'limit-change',
    'Change',
    (row) =>
      typeOf(row) !== 'Exempt' && <Signed value={(row.limitAfter?.current ?? 0) - (row.limitBefore?.current ?? 0)} />,
  ),
]

const recentColumns = (recent: LimitsOverSteps | undefined): readonly DataColumn<ImpactRow>[] => [
  column('span', 'Limit, least – most', (row) => {
    const span = recent?.rows.find(({ name }) => name === row.name)
    return <Limit row={row} before={spanText(span?.before)} after={spanText(span?.after)} />
  }),
]

function Limit({ row, before, after }: { readonly row: ImpactRow; readonly before: Shown; readonly after: Shown }) {
  if (typeOf(row) === 'Exempt') return <b>none</b>
  return (
    <>
      {row.assumedIdle && <span title="Its demand is unknown and counts as 0">≈ </span>}
      <Becomes before={before} after={after} />
    </>
  )
}

function sumRow({ sums: { before, after }, allocation }: SeatImpact): FootRow {
  const none = { text: <span className="sr-only">no sum</span> }
  const rounding = sumText(after)
  return {
    level: { text: 'Sum' },
    nominal: { text: <Becomes before={before.nominal} after={after.nominal} /> },
    change: {
      text: (
        <span title={rounding}>
          <Signed value={after.nominal - before.nominal} plain />
        </span>
      ),
    },
    min: { text: <Becomes before={before.lower} after={after.lower} /> },
    widest: none,
    span: none,
    ...(allocation !== undefined && {
      limit: { text: <Becomes before={allocation.before.currentSum} after={allocation.after.currentSum} /> },
      'limit-change': { text: <span title={rounding}>rounding</span>, look: styles['steady'] },
    }),
  }
}

/** Calls `onSeen` when the table has been on the screen, after every change of its content. */
function useSeen(onSeen: () => void) {
  const table = useRef<HTMLDivElement>(null)
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

/** One line about the content of the table: `600 on one server; shares 245 → 255`. */
function impactNote({ serverLimit, sums }: SeatImpact): string {
  const { before, after } = sums
  const shares =
    before.shares === after.shares
      ? `${format.fixed(before.shares)} shares`
      : `shares ${format.fixed(before.shares)} → ${format.fixed(after.shares)}`
  return `${format.seats(serverLimit)} on one server; ${shares}`
}

/** Why the sum exceeds the seats of the server. */
const sumText = ({ nominal, surplus }: ImpactSums): string =>
  surplus <= 0
    ? `${format.seats(nominal)} seats in all`
    : `${format.seats(surplus)} more than the server has, because every nominal limit is rounded up`

type Shown = number | string | undefined

const textOf = (value: Shown): string => (typeof value === 'string' ? value : format.seats(value))

/** A value before and after; a single value when it is unchanged. */
function Becomes({ before, after }: { readonly before: Shown; readonly after: Shown }) {
  if (before === after)
    return <span className={styles['steady']}>{before === undefined ? UNKNOWN : textOf(before)}</span>
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

function Signed({ value, plain = false }: { readonly value: number; readonly plain?: boolean }) {
  const look = plain || value === 0 ? styles['steady'] : value > 0 ? styles['gains'] : styles['loses']
  return <span className={look}>{format.change(value)}</span>
}

const RANGE_MS = 600_000
const EVERY_MS = 10_000

/**
 * The limits that both configurations would have given for the demand of the last ten minutes; `undefined` without
 * `impact`.
 */
function useRecentLimits(impact: Impact | undefined): LimitsOverSteps | undefined {
  const server = useViewPart((view) => view.server?.id)
  const at = useViewPart((view) => (view.server === undefined ? undefined : unixMsOf(view.server.at)))
  const [steps, setSteps] = useState<readonly AdjustmentStep[]>([])
  const turn = at === undefined ? undefined : Math.floor(at / EVERY_MS)
  const asked = impact !== undefined
  useEffect(() => {
    if (!asked || server === undefined || turn === undefined) return undefined
    const to = (turn + 1) * EVERY_MS
    // Without them the pane omits the last minutes.
    return onAnswer(() => askShown('allocation.steps', { server, from: to - RANGE_MS, to }), setSteps)
  }, [asked, server, turn])
  return useMemo(() => {
    if (impact === undefined) return undefined
    const { before, after, limit, version } = impact
    return limitsOverSteps({ before, after, serverLimit: limit.seats, version }, steps)
  }, [impact, steps])
}

/** What the limits were computed from. */
const recentText = ({ steps }: LimitsOverSteps): string =>
  steps === 0
    ? 'No reallocation was seen in the last 10 minutes.'
    : `From the demand of ${steps} reallocations. Under other limits requests would have waited differently, so demand would have differed too.`

/** `73 – 120`. */
const spanText = (span: LimitSpan | undefined): string | undefined =>
  span === undefined
    ? undefined
    : span.least === span.most
      ? format.seats(span.least)
      : `${format.seats(span.least)} – ${format.seats(span.most)}`
