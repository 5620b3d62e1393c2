import { plain } from '../text/format.ts'
import type { ChangedOutcome, DecisionDifferences as ReportedDifferences } from '../contract/whatif.ts'
import { nsToMs, nsToSeconds, type Nanoseconds, type Seats } from '../units.ts'
import type { Arrival, Arrivals } from './arrivals.ts'
import type { Decided, Decisions } from './decisions.ts'
import { type LevelNow, Replay } from './replay.ts'
import { isSent, type Variant } from './variant.ts'
import { isWithoutLevels } from '../frame/reading.ts'

/** How the decisions of a candidate differ from those of the baseline on the same requests. */
export interface DecisionDifferences extends ReportedDifferences {
  readonly first?: ExplainedDifference
}

/** One request that two variants decide differently, and the state of each at that instant. */
interface ExplainedDifference {
  /** Its index in the list of arrivals. */
  readonly index: number
  /** Time of the decision, seconds since the start. */
  readonly seconds: number
  readonly request: {
    readonly verb: string
    readonly path: string
    readonly user: string
    /** In the baseline. */
    readonly level: string
    readonly arrivedSeconds: number
  }
  readonly baseline: DifferenceSide
  readonly candidate: DifferenceSide
  /** The same in sentences. */
  readonly explanation: readonly string[]
}

export interface DifferenceSide {
  readonly level: string
  readonly schema: string
  /** `waiting`: not decided at that instant. */
  readonly decision: NonNullable<Decided['outcome']> | 'waiting'
  readonly waitedMs: number
  /** Seats that it occupies. */
  readonly seats: Seats
  /** The level immediately before the decision. Absent where no levels limit requests. */
  readonly before?: LevelNow
}

/** More would not be read one by one. */
const MOST_CHANGED = 200

const isRejected = ({ outcome }: Decided): boolean =>
  outcome !== undefined && outcome !== 'dispatched' && outcome !== 'bypassed'

const samePlace = (a: Decided, b: Decided): boolean => a.level === b.level && a.schema === b.schema

/** When the two start to differ about a request; `Infinity` if they do not. */
function differNs(arrival: Arrival, a: Decided, b: Decided, comparesPlaces: boolean): Nanoseconds {
  const atOnce = a.atOnce !== b.atOnce || (a.atOnce && a.outcome !== b.outcome)
  if (atOnce || (comparesPlaces && !samePlace(a, b))) return arrival.atNs
  return a.atNs === b.atNs && a.outcome === b.outcome ? Number.POSITIVE_INFINITY : Math.min(a.atNs, b.atNs)
}

/** Compares two variants' decisions about the same list; levels and schemas only if both variants have levels. */
export function compareDecisions(arrivals: Arrivals, baseline: Compared, candidate: Compared): DecisionDifferences {
  const comparesPlaces = isWithoutLevels(baseline.variant) === isWithoutLevels(candidate.variant)
  let [placed, rejected, letRun, longer, shorter] = [0, 0, 0, 0, 0]
  const changed: ChangedOutcome[] = []
  let first: { readonly index: number; readonly atNs: Nanoseconds } | undefined
  for (const [index, arrival] of arrivals.list.entries()) {
    if (!isSent(baseline.variant, index) || !isSent(candidate.variant, index)) continue
    const a = baseline.decisions.of(index)
    const b = candidate.decisions.of(index)
    const atNs = differNs(arrival, a, b, comparesPlaces)
    if (atNs === Number.POSITIVE_INFINITY) continue
    if (first === undefined || atNs < first.atNs) first = { index, atNs }
    if (comparesPlaces && !samePlace(a, b)) placed += 1
    if (isRejected(a) !== isRejected(b) && changed.length < MOST_CHANGED) {
      const { info, user } = arrival.request
      changed.push({
        seconds: nsToSeconds(arrival.atNs),
        verb: info.verb,
        path: info.path,
        user: user.name,
        baseline: a.outcome ?? 'undecided',
        candidate: b.outcome ?? 'undecided',
      })
    }
    if (isRejected(b) && !isRejected(a)) rejected += 1
    else if (isRejected(a) && !isRejected(b)) letRun += 1
    else if (!isRejected(a)) {
      if (b.atNs > a.atNs) longer += 1
      else if (b.atNs < a.atNs) shorter += 1
    }
  }
  const counts = { placed, rejected, letRun, longer, shorter, changed }
  return first === undefined ? counts : { ...counts, first: explained(arrivals, baseline, candidate, first) }
}

interface Compared {
  readonly variant: Variant
  readonly decisions: Decisions
}

function explained(
  arrivals: Arrivals,
  baseline: Compared,
  candidate: Compared,
  { index, atNs }: { readonly index: number; readonly atNs: Nanoseconds },
): ExplainedDifference {
  const arrival = arrivals.list[index]
  if (arrival === undefined) throw new Error(`there is no arrival ${index}`)
  const a = sideAt(arrivals, baseline, index, atNs)
  const b = sideAt(arrivals, candidate, index, atNs)
  const { request } = arrival
  const said = {
    verb: request.info.verb,
    path: request.info.path,
    user: request.user.name,
    level: a.level,
    arrivedSeconds: nsToSeconds(arrival.atNs),
  }
  const what = `At ${plain.fixed(nsToSeconds(atNs), 3)} s the decisions differ for the first time: ${said.verb} ${said.path} by ${said.user}.`
  return {
    index,
    seconds: nsToSeconds(atNs),
    request: said,
    baseline: a,
    candidate: b,
    explanation: [what, sentence(baseline.variant.name, a), sentence(candidate.variant.name, b)],
  }
}

/** Runs the variant again up to the instant: cheap for a first difference, without memory for the others. */
function sideAt(
  arrivals: Arrivals,
  { variant, decisions }: Compared,
  index: number,
  atNs: Nanoseconds,
): DifferenceSide {
  const arrival = arrivals.list[index]
  const decided = decisions.of(index)
  const onArrival = arrival?.atNs === atNs
  const replay = new Replay(variant, arrivals)
  if (onArrival) replay.runToArrival(index)
  // The instant before: the events at the instant itself are to be explained.
  else replay.runTo(atNs - 1)
  const before = replay.levelNamed(index, decided.level)
  const isDecided = decided.outcome !== undefined && decided.atNs <= atNs && (!onArrival || decided.atOnce)
  return {
    level: decided.level,
    schema: decided.schema,
    decision: isDecided && decided.outcome !== undefined ? decided.outcome : 'waiting',
    waitedMs: nsToMs(atNs - (arrival?.atNs ?? atNs)),
    seats: decided.seats,
    ...(before !== undefined && { before }),
  }
}

function sentence(name: string, { decision, schema, level, waitedMs, seats, before }: DifferenceSide): string {
  const place = schema === '' ? level : `${level} by flow schema ${schema}`
  const waited = waitedMs > 0 ? ` after ${plain.ms(waitedMs)}` : ''
  const verb = {
    bypassed: 'does not limit it',
    dispatched: `dispatches it${waited === '' ? ' at once' : waited}`,
    waiting: waited === '' ? 'enqueues it' : 'still has it in a queue',
    'queue-full': 'rejects it (queue-full)',
    'concurrency-limit': 'rejects it (concurrency-limit)',
    'time-out': `rejects it${waited} (time-out)`,
  }[decision]
  if (decision === 'bypassed') return `${name} ${verb}.`
  if (before === undefined) return `${name} counts it among ${place} and ${verb}.`
  const { seatsInUse, current, waiting } = before
  const width = plain.counted(seats, 'seat')
  return `${name} puts it into ${place} with ${width} and ${verb}: right before, ${seatsInUse} of ${current} seats were in use and ${plain.counted(waiting, 'request')} waited.`
}
