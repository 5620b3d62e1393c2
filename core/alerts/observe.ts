import { CATCH_ALL } from '../config/objects.ts'
import type { DerivedServer } from '../frame/derived.ts'
import type { Histogram, LevelFrame, Rejected, ServerFrame } from '../frame/frame.ts'
import { isExempt, REJECT_REASONS, sumOfKnown } from '../frame/reading.ts'
import { histogramIncrease, histogramQuantile } from '../frame/quantile.ts'
import { allRejected, rejectedSince } from '../frame/recent.ts'
import { MS_PER_HOUR, MS_PER_SECOND, unixMsOf, type UnixMs } from '../units.ts'
import type { Evidence, Place, RuleId } from '../contract/alerts.ts'
import { createLookback, type Past } from './lookback.ts'
import { BURNS, isCritical, THRESHOLDS, waitSubject, WINDOWS } from './rules.ts'

/** Whether a condition holds in one sample. What a sample does not contain is not observed. */
export interface Observation {
  readonly rule: RuleId
  readonly place: Place
  readonly holds: boolean
  readonly evidence: readonly Evidence[]
}

/** Totals since the server started. */
interface Totals {
  readonly dispatched: number | undefined
  readonly rejected: Rejected | undefined
  readonly waited: Waited | undefined
}
/**
 * Requests that were executed or timed out in the queue, and those among them that waited no longer than the objective
 * allows.
 */
interface Waited {
  readonly all: number
  readonly prompt: number
}
type ByLevel<T> = ReadonlyMap<string, T>

/** The highest watermark of an hour for each level. */
interface Peaks {
  readonly hour: number
  readonly seats: Map<string, number>
}

/** Turns the frames of one server into observations; keeps only what its windows need. */
export interface Observer {
  take(frame: ServerFrame, derived: DerivedServer): readonly Observation[]
  /** Clears the past: the server restarted, or its clock went back. */
  clear(): void
}

const COUNTED = [
  WINDOWS.rejected,
  WINDOWS.inUse,
  WINDOWS.catchAll,
  ...BURNS.flatMap(({ shortMs, longMs }) => [shortMs, longMs]),
]

export function createObserver(): Observer {
  const counts = new Map([...new Set(COUNTED)].map((ms) => [ms, createLookback<ByLevel<Totals>>(ms)]))
  const utilizations = createLookback<ByLevel<Histogram | undefined>>(WINDOWS.utilization)
  let peaks: Peaks[] = []
  return {
    take(frame, derived) {
      const at = unixMsOf(frame.at)
      const totals = new Map(
        frame.levels.map((level): [string, Totals] => {
          const { name, dispatched, rejected } = level
          return [name, { dispatched, rejected, waited: waitedIn(level) }]
        }),
      )
      const starts = new Map([...counts].map(([ms, lookback]) => [ms, lookback.push(at, totals)]))
      const used = utilizations.push(
        at,
        new Map(frame.levels.map(({ name, seatUtilization }) => [name, seatUtilization])),
      )
      peaks = withPeaks(peaks, frame, at)
      const place = (level?: LevelFrame, subject?: string): Place => ({ server: frame.id, level: level?.name, subject })
      const limited = frame.levels.filter((level) => !isExempt(level))
      // A deleted level keeps its last limits and demand on the page until the server restarts.
      const inUse = (level: LevelFrame): boolean => {
        const past = starts.get(WINDOWS.inUse)
        const { executing = 1, queued = 0 } = level.seats
        return executing > 0 || queued > 0 || past === undefined || offeredSince(level, past) !== 0
      }
      const ofUsed = (level: LevelFrame, observed: readonly Observation[]): readonly Observation[] =>
        inUse(level) ? observed : observed.map((one) => ({ ...one, holds: false }))
      return [
        ...limited.flatMap((level) => [
          ...rejections(level, place, at, starts.get(WINDOWS.rejected)),
          ...full(level, place, used),
          ...waits(level, place, derived),
          ...(derived.torn ? [] : [...ofUsed(level, stillShort(level, place)), ...squeezed(level, place)]),
          ...misSized(level, place, at, peaks),
          ...ofUsed(level, burns(level, place, starts)),
          ...catchAll(level, place, at, starts.get(WINDOWS.catchAll)),
        ]),
        ...(derived.torn ? [] : sums(frame, place())),
        ...exemptShare(frame, place()),
      ]
    },
    clear() {
      for (const lookback of counts.values()) lookback.clear()
      utilizations.clear()
    },
  }
}

type PlaceOf = (level?: LevelFrame, subject?: string) => Place

/** A level without series at the start of the window counts from 0: the server creates them with the first event. */
function rejectedWithin(level: LevelFrame, past: Past<ByLevel<Totals>>): Rejected | undefined {
  const { rejected } = level
  const before = past.value.get(level.name)
  if (rejected === undefined || (before !== undefined && before.rejected === undefined)) return undefined
  return rejectedSince({ rejected }, before)
}

function offeredSince(level: LevelFrame, past: Past<ByLevel<Totals>>): number | undefined {
  const rejected = rejectedWithin(level, past)
  const before = past.value.get(level.name)
  const dispatched =
    level.dispatched === undefined || (before !== undefined && before.dispatched === undefined)
      ? undefined
      : level.dispatched - (before?.dispatched ?? 0)
  return rejected === undefined ? undefined : sumOfKnown([dispatched, allRejected(rejected)])
}

/**
 * Absent where no histogram has a bound at 100 ms, as with native ones: which requests waited longer is unknown then.
 */
function waitedIn({ schemas }: LevelFrame): Waited | undefined {
  const known = schemas.flatMap(({ wait }): Waited[] => {
    const prompt = wait?.counts[wait.bounds.indexOf(THRESHOLDS.promptSeconds)]
    return wait === undefined || prompt === undefined ? [] : [{ all: wait.count, prompt }]
  })
  const total = (of: (waited: Waited) => number): number => known.reduce((sum, one) => sum + of(one), 0)
  return known.length === 0 ? undefined : { all: total(({ all }) => all), prompt: total(({ prompt }) => prompt) }
}

/** The share of requests that waited too long since then; 0 if there were none. */
function lateShare(level: LevelFrame, past: Past<ByLevel<Totals>>): number | undefined {
  const now = waitedIn(level)
  if (now === undefined) return undefined
  const before = past.value.get(level.name)?.waited ?? { all: 0, prompt: 0 }
  const [all, prompt] = [now.all - before.all, now.prompt - before.prompt]
  return all < prompt || prompt < 0 ? undefined : all === 0 ? 0 : 1 - prompt / all
}

function rejectedShare(level: LevelFrame, past: Past<ByLevel<Totals>>): number | undefined {
  const [rejected, offered] = [rejectedWithin(level, past), offeredSince(level, past)]
  if (rejected === undefined || offered === undefined) return undefined
  return offered === 0 ? 0 : allRejected(rejected) / offered
}

function rejections(
  level: LevelFrame,
  place: PlaceOf,
  at: UnixMs,
  past: Past<ByLevel<Totals>> | undefined,
): Observation[] {
  const rejected = past && rejectedWithin(level, past)
  if (past === undefined || rejected === undefined) return []
  // Until the window is full, what happened is spread over all of it: a first burst is not a steady rate.
  const seconds = (past.whole ? at - past.at : Math.max(WINDOWS.rejected, at - past.at)) / MS_PER_SECOND
  return REJECT_REASONS.map((reason) => ({
    rule: 'R1',
    place: place(level, reason),
    holds: rejected[reason] / seconds > THRESHOLDS.rejectedPerSecond,
    evidence: [{ name: `rejected, ${reason}`, value: rejected[reason] / seconds, unit: 'requests/s' }],
  }))
}

function full(level: LevelFrame, place: PlaceOf, past: Past<ByLevel<Histogram | undefined>>): Observation[] {
  const { seatUtilization, limits } = level
  const before = past.value.get(level.name)
  if (seatUtilization === undefined || before === undefined || !past.whole || limits.current === undefined) return []
  const increase = histogramIncrease(seatUtilization, before)
  const p99 = increase === undefined ? Number.NaN : histogramQuantile(0.99, increase)
  if (Number.isNaN(p99)) return []
  return [
    {
      rule: 'R2',
      place: place(level),
      // A single request fills a level of one seat.
      holds: p99 >= THRESHOLDS.utilization && limits.current > 1,
      evidence: [
        { name: 'utilization, p99', value: p99, unit: 'ratio' },
        { name: 'current limit', value: limits.current, unit: 'seats' },
      ],
    },
  ]
}

function waits(level: LevelFrame, place: PlaceOf, { levels, noRates }: DerivedServer): Observation[] {
  if (!isCritical(level.name) || (noRates !== undefined && noRates !== 'gap')) return []
  const { waitP99: wait, waitP99Range: range } = levels.find(({ name }) => name === level.name) ?? {}
  return [
    {
      rule: 'R3',
      place: place(level),
      holds: wait !== undefined && wait > THRESHOLDS.waitSeconds,
      evidence:
        wait === undefined ? [] : [{ name: 'wait, p99', value: wait, unit: 'seconds', ...(range && { range }) }],
    },
  ]
}

function stillShort(level: LevelFrame, place: PlaceOf): Observation[] {
  const { current, upper } = level.limits
  const { smoothed } = level.demand
  if (current === undefined || upper === undefined || smoothed === undefined) return []
  return [
    {
      rule: 'R4',
      place: place(level),
      holds: current >= THRESHOLDS.ofUpperLimit * upper && smoothed > current,
      evidence: [
        { name: 'smoothed demand', value: smoothed, unit: 'seats' },
        { name: 'current limit', value: current, unit: 'seats' },
        { name: 'upper limit', value: upper, unit: 'seats' },
      ],
    },
  ]
}

function squeezed(level: LevelFrame, place: PlaceOf): Observation[] {
  const { current, lower, nominal } = level.limits
  const { queued } = level.requests
  if (current === undefined || lower === undefined || nominal === undefined || queued === undefined) return []
  return [
    {
      rule: 'R5',
      place: place(level),
      holds: current <= lower && lower < nominal && queued > 0,
      evidence: [
        { name: 'current limit', value: current, unit: 'seats' },
        { name: 'nominal limit', value: nominal, unit: 'seats' },
        { name: 'queued', value: queued, unit: 'requests' },
      ],
    },
  ]
}

/**
 * Servers give the limited levels all nominal seats, or those that the exempt level leaves (spec 6.4). Each limit is
 * rounded by less than one seat, so the sums differ by fewer seats than there are levels.
 */
function sums({ levels }: ServerFrame, place: Place): Observation[] {
  const currentOf = (some: readonly LevelFrame[]) => sumOfKnown(some.map(({ limits }) => limits.current))
  const limited = currentOf(levels.filter((level) => !isExempt(level)))
  const whole = currentOf(levels)
  const nominal = sumOfKnown(levels.map(({ limits }) => limits.nominal))
  if (levels.length === 0 || limited === undefined || whole === undefined || nominal === undefined) return []
  return [
    {
      rule: 'R6',
      place,
      holds: Math.max(limited - nominal, nominal - whole) >= levels.length,
      evidence: [
        { name: 'sum of current limits without exempt', value: limited, unit: 'seats' },
        { name: 'with exempt', value: whole, unit: 'seats' },
        { name: 'sum of nominal limits', value: nominal, unit: 'seats' },
      ],
    },
  ]
}

function catchAll(
  level: LevelFrame,
  place: PlaceOf,
  at: UnixMs,
  past: Past<ByLevel<Totals>> | undefined,
): Observation[] {
  if (level.name !== CATCH_ALL || past === undefined || at === past.at) return []
  const offered = offeredSince(level, past)
  if (offered === undefined) return []
  return [
    {
      rule: 'R9',
      place: place(level),
      holds: offered > 0,
      evidence: [{ name: 'received', value: offered, unit: 'requests' }],
    },
  ]
}

function exemptShare({ levels }: ServerFrame, place: Place): Observation[] {
  const all = sumOfKnown(levels.map(({ seats }) => seats.executing))
  const exempt = levels.find(isExempt)?.seats.executing
  if (all === undefined || exempt === undefined) return []
  const share = all === 0 ? 0 : exempt / all
  return [
    {
      rule: 'R10',
      place,
      holds: share > THRESHOLDS.exemptShare && exempt >= THRESHOLDS.exemptSeats,
      evidence: [
        { name: 'executing, exempt', value: exempt, unit: 'seats' },
        { name: 'executing, all', value: all, unit: 'seats' },
      ],
    },
  ]
}

/** The peaks, including those of a frame; nothing older than the window is kept. */
function withPeaks(peaks: readonly Peaks[], { levels }: ServerFrame, at: UnixMs): Peaks[] {
  const hour = Math.floor(at / MS_PER_HOUR)
  const kept = peaks.filter((one) => one.hour <= hour && one.hour >= hour - WINDOWS.sizing / MS_PER_HOUR)
  const last = kept.at(-1)
  const now = last?.hour === hour ? last : { hour, seats: new Map<string, number>() }
  for (const { name, demand } of levels) {
    if (demand.highWatermark === undefined) continue
    now.seats.set(name, Math.max(demand.highWatermark, now.seats.get(name) ?? 0))
  }
  return now === last ? kept : [...kept, now]
}

function misSized(level: LevelFrame, place: PlaceOf, at: UnixMs, peaks: readonly Peaks[]): Observation[] {
  const { nominal } = level.limits
  const [first] = peaks
  if (nominal === undefined || nominal === 0 || first === undefined) return []
  if (!first.seats.has(level.name) || at - first.hour * MS_PER_HOUR < WINDOWS.sizing) return []
  const most = Math.max(...peaks.map(({ seats }) => seats.get(level.name) ?? 0))
  const evidence: Evidence[] = [
    { name: 'highest demand', value: most, unit: 'seats' },
    { name: 'nominal limit', value: nominal, unit: 'seats' },
  ]
  return [
    { rule: 'R11', place: place(level, 'large'), holds: most < THRESHOLDS.leastUsed * nominal, evidence },
    { rule: 'R11', place: place(level, 'small'), holds: most > THRESHOLDS.mostUsed * nominal, evidence },
  ]
}

function burns(level: LevelFrame, place: PlaceOf, starts: ReadonlyMap<number, Past<ByLevel<Totals>>>): Observation[] {
  return BURNS.flatMap(({ name, times, shortMs, longMs }): Observation[] => {
    const most = times * (1 - THRESHOLDS.objective)
    const observed = (
      subject: string,
      word: string,
      shareSince: (level: LevelFrame, past: Past<ByLevel<Totals>>) => number | undefined,
    ): Observation[] => {
      const [short, long] = [shortMs, longMs].map((ms) => {
        const past = starts.get(ms)
        return past?.whole === true ? shareSince(level, past) : undefined
      })
      if (short === undefined || long === undefined) return []
      return [
        {
          rule: 'R12',
          place: place(level, subject),
          holds: short > most && long > most,
          evidence: [
            { name: `${word}, short window`, value: short, unit: 'ratio' },
            { name: `${word}, long window`, value: long, unit: 'ratio' },
          ],
        },
      ]
    }
    return [
      ...observed(name, 'rejected', rejectedShare),
      ...observed(waitSubject(name), 'waited longer than 100 ms', lateShare),
    ]
  })
}
