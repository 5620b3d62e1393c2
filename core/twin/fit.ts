import type { FitLevel, ForecastEvidence, Observation, ObservedLevel, TwinHistory } from '../contract/forecast.ts'
import { isExempt } from '../frame/reading.ts'
import type { Variant } from '../whatif/variant.ts'
import { meanOf } from './observe.ts'
import { runTwin } from './run.ts'
import type { Guess, KnownFlows } from './traffic.ts'
import { ensembleRun, RUNS, smoothedOf, type Twin, twinRun, wasRejecting } from './twin.ts'

export interface TwinInput {
  readonly history: TwinHistory
  /** The present server. */
  readonly variant: Variant
  readonly flows: ForecastEvidence['flows']
}

/** Called now and then with the completed part of 1; `false` ends the work. */
export type MayGoOn = (part: number) => boolean

/** Guesses whose error is within this of the best one's are indistinguishable from it. */
const NOISE = { factor: 1.6, more: 0.04 } as const
const MOST_GUESSES = 4
/** Weighted mean of relative errors up to which a level counts as reproduced. */
const GOOD_FIT = 0.25

interface Shape extends Pick<Guess, 'clients' | 'onRejection'> {
  readonly think: number
}

/** Clients that are tried. */
const SHAPES: readonly Shape[] = [
  { clients: 'mixed', think: 0, onRejection: 'retry' },
  { clients: 'closed', think: 0, onRejection: 'retry' },
  { clients: 'closed', think: 1, onRejection: 'retry' },
  { clients: 'closed', think: 8, onRejection: 'retry' },
  { clients: 'open', think: 0, onRejection: 'next' },
]
/** The reaction of clients to a 429 is only visible if there are some. */
const REJECTED_SHAPES: readonly Shape[] = [
  { clients: 'mixed', think: 0, onRejection: 'next' },
  { clients: 'closed', think: 0, onRejection: 'next' },
  { clients: 'closed', think: 1, onRejection: 'next' },
  { clients: 'open', think: 0, onRejection: 'retry' },
]
const FLOWS: readonly Pick<Guess, 'flows' | 'elephant'>[] = [
  { flows: 1, elephant: 1 },
  { flows: 6, elephant: 0.7 },
  { flows: 16, elephant: 1 / 16 },
]
interface Candidate {
  readonly shape: Shape
  readonly flows: (typeof FLOWS)[number]
}
function candidatesFor({ levels }: Observation, known: KnownFlows): readonly Candidate[] {
  const shapes = [...SHAPES, ...(levels.some(wasRejecting) ? REJECTED_SHAPES : [])]
  // Where dumps name the flows, guessing them changes nothing.
  const flows = partUnnamed(levels, known) <= FEW_UNNAMED ? FLOWS.slice(1, 2) : FLOWS
  return shapes.flatMap((shape) => flows.map((one) => ({ shape, flows: one })))
}

/** The share of the requests whose flows are unknown. */
function partUnnamed(levels: Observation['levels'], known: KnownFlows): number {
  const rates = levels
    .filter((level) => !isExempt(level))
    .flatMap(({ schemas }) => schemas.map(({ schema, arrivals }) => ({ schema, rate: meanOf(arrivals) ?? 0 })))
  const sum = (of: typeof rates): number => of.reduce((total, { rate }) => total + rate, 0)
  return sum(rates.filter(({ schema }) => !known.has(schema))) / Math.max(sum(rates), Number.MIN_VALUE)
}
const FEW_UNNAMED = 0.02

interface Tried {
  readonly guess: Guess
  readonly level: ObservedLevel
  readonly error: number
}

/** Finds the clients with which a simulated server reproduces the pages. `undefined` when `mayGoOn` ended it. */
export function fitTwin({ history, variant, flows }: TwinInput, mayGoOn: MayGoOn = () => true): Twin | undefined {
  const { whole: observation, parts, waves } = history
  const known = new Map(flows.map((one) => [one.schema, one.flows]))
  const candidates = candidatesFor(observation, known)
  const tried = new Map<string, Tried[]>()
  let missing: readonly string[] = []
  for (const [number, candidate] of candidates.entries()) {
    const guess: Guess = { ...candidate.shape, ...candidate.flows }
    const part = (of: number): number => (number + of) / (candidates.length + 1)
    const made = twinRun({ observation, variant, known }, () => guess, 1)
    missing = made.missing
    const result = runTwin({ ...made.run, smoothed: smoothedOf(observation, 'first') }, () => mayGoOn(part(0)))
    if (!mayGoOn(part(1))) return undefined
    for (const level of result?.levels ?? []) {
      const observed = observation.levels.find(({ name }) => name === level.name)
      if (observed === undefined) continue
      tried.set(level.name, [...(tried.get(level.name) ?? []), { guess, level, error: distance(observed, level) }])
    }
  }
  const best = new Map([...tried].map(([name, list]) => [name, list.toSorted((a, b) => a.error - b.error)]))
  const guesses = new Map([...best].map(([name, list]) => [name, asGoodAsBest(list)]))
  const fit = observation.levels.flatMap((level) => fitLevel(level, best.get(level.name)?.[0], { missing, known }))
  const made = { variant, known, observation, parts, waves, guesses, missing }
  const controls = Array.from({ length: RUNS }, (_, number) => runTwin(ensembleRun(made, number), () => mayGoOn(1)))
  if (!mayGoOn(1)) return undefined
  return { ...made, controls, fit }
}

/** The best guess of each kind of clients that is as good as the best of all. */
function asGoodAsBest(list: readonly Tried[]): readonly Guess[] {
  const most = (list[0]?.error ?? 0) * NOISE.factor + NOISE.more
  const kinds = Map.groupBy(
    list.filter(({ error }) => error <= most),
    ({ guess: { clients, think, onRejection } }) => `${clients} ${think} ${onRejection}`,
  )
  return [...kinds.values()].flatMap(([best]) => best?.guess ?? []).slice(0, MOST_GUESSES)
}

function fitLevel(
  level: ObservedLevel,
  best: Tried | undefined,
  { missing, known }: Pick<Twin, 'missing' | 'known'>,
): readonly FitLevel[] {
  if (best === undefined || isExempt(level) || level.quantities.arrivalsPerSecond === 0) return []
  const complete = level.schemas.every(({ schema }) => !missing.includes(schema))
  const { guess, error } = best
  return [
    {
      level: level.name,
      observed: level.quantities,
      twin: best.level.quantities,
      error,
      fits: complete && error <= GOOD_FIT,
      clients: guess.clients,
      flows: Math.max(...level.schemas.map(({ schema }) => known.get(schema)?.length ?? guess.flows)),
    },
  ]
}

interface Compared {
  readonly of: (level: ObservedLevel) => number | undefined
  readonly weight: number
  /** Smaller values are negligible. */
  readonly floor: number
}

const COMPARED: readonly Compared[] = [
  { of: ({ quantities }) => quantities.waitP50 ?? 0, weight: 2, floor: 0.01 },
  { of: ({ quantities }) => quantities.waitP99 ?? 0, weight: 2, floor: 0.01 },
  { of: ({ quantities }) => quantities.rejectedPerSecond, weight: 2, floor: 0.2 },
  { of: ({ quantities }) => quantities.seats, weight: 1, floor: 1 },
  { of: ({ quantities }) => quantities.current, weight: 1, floor: 1 },
  { of: ({ quantities }) => quantities.arrivalsPerSecond, weight: 2, floor: 0.5 },
  { of: ({ evidence }) => evidence.queued, weight: 1, floor: 1 },
  { of: ({ evidence }) => evidence.deviation, weight: 0.5, floor: 1 },
  { of: ({ evidence }) => evidence.moved && Math.sqrt(evidence.moved), weight: 2, floor: 1 },
  { of: ({ evidence }) => evidence.highWatermark, weight: 0.5, floor: 2 },
  { of: ({ evidence }) => evidence.queueLength, weight: 1, floor: 1 },
]

/** Weighted mean of relative errors, each between 0 and 1. */
export function distance(observed: ObservedLevel, twin: ObservedLevel): number {
  let [sum, weights] = [0, 0]
  for (const { of, weight, floor } of COMPARED) {
    const [a, b] = [of(observed), of(twin)]
    if (a === undefined || b === undefined) continue
    sum += (weight * Math.abs(a - b)) / Math.max(a, b, floor)
    weights += weight
  }
  return weights === 0 ? 1 : sum / weights
}
