import { rounded } from '../../core/text/format.ts'
import { memo, useCallback, useEffect, useMemo, useRef, useState, type PointerEvent } from 'react'
import type { Extent } from '../../core/contract/recording.ts'
import { barsOf, type Bar } from '../../core/history/bars.ts'
import type { PageName, ScreenName } from '../../core/contract/screens.ts'
import { MS_PER_DAY, MS_PER_MINUTE, MS_PER_SECOND } from '../../core/units.ts'
import { Button } from '../components/Button.tsx'
import { Note, ProblemNote } from '../components/States.tsx'
import { TimeTicks, useSize } from '../charts/plot.tsx'
import { timeOfX, xOfTime, type Plot, type TimeDomain } from '../../core/text/plot.ts'
import { onAnswer } from '../state/answer.ts'
import { client } from '../state/client.ts'
import { useConnected } from '../state/connection.ts'
import { usePastPart } from '../state/past.ts'
import { useRoute } from '../state/route.ts'
import { useSeries } from '../state/series.ts'
import { instantOf, timeStore, useTimePart, type TimeState } from '../state/time.ts'
import { useViewPart } from '../state/view.ts'
import { format } from '../theme/format.ts'
import { clipped, draggedRange, gripAt, stripDomain, type Grip } from './timeBar.data.ts'
import { EventMarks, eventMarks } from '../charts/EventMarks.tsx'
import type { EventMark } from '../../core/text/marks.ts'
import { useServerMarks } from '../state/marks.ts'
import { useWheel } from '../charts/wheel.ts'
import { LastStep, RunSteps } from './RunSteps.tsx'
import styles from './TimeBar.module.css'

/** The replay speeds. */
export const SPEEDS: readonly number[] = [0.1, 0.5, 1, 2, 5, 10, 60, 300, 1_000]
/** Between two instants of a replay. */
const TICK_MS = 100
/** After a longer tick, such as one of a hidden page, replay continues from where it stood. */
const LONGEST_TICK_MS = 1_000
const STEP_MS = 10_000
const STRIP_POINTS = 288

/** The recorded day, the range shown in it, and the instant that every screen shows. */
export function TimeBar() {
  const isFixed = useTimePart((time) => instantOf(time) !== undefined)
  // A file shows all of its data at once.
  const isFile = useConnected()?.source.kind === 'file'
  const problem = usePastPart((past) => past.problem)
  const { screen, page = screen } = useRoute()
  if (!isFixed || isFile) return null
  if (TIMELESS.has(page)) return null
  const present = OF_THE_PRESENT[page]
  if (present !== undefined) {
    return (
      <section className="rigid pad-x pad-y-6" aria-label="Time">
        <Note kind="info">{present}</Note>
      </section>
    )
  }
  return (
    <section className={styles['bar']} aria-label="Time">
      {page === 'draft' && (
        <div className="across">
          <Note kind="info">{OF_THE_DRAFT}</Note>
        </div>
      )}
      {problem === undefined ? (
        <>
          <Opening />
          <Recorded />
        </>
      ) : (
        <div className="across">
          <ProblemNote
            problem={{
              ...problem,
              message: `Charts show the range; everything else shows the present. ${problem.message}`,
            }}
          />
        </div>
      )}
    </section>
  )
}

const OTHERS = 'Other screens show the instant selected in the time bar.'

const TIMELESS: ReadonlySet<ScreenName | PageName> = new Set(['settings', 'scenarios'])

/** Screens that only show the present, and the note that each of them has in place of the bar. */
const OF_THE_PRESENT: Readonly<Partial<Record<ScreenName | PageName, string>>> = {
  fleet: `Fleet shows the present. ${OTHERS}`,
  connection: `Connection shows the present. ${OTHERS}`,
  recordings: `Recordings lists the current recordings. ${OTHERS}`,
  runs: `What-if uses the newest objects and requests. ${OTHERS}`,
  journal: `Journal lists all edits up to now. ${OTHERS}`,
}

const OF_THE_DRAFT =
  'The draft uses the newest objects, its forecast the newest requests. Demand and limits next to it are those of the selected instant.'

/** Shown while the instant is being read; over the screen, because that takes only a moment. */
function Opening() {
  const isOpening = usePastPart(({ moment }) => moment === undefined)
  return isOpening ? (
    <div className={styles['opening']}>
      <Note kind="info">Charts show the range; everything else still shows the present.</Note>
    </div>
  ) : null
}

/** Only the parts that depend on the instant render when it moves; everything else depends on the day or the range. */
function Recorded() {
  const extent = usePastPart((past) => past.extent)
  const from = useTimePart((time) => time.from)
  const to = useTimePart((time) => time.to)
  const range = useMemo(() => ({ from, to }), [from, to])
  const spec = useConnected()?.spec
  const run = spec?.kind === 'run' ? spec.of : undefined
  const [domain, hold] = useStripDomain(extent, run !== undefined)
  const { from: start, to: end } = domain
  const strip = useStrip(start, end)
  const shown = useSeries()
  const marks = useServerMarks()
  const drawn = useMemo(() => eventMarks(marks), [marks])
  const bars = useMemo(() => (shown === undefined ? NO_BARS : barsOf(shown)), [shown])
  const gaps = extent?.gaps ?? NO_GAPS
  const lost = gaps.length
  const { first = start, last = end } = extent ?? {}
  return (
    <>
      <div className={styles['about']}>
        <b className="normal ink">
          {extent === undefined
            ? `Opening the ${run === undefined ? 'recording' : 'run'}`
            : `${format.span((last - first) / MS_PER_SECOND)} ${run === undefined ? 'recorded' : 'run'}`}
        </b>
        {run !== undefined && <LastStep />}
        <span>
          {lost === 0 ? 'no gaps' : format.counted(lost, 'gap')}
          {extent !== undefined && extent.problems.length > 0 && ', parts cannot be read'}
        </span>
        <span className={styles['key']}>
          <i className={styles['rejected']} /> rejected <i className={styles['queued']} /> queued
        </span>
      </div>
      <div className="stack gap-2 shrink-x">
        <Track
          name="Recorded time"
          className={styles['strip']}
          domain={domain}
          bars={strip}
          range={range}
          gaps={gaps}
          onHold={hold}
        />
        <Track name="Shown range" className={styles['loupe']} domain={range} bars={bars} gaps={gaps} marks={drawn} />
      </div>
      <div className={styles['controls']}>
        <Replay last={last} marks={drawn} />
        {run !== undefined && <RunSteps of={run} />}
      </div>
    </>
  )
}

const NO_BARS: readonly Bar[] = []
const NO_GAPS: readonly TimeDomain[] = []

/** The span of the strip, and a function that freezes it while a pointer drags over it. */
function useStripDomain(extent: Extent | undefined, isRun: boolean): [TimeDomain, (isHeld: boolean) => void] {
  const wanted = (time: TimeState): TimeDomain =>
    stripDomain(extent, instantOf(time) ?? time.to, MS_PER_DAY, isRun ? MS_PER_SECOND : MS_PER_MINUTE)
  const start = useTimePart((time) => wanted(time).from)
  const end = useTimePart((time) => wanted(time).to)
  const newest = useMemo(() => ({ from: start, to: end }), [start, end])
  const [held, setHeld] = useState<TimeDomain>()
  return [held ?? newest, (isHeld) => setHeld(isHeld ? newest : undefined)]
}

/** Queued and rejected of all levels over the strip; the previous answer stays until the next one arrives. */
function useStrip(from: number, to: number): readonly Bar[] {
  const connection = usePastPart((past) => past.connection)
  const server = useViewPart((view) => view.server?.id)
  const [bars, setBars] = useState<readonly Bar[]>([])
  useEffect(() => {
    if (connection === undefined || server === undefined) return undefined
    // The strip is a way to find an instant; the moment itself reports why it cannot be read.
    return onAnswer(
      () => client().call('history.series', { connection, server, from, to, maxPoints: STRIP_POINTS }),
      (series) => setBars(barsOf(series)),
    )
  }, [connection, server, from, to])
  return bars
}

interface TrackProps {
  readonly name: string
  readonly className: string | undefined
  readonly domain: TimeDomain
  readonly bars: readonly Bar[]
  readonly range?: TimeDomain
  readonly gaps: readonly TimeDomain[]
  readonly marks?: readonly EventMark[]
  /** Called when a pointer starts to drag over it, and when it is released. */
  readonly onHold?: (isHeld: boolean) => void
}

const TICKS = 16
/** Pixels. */
const EDGE = 8
/** Words of marks stand above the bars. */
const MARK_ROW = 16

/** Pixels that a pointer may move while pressed; less is not a drag. */
const STILL = 3

interface Held {
  readonly grip: Grip
  /** Where the pointer was pressed, in CSS pixels. */
  readonly x: number
  readonly moved: boolean
}

/**
 * A stretch of time with its events; pointer and arrow keys choose the instant. Dragging the body of the range box
 * moves it, dragging an edge resizes it; the shown range changes on release.
 */
function Track({ name, className, domain, bars, range, gaps, marks = NO_MARKS, onHold }: TrackProps) {
  const [measure, { width, height }] = useSize()
  const box = useRef<HTMLDivElement>(null)
  const ref = useCallback(
    (element: HTMLDivElement | null) => {
      box.current = element
      measure(element)
    },
    [measure],
  )
  const plot = useMemo((): Plot => ({ width, height, left: EDGE, right: EDGE, top: 2, bottom: TICKS }), [width, height])
  const instantAt = (clientX: number): number =>
    Math.round(timeOfX(plot, domain, clientX - (box.current?.getBoundingClientRect().left ?? 0)))
  useWheel({ box, instantAt, always: true })
  // Measured when the pointer enters or presses: measuring makes the page lay out the changes of the last instant.
  const left = useRef(0)
  const timeAt = (clientX: number): number => Math.round(timeOfX(plot, domain, clientX - left.current))
  const choose = (clientX: number): void => timeStore.getState().goTo(timeAt(clientX))
  const held = useRef<Held>(undefined)
  const [dragged, setDragged] = useState<TimeDomain>()
  const gripOf = ({ clientX }: PointerEvent): Grip | undefined =>
    range && gripAt(plot, domain, range, clientX - left.current)
  const drag = ({ clientX }: PointerEvent, { grip, x, moved }: Held): void => {
    if (range === undefined || (!moved && Math.abs(clientX - x) <= STILL)) return
    held.current = { grip, x, moved: true }
    setDragged(draggedRange(range, grip, timeAt(clientX) - timeAt(x), domain))
  }
  const letGo = (): void => {
    onHold?.(false)
    const { current } = held
    held.current = undefined
    setDragged(undefined)
    if (current?.moved === false) choose(current.x)
    if (current === undefined || range === undefined || dragged === undefined) return
    const { pan, zoom } = timeStore.getState()
    if (current.grip === 'body') pan((dragged.from - range.from) / (range.to - range.from))
    else zoom(dragged.from, dragged.to)
  }
  return (
    <div
      ref={ref}
      className={className}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        left.current = event.currentTarget.getBoundingClientRect().left
        onHold?.(true)
        const grip = gripOf(event)
        if (grip === undefined) choose(event.clientX)
        else held.current = { grip, x: event.clientX, moved: false }
      }}
      onPointerEnter={(event) => (left.current = event.currentTarget.getBoundingClientRect().left)}
      onPointerMove={(event) => {
        const { current } = held
        if (current !== undefined) drag(event, current)
        else if (event.buttons === 1) choose(event.clientX)
        else event.currentTarget.style.cursor = CURSORS[gripOf(event) ?? 'none']
      }}
      onLostPointerCapture={letGo}
    >
      <Drawn plot={plot} domain={domain} bars={bars} range={dragged ?? range} gaps={gaps} marks={marks} />
      <Instant name={name} plot={plot} domain={domain} marks={marks} />
    </div>
  )
}

const CURSORS = { from: 'col-resize', to: 'col-resize', body: 'grab', none: '' } as const

const NO_MARKS: readonly EventMark[] = []

interface DrawnProps extends Required<Pick<TrackProps, 'domain' | 'bars' | 'gaps' | 'marks'>> {
  readonly plot: Plot
  readonly range: TimeDomain | undefined
}

/** What a track shows regardless of the chosen instant. */
const Drawn = memo(function Drawn({ plot, domain, bars, range, gaps, marks }: DrawnProps) {
  const { width, height } = plot
  const foot = height - TICKS
  const x = (at: number): number => xOfTime(plot, domain, at)
  return (
    <svg width={width} height={height} aria-hidden="true" focusable="false">
      {clipped(gaps, domain).map((gap) => (
        <rect
          key={gap.from}
          className="fill-band"
          x={x(gap.from)}
          width={Math.max(1, x(gap.to) - x(gap.from))}
          y={2}
          height={Math.max(0, foot - 2)}
        />
      ))}
      <Bars bars={clipped(bars, domain)} x={x} top={marks.length > 0 ? MARK_ROW : 4} foot={foot} />
      <line className="stroke-strong" x1={EDGE} x2={width - EDGE} y1={foot + 0.5} y2={foot + 0.5} />
      <TimeTicks plot={plot} domain={domain} />
      {range !== undefined && (
        <rect
          className="fill-none stroke-text"
          x={x(range.from)}
          width={Math.max(3, x(range.to) - x(range.from))}
          y={1}
          height={Math.max(0, foot - 1)}
        />
      )}
      {width > 0 && <EventMarks marks={marks} domain={domain} plot={plot} textY={10} />}
    </svg>
  )
})

interface InstantProps {
  readonly name: string
  readonly plot: Plot
  readonly domain: TimeDomain
  readonly marks: readonly EventMark[]
}

/** The handle of a track. It moves with every pointer event, on its own layer, so that nothing else repaints. */
function Instant({ name, plot, domain, marks }: InstantProps) {
  const instant = useTimePart(instantOf) ?? domain.to
  return (
    <>
      <div
        className={styles['handle']}
        style={{
          transform: `translateX(${xOfTime(plot, domain, instant)}px)`,
          height: Math.max(0, plot.height - TICKS),
        }}
      />
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
          // The input's own steps start at its minimum and would first move the instant by less than a second.
          event.preventDefault()
          if (event.altKey) goToMark(marks, steps)
          else moveInstant(steps * (event.shiftKey ? STEP_MS : MS_PER_SECOND))
        }}
        onChange={({ target }) => timeStore.getState().goTo(Number(target.value))}
      />
    </>
  )
}

/** Moves the shown instant, if there is one. */
function moveInstant(ms: number): void {
  const time = timeStore.getState()
  const instant = instantOf(time)
  if (instant !== undefined) time.goTo(instant + ms)
}

/** Each kind has its own scale: that something was rejected matters more than how much was queued at the same time. */
function Bars(props: {
  readonly bars: readonly Bar[]
  readonly x: (at: number) => number
  readonly top: number
  readonly foot: number
}) {
  const { bars, x, top, foot } = props
  const path = (value: (bar: Bar) => number): string => {
    const most = Math.max(1, ...bars.map(value))
    return bars
      .filter((bar) => value(bar) > 0)
      .map((bar) => {
        const height = Math.max(2, ((foot - top) * value(bar)) / most)
        const left = x(bar.from)
        return `M${rounded(left, 1)} ${foot}v${rounded(-height, 1)}h${rounded(Math.max(1, x(bar.to) - left), 1)}v${rounded(height, 1)}z`
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

/** The mark before or after the shown instant. */
function goToMark(marks: readonly EventMark[], steps: number): void {
  const instant = instantOf(timeStore.getState())
  if (instant === undefined) return
  const [before, after] = [marks.filter(({ at }) => at < instant), marks.filter(({ at }) => at > instant)]
  const found = steps < 0 ? Math.max(...before.map(({ at }) => at)) : Math.min(...after.map(({ at }) => at))
  if (Number.isFinite(found)) timeStore.getState().goTo(found)
}

/** Steps, and automatic replay. */
function Replay({ last, marks }: { readonly last: number; readonly marks: readonly EventMark[] }) {
  const [playing, setPlaying] = useState(false)
  const [speed, setSpeed] = useState(1)
  const atEnd = useTimePart((time) => (instantOf(time) ?? last) >= last)
  const after = usePastPart(({ moment }) => moment?.gap?.after)
  useEffect(() => {
    if (!playing) return undefined
    let ticked = performance.now()
    const timer = setInterval(() => {
      // A busy page ticks late, which must not slow the replay down.
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
  return (
    <div className={styles['replay']}>
      <div role="group" aria-label="Step">
        <Button small onClick={() => moveInstant(-STEP_MS)}>
          −10 s
        </Button>
        <Button small onClick={() => moveInstant(STEP_MS)}>
          +10 s
        </Button>
        <Button small disabled={marks.length === 0} onClick={() => goToMark(marks, -1)}>
          Previous mark
        </Button>
        <Button small disabled={marks.length === 0} onClick={() => goToMark(marks, 1)}>
          Next mark
        </Button>
        <Button
          small
          disabled={after === undefined}
          onClick={() => after !== undefined && timeStore.getState().goTo(after)}
        >
          Next sample
        </Button>
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
