import { useEffect, useRef, useState } from 'react'
import {
  assumedIdleSentence,
  type ImpactRow,
  type SeatImpact,
  type ImpactSums,
} from '../../../../core/impact/seatImpact.ts'
import { classes, scrollRegion } from '../../../components/classes.ts'
import { LevelChip } from '../../../components/LevelChip.tsx'
import { Note } from '../../../components/States.tsx'
import { Pane } from '../../../components/Pane.tsx'
import { Segment } from '../../../components/Button.tsx'
import { ServerSeats } from '../../../components/SourceControls.tsx'
import { useSettings } from '../../../state/settings.ts'
import { NOT_APPLICABLE, format } from '../../../theme/format.ts'
import { levelOrder } from '../../../theme/levelSlots.ts'
import { Becomes, Signed } from './Becomes.tsx'
import { spanText, type RecentLimits } from './recentLimits.data.ts'
import { useRecentLimits } from './useRecentLimits.ts'
import type { Impact } from './useImpact.ts'
import { select } from './useSelected.ts'
import styles from './impact.module.css'

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
