import { plural } from '../../../core/text/format.ts'
import { memo, useMemo, useState, useEffect } from 'react'
import type { DerivedLevel, DerivedServer } from '../../../core/frame/derived.ts'
import type { LevelFrame, ServerFrame } from '../../../core/frame/frame.ts'
import type { DumpFrame } from '../../../core/frame/dump.ts'
import { isExempt } from '../../../core/frame/reading.ts'
import { levelStates } from '../../../core/frame/recent.ts'
import { findingFor, likelyCause } from '../../../core/verdict/cause.ts'
import { levelHeadline } from '../../../core/verdict/headline.ts'
import { busiestInDump } from '../../../core/verdict/levelRows.ts'
import { atInstant } from '../../../core/verdict/levelStatements.ts'
import { serverNow } from '../../../core/verdict/now.ts'
import { useFindings } from '../../state/findings.ts'
import { unixMsOf } from '../../../core/units.ts'
import type { Series } from '../../../core/history/series.ts'
import { ask, useConnected } from '../../state/connection.ts'
import { eventMarks } from '../../charts/EventMarks.tsx'
import type { TimeDomain } from '../../../core/text/plot.ts'
import { classes, paneInputClass } from '../../components/classes.ts'
import { ProblemNote, Note } from '../../components/States.tsx'
import { HiddenReallocations } from '../../components/HiddenReallocations.tsx'
import { LOW, useMedia, useLater } from '../../components/hooks.ts'
import { useDump } from '../../state/dumps.ts'
import { dumpOfLevel } from '../../state/flows.logic.ts'
import { marksOfLevel } from '../../../core/compare/notes.ts'
import { useNotes } from '../../state/notes.ts'
import { usePastPart } from '../../state/past.ts'
import { useSeries, useSeriesProblem } from '../../state/series.ts'
import { useSimulationState } from '../../state/simulation.ts'
import { timeStore } from '../../state/time.ts'
import { sampleDistanceMs } from '../../state/view.logic.ts'
import { Button } from '../../components/Button.tsx'
import { FamilyNote } from '../../components/FamilyNote.tsx'
import { useHealth } from '../../state/health.ts'
import { useViewPart } from '../../state/view.ts'
import { format } from '../../theme/format.ts'
import { hrefOf } from '../../state/route.ts'
import { clearRange, rangeStore, zoomToRange } from '../../charts/Crosshair.tsx'
import { summariseRange } from '../../charts/crosshair.data.ts'
import { KeyNumbers } from '../../components/NowLine.tsx'
import { CausePane } from './CausePane.tsx'
import { DemandPane } from './DemandPane.tsx'
import { DumpPanes, Row } from './DumpPanes.tsx'
import { HeatPane, UtilizationPane } from './HistogramPanes.tsx'
import {
  levelKind,
  seatsExecuting,
  seatsThatExist,
  staleDemand,
  type LevelKind,
  type StaleDemand,
} from './level.data.ts'
import { LevelHeader } from './LevelHeader.tsx'
import { useCalmDump } from './calm.ts'
import styles from './level.module.css'
import { RejectionsPane, SchemasPane } from './RejectionsPane.tsx'
import { SeatsPane } from './SeatsPane.tsx'
import { WidthsPane } from './WidthsPane.tsx'

export interface LevelViewProps {
  readonly server: ServerFrame
  readonly level: LevelFrame
  readonly derivedServer: DerivedServer | undefined
  readonly derived: DerivedLevel | undefined
  readonly stale: boolean
  /** The second page: how demand becomes a limit, and how queues are dealt and served. */
  readonly inside: boolean
  readonly onInside: (inside: boolean) => void
}

const CHART_HEIGHT = 218
const CHART_HEIGHT_LOW = 172
const HEAT_HEIGHT = 190

/** All available data about one level. */
export function LevelView({ server, level, derivedServer, derived, stale, inside, onInside }: LevelViewProps) {
  const exempt = isExempt(level)
  const torn = derivedServer?.torn === true
  const exist = useMemo(() => seatsThatExist(server), [server])
  const series = useSeries()
  // Charts that follow the same sample are drawn in separate frames.
  const demandSeries = useLater(series, 2)
  const problem = useSeriesProblem()
  const domain = useDomain()
  const dumpFrame = useDump(server.id, level.name)
  const dump = useMemo(
    () => (dumpFrame === undefined ? undefined : dumpOfLevel(dumpFrame, level.name)),
    [dumpFrame, level.name],
  )
  const notes = useNotes()
  const marks = useMemo(() => eventMarks(marksOfLevel(notes, level.name, server.id)), [notes, level.name, server.id])
  const kind = levelKind(level, dump?.queues?.length)
  const everySeconds = useEverySeconds(derivedServer)
  const height = useMedia(LOW) ? CHART_HEIGHT_LOW : CHART_HEIGHT
  const [schema, setSchema] = useState<string>()
  const at = unixMsOf(server.at)
  const laterServer = useLater(server, 3)
  const laterLevel = laterServer.levels.find((entry) => entry.name === level.name) ?? level
  const laterDerived = useLater(derived, 3)
  const laterDump = useLater(dump, 4)
  const calmDump = useCalmDump(dump)
  const held = staleDemand(server, level)
  const { said, finding } = useVerdict({ server, level: level.name, derived: derivedServer, dump: dumpFrame, stale })

  return (
    <div className={classes(styles['screen'], stale && styles['stale'])} data-screen="level">
      <div className={styles['sentence']} title={said?.details}>
        {stale ? (
          <StaleSentence server={server.id} at={at} />
        ) : said !== undefined ? (
          <Note kind="warn">
            <b>{said.title}</b> {said.evidence}
          </Note>
        ) : exempt ? (
          <ExemptNote level={level} executing={seatsExecuting(server)} />
        ) : held !== undefined ? (
          <HeldNote level={level} held={held} />
        ) : (
          <CalmNote level={level} derived={derived} />
        )}
      </div>
      <LevelHeader
        level={level}
        at={at}
        derived={derived}
        dump={calmDump}
        exist={exist}
        stale={stale}
        pages={exempt ? undefined : { inside, onInside }}
      />
      <LevelNotes server={server} level={level} kind={kind} />
      {problem !== undefined && (
        <div className="stack gap-8 pad-x pad-y-10 line-below gone-when-empty">
          <ProblemNote problem={problem} />
        </div>
      )}
      {inside ? (
        <div className="line-below">
          <DemandPane
            series={demandSeries}
            server={server}
            level={level}
            derived={derived}
            torn={torn}
            domain={domain}
            height={height}
            marks={marks}
          />
        </div>
      ) : (
        <Row wide={exempt}>
          <SeatsPane
            series={series}
            level={level.name}
            exempt={exempt}
            exist={exist}
            domain={domain}
            everySeconds={everySeconds}
            height={height}
            marks={marks}
          />
          {!exempt && <CausePane server={server} level={level.name} finding={finding} />}
        </Row>
      )}
      {series !== undefined && <RangeDrawer series={series} level={level.name} />}
      <DumpPanes server={server.id} level={laterLevel} kind={kind} dump={laterDump} inside={inside} />
      {!inside && (
        <>
          <Row even wide={exempt}>
            {!exempt && (
              <HeatPane
                server={server.id}
                level={level.name}
                schema={schema}
                kind="wait"
                missing={server.missing}
                height={HEAT_HEIGHT}
                actions={<SchemaSelect level={level} value={schema} onChange={setSchema} />}
              />
            )}
            <HeatPane
              server={server.id}
              level={level.name}
              schema={schema}
              kind="execution"
              missing={server.missing}
              height={HEAT_HEIGHT}
              actions={exempt && <SchemaSelect level={level} value={schema} onChange={setSchema} />}
            />
          </Row>
          {!exempt && (
            <Row even>
              <UtilizationPane
                server={server.id}
                level={laterLevel}
                at={at}
                kind="utilization"
                missing={server.missing}
              />
              <UtilizationPane server={server.id} level={laterLevel} at={at} kind="demand" missing={server.missing} />
            </Row>
          )}
          <div className="line-below">
            <SchemasPane level={laterLevel} derived={laterDerived} />
          </div>
          <div className="line-below">
            <WidthsPane level={laterLevel} missing={server.missing} />
          </div>
          {!exempt && <RejectionsPane level={laterLevel} derived={laterDerived} />}
        </>
      )}
    </div>
  )
}

function useDomain(): TimeDomain {
  const from = timeStore((state) => state.from)
  const to = timeStore((state) => state.to)
  return useMemo(() => ({ from, to }), [from, to])
}

/** Seconds between samples of a polled source; for the past, the recorded interval. */
function useEverySeconds(derived: DerivedServer | undefined): number | undefined {
  const connected = useConnected()
  const speed = useSimulationState()?.speed
  const isPast = useViewPart((view) => view.mode === 'past')
  if (isPast) return derived?.intervalSeconds
  return connected === undefined || connected.still
    ? undefined
    : sampleDistanceMs(connected.cadence.intervalMs, speed) / 1_000
}

function ExemptNote({ level, executing }: { readonly level: LevelFrame; readonly executing: number }) {
  const own = level.seats.executing
  const share = own === undefined || executing === 0 ? undefined : Math.round((own / executing) * 100)
  return (
    <Note kind="info">
      Requests never wait here, and no limit applies.{' '}
      {own !== undefined &&
        `${format.counted(own, 'seat')} ${plural(own, 'executes', 'execute')}${share === undefined ? '' : `, ${share} % of all on this server`}. `}
      {level.demand.highWatermark !== undefined &&
        `Its high watermark of ${format.seats(level.demand.highWatermark)} decides whether the others’ limits come from their demand or from their floors.`}
    </Note>
  )
}

/** Past demand that keeps seats from a level that waits. */
function HeldNote({ level, held }: { readonly level: LevelFrame; readonly held: StaleDemand }) {
  return (
    <Note kind="warn">
      <b>{`${level.name} holds ${format.seats(level.limits.current)} seats and uses ${format.seats(level.seats.executing)}.`}</b>{' '}
      {`Its smoothed demand is still ${format.seatsAverage(held.smoothed)} while the high watermark is ${format.seats(held.highWatermark)}. `}
      <a href={hrefOf('level', held.waiting.name)}>{held.waiting.name}</a>
      {` waits with ${format.counted(held.waiting.requests, 'request')} at ${format.seats(held.waiting.limit)} seats.`}
    </Note>
  )
}

/** Keeps the place of the sentence while nothing is wrong; says nothing that the server does not report. */
function CalmNote({ level, derived }: Pick<LevelViewProps, 'level' | 'derived'>) {
  const instant = usePastPart(({ moment }) => moment?.at)
  if (levelStates(level, derived).includes('unknown')) return null
  const { current } = level.limits
  return (
    <Note kind="calm">
      <b>{`${atInstant({ instant }, format)}No request of ${level.name} waits${derived?.recent?.rejected === undefined ? '' : ' or is rejected'}.`}</b>
      <br />
      {current !== undefined && `${format.seats(level.seats.executing)} of ${format.counted(current, 'seat')} in use.`}
    </Note>
  )
}

const SchemaSelect = memo(function SchemaSelect(props: {
  readonly level: LevelFrame
  readonly value: string | undefined
  readonly onChange: (schema: string | undefined) => void
}) {
  const { level, value, onChange } = props
  if (level.schemas.length < 2) return null
  return (
    <select
      className={paneInputClass}
      aria-label="Flow schema of the heat maps"
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
    >
      <option value="">all flow schemas</option>
      {level.schemas.map((schema) => (
        <option key={schema.name}>{schema.name}</option>
      ))}
    </select>
  )
})

/**
 * No sample has arrived for a while: for how long, what is shown instead, when the next attempt is, and a button to
 * retry at once.
 */
function StaleSentence({ server, at }: { readonly server: string; readonly at: number }) {
  const seconds = useViewPart((view) => Math.round(view.ageMs / 1_000))
  const next = useHealth(server)?.nextTryAt
  const tryNow = (): void => {
    ask('sources.tryNow', { server })
      // The badge and the connection screen show the result.
      .catch(() => undefined)
  }
  return (
    <Note kind="warn">
      {`No sample from ${server} for ${format.age(seconds * 1_000)}. Showing the last values from ${format.time(at)}.`}
      {next !== undefined && ` Next try at ${format.time(unixMsOf(next))}.`}{' '}
      <Button small asks="sources.tryNow" onClick={tryNow}>
        Retry now
      </Button>
    </Note>
  )
}

/** What is wrong with the level in the words of the Overview, and its first cause; nothing of old values. */
function useVerdict(props: {
  readonly server: ServerFrame
  readonly level: string
  readonly derived: DerivedServer | undefined
  readonly dump: DumpFrame | undefined
  readonly stale: boolean
}) {
  const { server, level, derived, dump, stale } = props
  const instant = usePastPart(({ moment }) => moment?.at)
  const seen = useMemo(
    () => ({ ...serverNow(server, derived), flow: busiestInDump(dump, level), instant }),
    [server, level, derived, dump, instant],
  )
  const isWrong = !stale && levelHeadline(seen, level, format) !== undefined
  const findings = useFindings(isWrong)
  if (!isWrong) return { said: undefined, finding: undefined }
  return {
    said: levelHeadline({ ...seen, cause: likelyCause(findings) }, level, format),
    finding: findingFor(findings, { server: server.id, level }),
  }
}

/** Notes before the charts: stale demand, no queues, missing families. */
function LevelNotes({ server, level, kind }: { server: ServerFrame; level: LevelFrame; kind: LevelKind }) {
  const absent = server.missing.filter(({ family }) => CHART_FAMILIES.has(family))
  const upper = level.limits.upper
  return (
    <div className="stack gap-8 pad-x pad-y-10 line-below gone-when-empty">
      {kind !== 'exempt' && <HiddenReallocations server={server.id} />}
      {kind === 'rejects' && (
        <Note kind="info">
          This level does not queue: a request that does not fit is answered 429 at once, reason concurrency-limit. A
          request wider than the limit still runs when nothing else does.
          {upper !== undefined &&
            upper > (level.limits.nominal ?? upper) &&
            ' It may still borrow seats on an idle server.'}
        </Note>
      )}
      {level.limits.current === 0 && kind !== 'exempt' && (
        <Note kind="warn">Its limit is 0 seats: every request waits until it times out, or is rejected at once.</Note>
      )}
      {absent.map((entry) => (
        <Note key={entry.family} kind="warn">
          <FamilyNote entry={entry} />
        </Note>
      ))}
    </div>
  )
}

/** Families whose absence empties part of a chart of this screen; separate panes show such a note themselves. */
const CHART_FAMILIES: ReadonlySet<string> = new Set([
  'apiserver_flowcontrol_current_limit_seats',
  'apiserver_flowcontrol_nominal_limit_seats',
  'apiserver_flowcontrol_lower_limit_seats',
  'apiserver_flowcontrol_upper_limit_seats',
  'apiserver_flowcontrol_current_executing_seats',
  'apiserver_flowcontrol_current_inqueue_seats',
  'apiserver_flowcontrol_demand_seats_smoothed',
  'apiserver_flowcontrol_demand_seats_high_watermark',
  'apiserver_flowcontrol_rejected_requests_total',
])

/** What happened in the level during the dragged range. */
const RangeDrawer = memo(function RangeDrawer({ series, level }: { series: Series; level: string }) {
  const range = rangeStore((state) => state.range)
  // A range belongs to the charts of this screen: leaving the screen clears it.
  useEffect(() => clearRange, [])
  if (range === undefined) return null
  const sum = summariseRange(series, level, range)
  return (
    <section className={styles['drawer']} aria-label="Selected range">
      <div className="stack gap-2">
        <span className="mono">{`${format.time(range.from)} – ${format.time(range.to)}`}</span>
        <span className="tiny faint">{`${format.span(sum.seconds)} selected, ${sum.samples} samples`}</span>
      </div>
      <KeyNumbers
        label={`${level} in the selected range`}
        items={[
          { label: 'executing, mean', value: format.seatsAverage(sum.executingMean), unit: 'seats' },
          { label: 'demand, largest', value: format.seats(sum.demandMax), unit: 'seats' },
          { label: 'dispatched', value: approximately(sum.dispatched) },
          {
            label: 'rejected',
            value: approximately(sum.rejected),
            tone: (sum.rejected ?? 0) >= 0.5 ? 'rejected' : undefined,
          },
        ]}
      />
      <div className="flex gap-8 push">
        <Button onClick={zoomToRange}>Zoom to {format.span(sum.seconds)}</Button>
        <Button onClick={clearRange}>Clear selection</Button>
      </div>
    </section>
  )
})

/** Counts are derived from rates at samples, so they are approximate. */
const approximately = (value: number | undefined): string =>
  value === undefined || value === 0 ? format.fixed(value) : `≈ ${format.fixed(value)}`
