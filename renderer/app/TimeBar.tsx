import { useEffect, useMemo, useState, type PointerEvent } from 'react'
import { MS_PER_DAY, MS_PER_SECOND } from '../../core/units.ts'
import { Button } from '../components/Button.tsx'
import { ProblemNote } from '../components/States.tsx'
import { TimeTicks, useSize } from '../charts/plot.tsx'
import { timeOfX, xOfTime, type Plot, type TimeDomain } from '../charts/plot.data.ts'
import { client } from '../state/client.ts'
import { useConnected } from '../state/connection.ts'
import { pastStore, usePastPart } from '../state/past.ts'
import { useSeries } from '../state/series.ts'
import { instantOf, timeStore, useTimePart } from '../state/time.ts'
import { useViewPart } from '../state/view.ts'
import { format } from '../theme/format.ts'
import { barsOf, stripDomain, type Bar } from './timeBar.data.ts'
import { EventMarks, eventMarks, type EventMark } from '../charts/EventMarks.tsx'
import { useServerMarks } from '../state/marks.ts'
import { LastStep, RunSteps } from './RunSteps.tsx'
import styles from './TimeBar.module.css'

/** The speeds of replay. */
export const SPEEDS: readonly number[] = [0.1, 0.5, 1, 2, 5, 10, 60, 300, 1_000]
/** Between two instants of a replay. */
const TICK_MS = 100
/** After a longer one, as of a page that was hidden, time goes on from where it stood. */
const LONGEST_TICK_MS = 1_000
const STEP_MS = 10_000
const STRIP_POINTS = 288

/** The recorded day, the shown range in it, and the instant that every screen shows. */
export function TimeBar() {
  const instant = useTimePart(instantOf)
  const problem = usePastPart((past) => past.problem)
  if (instant === undefined) return null
  return (
    <section className={styles['bar']} aria-label="Time">
      {problem === undefined ? (
        <Recorded instant={instant} />
      ) : (
        <div className={styles['problem']}>
          <ProblemNote
            problem={{
              ...problem,
              message: `Charts show the range, everything else the present. ${problem.message}`,
            }}
          />
        </div>
      )}
    </section>
  )
}

function Recorded({ instant }: { readonly instant: number }) {
  const extent = usePastPart((past) => past.extent)
  const from = useTimePart((time) => time.from)
  const to = useTimePart((time) => time.to)
  const domain = useMemo(() => stripDomain(extent, instant, MS_PER_DAY), [extent, instant])
  const { from: start, to: end } = domain
  const strip = useStrip(start, end)
  const shown = useSeries()
  const spec = useConnected()?.spec
  const run = spec?.kind === 'run' ? spec.of : undefined
  const marks = useServerMarks()
  const drawn = useMemo(() => eventMarks(marks), [marks])
  const lost = extent?.gaps.length ?? 0
  const { first = start, last = end } = extent ?? {}
  return (
    <>
      <div className={styles['about']}>
        <b>
          {extent === undefined
            ? `Opening the ${run === undefined ? 'recording' : 'run'}`
            : `${format.span((last - first) / MS_PER_SECOND)} ${run === undefined ? 'recorded' : 'run'}`}
        </b>
        {run !== undefined && <LastStep instant={instant} />}
        <span>
          {lost === 0 ? 'no gaps' : lost === 1 ? '1 gap' : `${lost} gaps`}
          {extent !== undefined && extent.problems.length > 0 && ', parts cannot be read'}
        </span>
        <span className={styles['key']}>
          <i className={styles['rejected']} /> rejected <i className={styles['queued']} /> queued
        </span>
      </div>
      <div className={styles['tracks']}>
        <Track
          name="Recorded time"
          className={styles['strip']}
          domain={domain}
          bars={strip}
          instant={instant}
          range={{ from, to }}
          gaps={extent?.gaps ?? []}
        />
        <Track
          name="Shown range"
          className={styles['loupe']}
          domain={{ from, to }}
          bars={useMemo(() => (shown === undefined ? [] : barsOf(shown)), [shown])}
          instant={instant}
          gaps={extent?.gaps ?? []}
          marks={drawn}
        />
      </div>
      <div className={styles['controls']}>
        <Replay instant={instant} last={last} marks={drawn} />
        {run !== undefined && <RunSteps of={run} />}
      </div>
    </>
  )
}

/** Queued and rejected of all levels over the strip; what was read before stays until the next has come. */
function useStrip(from: number, to: number): readonly Bar[] {
  const connection = usePastPart((past) => past.connection)
  const server = useViewPart((view) => view.server?.id)
  const [bars, setBars] = useState<readonly Bar[]>([])
  useEffect(() => {
    if (connection === undefined || server === undefined) return undefined
    let gone = false
    const read = async (): Promise<void> => {
      const series = await client().call('history.series', { connection, server, from, to, maxPoints: STRIP_POINTS })
      if (!gone) setBars(barsOf(series))
    }
    // The strip is a way to find an instant; the moment itself says why it cannot be read.
    void read().catch(() => undefined)
    return () => {
      gone = true
    }
  }, [connection, server, from, to])
  return bars
}

interface TrackProps {
  readonly name: string
  readonly className: string | undefined
  readonly domain: TimeDomain
  readonly bars: readonly Bar[]
  readonly instant: number
  readonly range?: TimeDomain
  readonly gaps: readonly TimeDomain[]
  readonly marks?: readonly EventMark[]
}

const TICKS = 16
/** Pixels. */
const EDGE = 8

/** A stretch of time with what happened in it; pointer and arrow keys choose the instant. */
function Track({ name, className, domain, bars, instant, range, gaps, marks }: TrackProps) {
  const [box, { width, height }] = useSize()
  const plot: Plot = { width, height, left: EDGE, right: EDGE, top: 2, bottom: TICKS }
  const foot = height - TICKS
  const x = (at: number): number => xOfTime(plot, domain, at)
  const choose = (event: PointerEvent): void => {
    const left = event.currentTarget.getBoundingClientRect().left
    timeStore.getState().goTo(Math.round(timeOfX(plot, domain, event.clientX - left)))
  }
  return (
    <div
      ref={box}
      className={className}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        choose(event)
      }}
      onPointerMove={(event) => event.buttons === 1 && choose(event)}
    >
      <svg width={width} height={height} aria-hidden="true" focusable="false">
        {gaps.map((gap) => (
          <rect
            key={gap.from}
            className={styles['gap']}
            x={x(gap.from)}
            width={Math.max(1, x(gap.to) - x(gap.from))}
            y={2}
            height={Math.max(0, foot - 2)}
          />
        ))}
        <Bars bars={bars} x={x} foot={foot} />
        <line className={styles['axis']} x1={EDGE} x2={width - EDGE} y1={foot + 0.5} y2={foot + 0.5} />
        <TimeTicks plot={plot} domain={domain} />
        {range !== undefined && (
          <rect
            className={styles['range']}
            x={x(range.from)}
            width={Math.max(3, x(range.to) - x(range.from))}
            y={1}
            height={Math.max(0, foot - 1)}
          />
        )}
        {marks !== undefined && width > 0 && <EventMarks marks={marks} domain={domain} plot={plot} />}
        <path className={styles['handle']} d={`M${x(instant)} ${foot}V1m-4 0h8`} />
      </svg>
      <input
        className="sr-only"
        type="range"
        aria-label={`Instant in the ${name.toLowerCase()}`}
        min={domain.from}
        max={domain.to}
        step={MS_PER_SECOND}
        value={instant}
        aria-valuetext={format.dateTime(instant)}
        onKeyDown={(event) => {
          event.stopPropagation()
          const steps = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
          if (steps === undefined) return
          // The input's own steps begin at its least value, and would move the instant by less than a second first.
          event.preventDefault()
          if (event.altKey) goToMark(marks ?? [], instant, steps)
          else timeStore.getState().goTo(instant + steps * (event.shiftKey ? STEP_MS : MS_PER_SECOND))
        }}
        onChange={({ target }) => timeStore.getState().goTo(Number(target.value))}
      />
    </div>
  )
}

/** Each kind on a scale of its own: that something was rejected matters more than how much was queued beside it. */
function Bars(props: { readonly bars: readonly Bar[]; readonly x: (at: number) => number; readonly foot: number }) {
  const { bars, x, foot } = props
  const path = (value: (bar: Bar) => number): string => {
    const most = Math.max(1, ...bars.map(value))
    return bars
      .filter((bar) => value(bar) > 0)
      .map((bar) => {
        const height = Math.max(2, ((foot - 4) * value(bar)) / most)
        const left = x(bar.from)
        return `M${left.toFixed(1)} ${foot}v${(-height).toFixed(1)}h${Math.max(1, x(bar.to) - left).toFixed(1)}v${height.toFixed(1)}z`
      })
      .join('')
  }
  return (
    <>
      <path className={styles['queued']} d={path(({ queued }) => queued)} />
      <path className={styles['rejected']} d={path(({ rejected }) => rejected)} />
    </>
  )
}

/** The mark before or after an instant. */
function goToMark(marks: readonly EventMark[], instant: number, steps: number): void {
  const [before, after] = [marks.filter(({ at }) => at < instant), marks.filter(({ at }) => at > instant)]
  const found = steps < 0 ? Math.max(...before.map(({ at }) => at)) : Math.min(...after.map(({ at }) => at))
  if (Number.isFinite(found)) timeStore.getState().goTo(found)
}

/** Steps, and time that goes on by itself. */
function Replay(props: { readonly instant: number; readonly last: number; readonly marks: readonly EventMark[] }) {
  const { instant, last, marks } = props
  const [playing, setPlaying] = useState(false)
  const [speed, setSpeed] = useState(1)
  const atEnd = instant >= last
  useEffect(() => {
    if (!playing) return undefined
    let ticked = performance.now()
    const timer = setInterval(() => {
      // A busy page ticks late, and is not to replay more slowly for that.
      const passed = Math.min(performance.now() - ticked, LONGEST_TICK_MS)
      ticked = performance.now()
      const now = instantOf(timeStore.getState())
      if (now === undefined) return
      const next = Math.min(last, now + passed * speed)
      timeStore.getState().goTo(next)
      if (next >= last) setPlaying(false)
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [playing, speed, last])
  const step = (ms: number): void => timeStore.getState().goTo(instant + ms)
  const gap = pastStore.getState().moment?.gap
  return (
    <div className={styles['replay']}>
      <div role="group" aria-label="Step">
        <Button small onClick={() => step(-STEP_MS)}>
          −10 s
        </Button>
        <Button small onClick={() => step(STEP_MS)}>
          +10 s
        </Button>
        {marks.length > 0 && (
          <>
            <Button small onClick={() => goToMark(marks, instant, -1)}>
              Previous mark
            </Button>
            <Button small onClick={() => goToMark(marks, instant, 1)}>
              Next mark
            </Button>
          </>
        )}
        {gap?.after !== undefined && (
          <Button small onClick={() => timeStore.getState().goTo(gap.after ?? instant)}>
            Next sample
          </Button>
        )}
      </div>
      <div role="group" aria-label="Replay">
        <Button small aria-pressed={playing} disabled={atEnd && !playing} onClick={() => setPlaying(!playing)}>
          {playing ? 'Hold' : 'Replay'}
        </Button>
        <select aria-label="Speed of replay" value={speed} onChange={({ target }) => setSpeed(Number(target.value))}>
          {SPEEDS.map((one) => (
            <option key={one} value={one}>
              ×{one}
            </option>
          ))}
        </select>
      </div>
    </div>
  )
}
