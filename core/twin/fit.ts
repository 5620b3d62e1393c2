import { classifyingConfiguration } from '../classify/configuration.ts'
import type {
  FitLevel,
  ForecastEvidence,
  Observation,
  ObservedLevel,
  Quantities,
  TwinHistory,
} from '../contract/forecast.ts'
import { isExempt } from '../frame/reading.ts'
import { MS_PER_SECOND, type Seats } from '../units.ts'
import type { Variant } from '../whatif/variant.ts'
import { SHORTEST_RUN_SECONDS } from './history.ts'
import { meanOf } from './observe.ts'
import { runTwin, type TwinRun, WARM_SECONDS } from './run.ts'
import { type Guess, type KnownFlows, twinTraffic } from './traffic.ts'

/** What a twin is made from. */
export interface TwinInput {
  readonly history: TwinHistory
  /** The server as it is now. */
  readonly variant: Variant
  readonly flows: ForecastEvidence['flows']
}

/** A twin: for each level the guesses that reproduce what was observed, the best first. */
export interface Twin {
  readonly variant: Variant
  readonly known: KnownFlows
  /** What the forecast starts from. */
  readonly observation: Observation
  readonly guesses: ReadonlyMap<string, readonly Guess[]>
  readonly fit: readonly FitLevel[]
  /** The guesses on pages that they were not fitted to: what was observed, and what the twin showed; absent with few pages. */
  readonly check?: { readonly observed: Observation; readonly twin: Observation }
  /** Flow schemas whose requests could not be made up. */
  readonly missing: readonly string[]
}

/** Asked now and then with the part of 1 that is done; `false` ends the work. */
export type MayGoOn = (part: number) => boolean

/** Guesses whose error is within this of the best one's cannot be told from it. */
const NOISE = { factor: 1.25, more: 0.02 } as const
const MOST_GUESSES = 4
/** Weighted mean of relative errors up to which a level counts as reproduced. */
const GOOD_FIT = 0.25

const SMOOTH_MS = 10_000

interface Shape extends Pick<Guess, 'clients' | 'onRejection'> {
  readonly think: 'none' | 'observed' | 'long'
}

/** Clients that are tried. How long they think follows from the observed deviation of demand, level by level. */
const SHAPES: readonly Shape[] = [
  { clients: 'closed', think: 'none', onRejection: 'retry' },
  { clients: 'closed', think: 'observed', onRejection: 'retry' },
  { clients: 'closed', think: 'long', onRejection: 'retry' },
  { clients: 'open', think: 'none', onRejection: 'next' },
]
/** What clients do about a 429 shows only where there are some. */
const REJECTED_SHAPES: readonly Shape[] = [
  { clients: 'closed', think: 'none', onRejection: 'next' },
  { clients: 'closed', think: 'observed', onRejection: 'next' },
]
const FLOWS: readonly Pick<Guess, 'flows' | 'elephant'>[] = [
  { flows: 1, elephant: 1 },
  { flows: 6, elephant: 0.7 },
  { flows: 16, elephant: 1 / 16 },
]
const LONG_THINK = 8
const MOST_THINK = 50

/** Pauses in units of the time that a request takes, from how much the number of requests under way deviates (binomial). */
function thinkFrom({ evidence: { demand, deviation } }: ObservedLevel): number {
  if (demand === undefined || deviation === undefined || demand <= 0) return 1
  const away = Math.min(0.95, (deviation * deviation) / demand)
  return Math.min(MOST_THINK, away / (1 - away))
}

interface Candidate {
  readonly shape: Shape
  readonly flows: (typeof FLOWS)[number]
}
function candidatesFor({ levels }: Observation, known: KnownFlows): readonly Candidate[] {
  const shapes = [...SHAPES, ...(levels.some(wasRejecting) ? REJECTED_SHAPES : [])]
  // Where dumps name the flows, a guess of them changes nothing.
  const flows = partUnnamed(levels, known) <= FEW_UNNAMED ? FLOWS.slice(1, 2) : FLOWS
  return shapes.flatMap((shape) => flows.map((one) => ({ shape, flows: one })))
}

/** The part of the requests whose flows are not known. */
function partUnnamed(levels: Observation['levels'], known: KnownFlows): number {
  const rates = levels
    .filter((level) => !isExempt(level))
    .flatMap(({ schemas }) => schemas.map(({ schema, arrivals }) => ({ schema, rate: meanOf(arrivals) ?? 0 })))
  const sum = (of: typeof rates): number => of.reduce((total, { rate }) => total + rate, 0)
  return sum(rates.filter(({ schema }) => !known.has(schema))) / Math.max(sum(rates), Number.MIN_VALUE)
}
const FEW_UNNAMED = 0.02

/** Rejections per second that are as good as none: fewer than one in fifty requests. */
export const fewRejections = ({ arrivalsPerSecond }: Pick<Quantities, 'arrivalsPerSecond'>): number =>
  Math.max(0.2, arrivalsPerSecond / 50)

/** Whether enough was rejected to see what clients do about it. */
export const wasRejecting = ({ quantities }: Pick<ObservedLevel, 'quantities'>): boolean =>
  quantities.rejectedPerSecond > fewRejections(quantities)

function guessOf(level: ObservedLevel, { shape, flows }: Candidate): Guess {
  const think = shape.think === 'none' ? 0 : shape.think === 'long' ? LONG_THINK : thinkFrom(level)
  const { clients, onRejection } = shape
  return { clients, onRejection, think, smoothMs: shape.think === 'none' ? 0 : SMOOTH_MS, ...flows }
}

interface Tried {
  readonly guess: Guess
  readonly level: ObservedLevel
  readonly error: number
}

/** Finds the clients with which a simulated server shows what the pages show. `undefined` when `mayGoOn` ended it. */
export function fitTwin({ history, variant, flows }: TwinInput, mayGoOn: MayGoOn = () => true): Twin | undefined {
  const { whole: observation, fitted, held } = history
  const known = new Map(flows.map((one) => [one.schema, one.flows]))
  const candidates = candidatesFor(fitted, known)
  const tried = new Map<string, Tried[]>()
  let missing: readonly string[] = []
  for (const [number, candidate] of candidates.entries()) {
    const guesses = new Map(fitted.levels.map((level) => [level.name, guessOf(level, candidate)]))
    const part = (of: number): number => (number + of) / (candidates.length + 1)
    const made = twinRun({ observation: fitted, variant, known }, (level) => guesses.get(level), 1)
    missing = made.missing
    const result = runTwin({ ...made.run, smoothed: smoothedOf(fitted, 'first') }, () => mayGoOn(part(0)))
    if (!mayGoOn(part(1))) return undefined
    for (const level of result?.levels ?? []) {
      const observed = fitted.levels.find(({ name }) => name === level.name)
      const guess = guesses.get(level.name)
      if (observed === undefined || guess === undefined) continue
      tried.set(level.name, [...(tried.get(level.name) ?? []), { guess, level, error: distance(observed, level) }])
    }
  }
  const best = new Map([...tried].map(([name, list]) => [name, list.toSorted((a, b) => a.error - b.error)]))
  const guesses = new Map([...best].map(([name, list]) => [name, asGoodAsBest(list)]))
  const check = held && checkOf({ observation: held, variant, known }, guesses, mayGoOn)
  const fit = fitted.levels.flatMap((level) => fitLevel(level, best.get(level.name)?.[0], { missing, known }))
  return { variant, known, observation, guesses, fit, missing, ...(check && { check }) }
}

const secondsOf = ({ fromMs, untilMs }: Observation): number => (untilMs - fromMs) / MS_PER_SECOND

function asGoodAsBest(list: readonly Tried[]): readonly Guess[] {
  const most = (list[0]?.error ?? 0) * NOISE.factor + NOISE.more
  return list
    .filter(({ error }) => error <= most)
    .slice(0, MOST_GUESSES)
    .map(({ guess }) => guess)
}

function checkOf(input: RunInput, guesses: Twin['guesses'], mayGoOn: MayGoOn): Twin['check'] {
  const { run } = twinRun(input, (level) => guesses.get(level)?.[0], 2)
  const twin = runTwin({ ...run, smoothed: smoothedOf(input.observation, 'first') }, () => mayGoOn(1))
  return twin && { observed: input.observation, twin }
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

type RunInput = Pick<Twin, 'observation' | 'variant' | 'known'>

/** A run of the twin with these guesses, from its state at the end of the observed time. */
export function twinRun(
  { observation, variant, known }: RunInput,
  guess: (level: string) => Guess | undefined,
  seed: number,
): { readonly run: TwinRun; readonly missing: readonly string[] } {
  const serverLimit = variant.maxRequestsInFlight + variant.maxMutatingRequestsInFlight
  const configuration = classifyingConfiguration(variant.objects, serverLimit)
  const { workload, missing } = twinTraffic(observation, configuration, (level) => guess(level) ?? USUAL, known)
  const run: TwinRun = {
    workload,
    variant,
    smoothed: smoothedOf(observation, 'last'),
    warmSeconds: WARM_SECONDS,
    settleSeconds: 0,
    seconds: Math.max(SHORTEST_RUN_SECONDS, secondsOf(observation)),
    seed,
  }
  return { run, missing }
}

const smoothedOf = ({ levels }: Observation, when: keyof ObservedLevel['smoothed']): ReadonlyMap<string, Seats> =>
  new Map(
    levels.flatMap(({ name, smoothed }): readonly [string, Seats][] => {
      const seats = smoothed[when]
      return seats === undefined ? [] : [[name, seats]]
    }),
  )

/** Of a level without requests until now. */
const USUAL: Guess = { clients: 'open', think: 0, smoothMs: 0, onRejection: 'next', flows: 6, elephant: 0.7 }

interface Compared {
  readonly of: (level: ObservedLevel) => number | undefined
  readonly weight: number
  /** What is as good as nothing. */
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
  { of: ({ evidence }) => evidence.highWatermark, weight: 0.5, floor: 2 },
  { of: ({ evidence }) => evidence.queueLength, weight: 1, floor: 1 },
]

/** Weighted mean of relative errors, each between 0 and 1. */
function distance(observed: ObservedLevel, twin: ObservedLevel): number {
  let [sum, weights] = [0, 0]
  for (const { of, weight, floor } of COMPARED) {
    const [a, b] = [of(observed), of(twin)]
    if (a === undefined || b === undefined) continue
    sum += (weight * Math.abs(a - b)) / Math.max(a, b, floor)
    weights += weight
  }
  return weights === 0 ? 1 : sum / weights
}
