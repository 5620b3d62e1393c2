import type { ClassifyingConfiguration } from '../classify/configuration.ts'
import type { DumpedFlow, Observation, ObservedLevel, SchemaTraffic } from '../contract/forecast.ts'
import type { Histogram } from '../frame/frame.ts'
import { DEFAULT_REQUEST_TIMEOUT_SECONDS, isExempt } from '../frame/reading.ts'
import { type Buckets, type Distribution, exponential, meanOfBuckets } from '../simulate/random.ts'
import type { Behaviour, CallKind, ClientGroup, OnRejection, Steps, Workload } from '../simulate/workload.ts'
import { MS_PER_SECOND } from '../units.ts'
import { courseOf, isSteady, pauseSeconds } from './course.ts'
import { meanOf, stepsOf, sumOf } from './observe.ts'
import { listOfWidth, type Specimen, specimens, TWIN_OBJECTS } from './specimens.ts'
import { type Sent, sentInWaves, type TwinFlow } from './waves.ts'

/** Properties of a level's clients that metrics do not show. */
export interface Guess {
  /**
   * `open`: requests arrive independently of each other's results. `closed`: each client sends its next request after a
   * response and a pause of `think` times the duration of a request here. `mixed`: each flow, or each schema of which no
   * flows are known, is open or closed, with the pauses that the changes of its number of requests show.
   */
  readonly clients: 'open' | 'closed' | 'mixed'
  readonly think: number
  /** How clients react to a 429: wait for `Retry-After` like client-go, or continue after about a second. */
  readonly onRejection: OnRejection
  readonly flows: number
  /** Share of all requests that the first flow sends; the others share the rest evenly. */
  readonly elephant: number
}

/** Flows found in dumps, by schema. */
export type KnownFlows = ReadonlyMap<string, readonly DumpedFlow[]>

export interface TwinTraffic {
  readonly workload: Workload
  /** Schemas whose requests could not be constructed. */
  readonly missing: readonly string[]
}

/** How long a client waits after a 429 before it sends the request again. */
const RETRY_SECONDS = 1

/** Clients that send the observed requests, step by step. */
export function twinTraffic(
  observation: Observation,
  configuration: ClassifyingConfiguration,
  guessOf: (level: string) => Guess,
  known: KnownFlows,
): TwinTraffic {
  const missing: string[] = []
  const groups = observation.levels.flatMap((level) =>
    level.schemas.flatMap((traffic): readonly ClientGroup[] => {
      const schema = configuration.order.find(({ metadata }) => metadata.name === traffic.schema)
      // Without waits, clients cannot be distinguished by which of them waits for which.
      const guess = isExempt(level) ? EXEMPT_GUESS : guessOf(level.name)
      const named = known.get(traffic.schema)
      const flows: readonly TwinFlow[] = named ?? sharesOf(guess).map((share) => ({ share }))
      const clients =
        schema === undefined
          ? []
          : specimens(
              schema,
              configuration,
              flows.length,
              named?.map(({ name }) => name),
            )
      if (clients.length === 0) {
        missing.push(traffic.schema)
        return []
      }
      const { fromMs, stepMs, slowdown } = observation
      return groupsOf(traffic, { level, clients, flows, guess, fromMs, stepMs, unslowed: slowdown?.unslowed ?? 1 })
    }),
  )
  const { service } = QUIET
  const capacity = observation.slowdown?.curve ?? []
  return { workload: { ...QUIET, service: { ...service, capacity }, groups }, missing }
}

const EXEMPT_GUESS: Guess = { clients: 'open', think: 0, onRejection: 'next', flows: 1, elephant: 1 }

/** A machine of which only the requests are known. */
const QUIET: Omit<Workload, 'groups'> = {
  namespaces: 1,
  objects: [{ key: 'twins', ...TWIN_OBJECTS }],
  service: { byVerb: {}, otherwise: { kind: 'constant', ms: 1 }, bytesPerSecond: 1e12, capacity: [] },
}

const sharesOf = ({ flows, elephant }: Guess): readonly number[] =>
  Array.from({ length: flows }, (_, flow) => (flow === 0 ? elephant : (1 - elephant) / (flows - 1)))

interface Made {
  readonly level: ObservedLevel
  readonly clients: readonly Specimen[]
  readonly flows: readonly TwinFlow[]
  readonly guess: Guess
  readonly stepMs: number
  readonly fromMs: number
  /** Factor of the observed execution times. */
  readonly unslowed: number
}

function groupsOf(traffic: SchemaTraffic, made: Made): readonly ClientGroup[] {
  const { level, clients, unslowed } = made
  // What flows that could not be constructed send, the others do.
  const flows = normalized(made.flows.slice(0, clients.length))
  const sent = sentBy(traffic, { ...made, flows })
  const behaviours = behavioursOf(traffic, sent, { ...made, flows })
  return clients.flatMap((client, flow): readonly ClientGroup[] => {
    const [behaviour, { wide, slowness = 1 } = {}] = [behaviours[flow], sent[flow]]
    const calls = callsOf(traffic, client, wide, slowness * unslowed)
    if (behaviour === undefined || calls.length === 0) return []
    const name = `${level.name}/${traffic.schema}/${flow}`
    return [{ name, clients: 1, user: client.user, behaviour: { ...behaviour, calls } }]
  })
}

function normalized(flows: readonly TwinFlow[]): readonly TwinFlow[] {
  const sum = flows.reduce((total, { share }) => total + share, 0)
  return flows.map((flow) => ({ ...flow, share: flow.share / sum }))
}

/** What each flow of a schema sends. */
function sentBy(
  traffic: SchemaTraffic,
  { flows, guess, stepMs, fromMs }: Omit<Made, 'level' | 'clients' | 'unslowed'>,
): readonly Sent[] {
  const { arrivals, rejected, present } = traffic
  const steady = areEven(arrivals, stepMs) ? STEADY_MS / stepMs : 0
  // A request that is sent again after a 429 is already counted as an arrival.
  const offered = arrivals.map((rate, step) => rate - (guess.onRejection === 'retry' ? (rejected[step] ?? 0) : 0))
  const rates = smoothed(offered, steady)
  const steps = smoothed(
    present.map((count, step) => count + (rejected[step] ?? 0) * RETRY_SECONDS),
    steady,
  )
  const underWay = meanOf(present) ?? 0
  const numbers = flows.map(({ share, present: own }) => own ?? share * underWay)
  const all = sumOf(numbers)
  return (
    sentInWaves(flows, { rates, stepMs, fromMs }, executionFactors(traffic, widthsOf(traffic.widths))) ??
    flows.map(({ share, wide, slowness }, flow) => {
      const part = all > 0 ? (numbers[flow] ?? 0) / all : share
      return {
        rates: rates.map((rate) => rate * share),
        present: steps.map((count) => count * part),
        ...(wide !== undefined && { wide }),
        ...(slowness !== undefined && { slowness }),
      }
    })
  )
}

type OpenOrClosed = Extract<Behaviour, { kind: 'open' | 'closed' }>
type BehaviourWithoutCalls = OpenOrClosed extends infer B ? (B extends OpenOrClosed ? Omit<B, 'calls'> : never) : never

function behavioursOf(
  { arrivals, rejected, present }: SchemaTraffic,
  sent: readonly Sent[],
  { level, flows, guess, stepMs }: Made,
): readonly BehaviourWithoutCalls[] {
  const { clients, onRejection } = guess
  const served = Math.max(1e-9, (meanOf(arrivals) ?? 0) - (meanOf(rejected) ?? 0))
  const means = sent.map(({ rates }) => meanOf(rates) ?? 0)
  const perSecond = means.map((mean) => (served * mean) / Math.max(1e-9, sumOf(means)))
  const whole = courseOf(
    present.filter((_, step) => step % stepsOf(stepMs) === 0),
    Math.min(1, (level.evidence.queued ?? 0) / Math.max(1e-9, presentIn(level))),
    (stepsOf(stepMs) * stepMs) / MS_PER_SECOND,
  )
  const pauses = flows.map(({ course }, flow) => {
    if (clients === 'open') return undefined
    if (clients === 'closed') return guess.think * ((meanOf(present) ?? 0) / served)
    return course === undefined ? whole && pauseSeconds(whole, served) : pauseSeconds(course, perSecond[flow] ?? 0)
  })
  // The threads of closed flows are whole numbers, whose sum is that of the level.
  const away = pauses.map(
    (pause = 0, flow) => (pause * (perSecond[flow] ?? 0)) / Math.max(1e-9, meanOf(sent[flow]?.present ?? []) ?? 0),
  )
  const threads = present.map((_, step) => {
    const exact = pauses.map((pause, flow) =>
      pause === undefined ? 0 : (sent[flow]?.present[step] ?? 0) * (1 + (away[flow] ?? 0)),
    )
    const sum = sumOf(exact)
    return sum > 0
      ? apportioned(
          Math.round(sum),
          exact.map((value) => value / sum),
        )
      : exact
  })
  return pauses.map((pause, flow): BehaviourWithoutCalls => {
    if (pause === undefined) {
      const rates = { stepMs, values: sent[flow]?.rates ?? [] }
      return { kind: 'open', arrivals: { kind: 'steps', perSecond: rates }, onRejection }
    }
    const active: Steps = { stepMs, values: threads.map((counts) => counts[flow] ?? 0) }
    const think = exponential(Math.min(3_600_000, pause * MS_PER_SECOND))
    return { kind: 'closed', threads: Math.max(...active.values), think, active, onRejection }
  })
}

/** Of requests that wait or execute. */
export const presentIn = ({ schemas }: ObservedLevel): number =>
  schemas.reduce((sum, { present }) => sum + (meanOf(present) ?? 0), 0)

/** Rates that change no more than by chance are averaged over this much time: chance is drawn again. */
const STEADY_MS = 20_000

/** Whether requests come evenly and not in waves. */
function areEven(perSecond: readonly number[], stepMs: number): boolean {
  const size = stepsOf(stepMs)
  const counts = Array.from({ length: Math.floor(perSecond.length / size) }, (_, bin) =>
    perSecond.slice(bin * size, (bin + 1) * size).reduce((sum, rate) => sum + (rate * stepMs) / MS_PER_SECOND, 0),
  )
  return isSteady(counts)
}

/** A whole number split by parts of 1: largest remainders first. */
export function apportioned(total: number, parts: readonly number[]): readonly number[] {
  const exact = parts.map((part) => part * total)
  const counts = exact.map(Math.floor)
  const left = total - counts.reduce((sum, count) => sum + count, 0)
  const order = exact.map((value, i) => ({ i, rest: value - Math.floor(value) })).toSorted((a, b) => b.rest - a.rest)
  for (const { i } of order.slice(0, left)) counts[i] = (counts[i] ?? 0) + 1
  return counts
}

/** Running means over this many steps; the unchanged values if fewer than two. */
export function smoothed(values: readonly number[], steps: number): readonly number[] {
  const half = Math.floor(steps / 2)
  if (half < 1) return values
  return values.map((_, i) => meanOf(values.slice(Math.max(0, i - half), i + half + 1)) ?? 0)
}

/** Requests of each width, with the observed frequencies; with `part`, this share of them is wide. */
function callsOf(
  traffic: SchemaTraffic,
  { narrow, wide }: Specimen,
  part: number | undefined,
  slowness: number,
): readonly CallKind[] {
  const widths = widthsOf(traffic.widths)
  const factors = executionFactors(traffic, widths)
  const execution = executionOf(traffic)
  return divided(widths, part).flatMap(({ seats, count }): readonly CallKind[] => {
    const address = wide === undefined || (seats === 1 && narrow !== undefined) ? narrow : listOfWidth(wide, seats)
    if (address === undefined) return []
    const factor = seats === 1 ? factors.narrow : factors.wide
    return [
      { method: address.method, target: address.url, weight: count, execution: scaled(execution, factor * slowness) },
    ]
  })
}

export interface Width {
  readonly seats: number
  readonly count: number
}

/**
 * Requests by width, seats. Small widths have a bucket each; wider ones are interpolated within their bucket so that
 * the sum of all widths matches. One seat if nothing is known.
 */
export function widthsOf(histogram: Histogram | undefined): readonly Width[] {
  if (histogram === undefined || histogram.count === 0) return [{ seats: 1, count: 1 }]
  const { bounds, counts, sum } = histogram
  const buckets = counts.flatMap((upTo, bucket) => {
    const count = upTo - (counts[bucket - 1] ?? 0)
    const most = Math.max(1, Math.round(bounds[bucket] ?? bounds.at(-1) ?? 1))
    const least = Math.min(most, Math.floor(bounds[bucket - 1] ?? 0) + 1)
    return count > 0 ? [{ least, most, count }] : []
  })
  const total = (of: 'least' | 'most'): number => buckets.reduce((all, one) => all + one[of] * one.count, 0)
  const [few, many] = [total('least'), total('most')]
  const part = many > few ? Math.min(1, Math.max(0, (sum - few) / (many - few))) : 1
  return buckets.map(({ least, most, count }) => ({ seats: Math.round(least + part * (most - least)), count }))
}

/** The same widths, with this share of the requests wide: only dumps show which flows send wide lists. */
export function divided(widths: readonly Width[], wide: number | undefined): readonly Width[] {
  const total = (of: (width: Width) => boolean): number => widths.filter(of).reduce((sum, { count }) => sum + count, 0)
  const [narrow, others] = [total(({ seats }) => seats === 1), total(({ seats }) => seats > 1)]
  if (wide === undefined || narrow === 0 || others === 0) return widths
  return widths.flatMap(({ seats, count }) => {
    const part = seats === 1 ? ((1 - wide) * count) / narrow : (wide * count) / others
    return part > 0 ? [{ seats, count: part }] : []
  })
}

/** Deviations of Little's law within this are noise of the samples. */
const LITTLE_TOLERANCE = 0.05
const FACTORS = { min: 0.1, max: 10 } as const

/**
 * How much longer or shorter wide and narrow requests take than the mean of all, so that seats × time matches the
 * observation: wide lists are often the slow ones.
 */
export function executionFactors(
  traffic: SchemaTraffic,
  widths: readonly Width[],
): { readonly narrow: number; readonly wide: number } {
  const even = { narrow: 1, wide: 1 }
  const served = (meanOf(traffic.arrivals) ?? 0) - (meanOf(traffic.rejected) ?? 0)
  const mean = meanExecution(traffic)
  const total = widths.reduce((sum, { count }) => sum + count, 0)
  const one = (widths.find(({ seats }) => seats === 1)?.count ?? 0) / total
  if (traffic.seats === undefined || served <= 0 || mean <= 0 || one === 0 || one === 1) return even
  const wideSeats = widths.reduce((sum, { seats, count }) => sum + (seats === 1 ? 0 : (seats * count) / total), 0)
  const perRequest = traffic.seats / served / mean
  const expected = one + wideSeats
  if (Math.abs(perRequest / expected - 1) < LITTLE_TOLERANCE) return even
  const bounded = (factor: number): number => Math.min(Math.max(factor, FACTORS.min), FACTORS.max)
  const wide = bounded((perRequest - 1) / (wideSeats - (1 - one)))
  return { wide, narrow: bounded((1 - (1 - one) * wide) / one) }
}

/** Seconds; for ordinary requests and watches together. */
const meanExecution = ({ execution, executionWatch }: SchemaTraffic): number => {
  const known = [execution, executionWatch].filter((histogram) => histogram !== undefined)
  const count = known.reduce((sum, histogram) => sum + histogram.count, 0)
  return count === 0 ? 0 : known.reduce((sum, histogram) => sum + histogram.sum, 0) / count
}

const UNKNOWN_EXECUTION: Distribution = { kind: 'constant', ms: 10 }
/** Start of the first bucket, as a fraction of its bound. */
const FIRST_BUCKET = 0.1

/** The observed durations: log-uniform in each bucket, with the observed mean. */
function executionOf(traffic: SchemaTraffic): Distribution {
  const known = [traffic.execution, traffic.executionWatch].filter((histogram) => histogram !== undefined)
  const shape = known.find(({ count }) => count > 0)
  if (shape === undefined) return UNKNOWN_EXECUTION
  const ends = [...shape.bounds, DEFAULT_REQUEST_TIMEOUT_SECONDS].map((bound) => Math.max(bound, 1e-4) * MS_PER_SECOND)
  const boundsMs = [(ends[0] ?? 1) * FIRST_BUCKET, ...ends.map((end, i) => Math.max(end, ends[i - 1] ?? 0))]
  const weights = shape.counts.map((_, bucket) =>
    known.reduce((sum, { counts }) => sum + Math.max(0, (counts[bucket] ?? 0) - (counts[bucket - 1] ?? 0)), 0),
  )
  const buckets: Buckets = { kind: 'buckets', boundsMs, weights }
  const factor = (meanExecution(traffic) * MS_PER_SECOND) / meanOfBuckets(buckets)
  return scaled(buckets, Math.min(Math.max(factor, 0.5), 2))
}

function scaled(distribution: Distribution, factor: number): Distribution {
  if (distribution.kind !== 'buckets' || factor === 1) return distribution
  const longest = DEFAULT_REQUEST_TIMEOUT_SECONDS * MS_PER_SECOND
  return { ...distribution, boundsMs: distribution.boundsMs.map((bound) => Math.min(bound * factor, longest)) }
}
