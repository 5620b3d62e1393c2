import { classifyingConfiguration } from '../classify/configuration.ts'
import type { FitLevel, Observation, ObservedLevel, Quantities, TwinHistory } from '../contract/forecast.ts'
import type { Seats } from '../units.ts'
import type { Variant } from '../whatif/variant.ts'
import { SHORTEST_RUN_SECONDS, WARM_SECONDS } from './history.ts'
import { spanSeconds } from './observe.ts'
import type { TwinRun } from './run.ts'
import { type Guess, type KnownFlows, twinTraffic } from './traffic.ts'

/** A twin: for each level the guesses that reproduce the observation, best first. */
export interface Twin {
  readonly variant: Variant
  readonly known: KnownFlows
  /** The starting point of the forecast. */
  readonly observation: Observation
  readonly guesses: ReadonlyMap<string, readonly Guess[]>
  readonly fit: readonly FitLevel[]
  /** What the levels did in equal parts of the history. */
  readonly parts: TwinHistory['parts']
  /** Levels whose requests come in waves. */
  readonly waves: TwinHistory['waves']
  /** Results of the ensemble's runs under the present objects, each with the guesses and the seed of its forecast. */
  readonly controls: readonly (Observation | undefined)[]
  /** Flow schemas whose requests could not be constructed. */
  readonly missing: readonly string[]
}

/** Rejections per second that are negligible: fewer than one in fifty requests. */
export const fewRejections = ({ arrivalsPerSecond }: Pick<Quantities, 'arrivalsPerSecond'>): number =>
  Math.max(0.2, arrivalsPerSecond / 50)

/** Whether there were enough rejections to show how clients react. */
export const wasRejecting = ({ quantities }: Pick<ObservedLevel, 'quantities'>): boolean =>
  quantities.rejectedPerSecond > fewRejections(quantities)

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
    seconds: Math.max(SHORTEST_RUN_SECONDS, spanSeconds(observation)),
    seed,
  }
  return { run, missing }
}

export const smoothedOf = (
  { levels }: Observation,
  when: keyof ObservedLevel['smoothed'],
): ReadonlyMap<string, Seats> =>
  new Map(
    levels.flatMap(({ name, smoothed }): readonly [string, Seats][] => {
      const seats = smoothed[when]
      return seats === undefined ? [] : [[name, seats]]
    }),
  )

/** For a level without requests so far. */
const USUAL: Guess = { clients: 'open', think: 0, onRejection: 'next', flows: 6, elephant: 0.7 }

/** The runs of a forecast combine this many guesses of each level and seeds. */
const MEMBERS = 4
const SEEDS = 2
export const RUNS = MEMBERS * SEEDS
/** Above the seed of the fit. */
const FIRST_SEED = 11

/** One of the runs of a forecast, from the state at the end of the observed time. */
export function ensembleRun(twin: Omit<Twin, 'controls' | 'fit'>, number: number): TwinRun {
  const honours = (number + Math.floor(number / MEMBERS)) % 2 === 0
  return twinRun(twin, (level) => guessFor(level, { number, honours }, twin), FIRST_SEED + number).run
}

/** Without 429s, the clients' reaction is unknown, so both occur: some honour `Retry-After`, others do not. */
function guessFor(
  name: string,
  { number, honours }: { readonly number: number; readonly honours: boolean },
  { guesses, observation }: Pick<Twin, 'guesses' | 'observation'>,
): Guess | undefined {
  const list = guesses.get(name) ?? []
  const guess = list[number % Math.max(1, list.length)]
  const level = observation.levels.find((one) => one.name === name)
  if (guess === undefined || guess.clients === 'open' || level === undefined || wasRejecting(level)) return guess
  return { ...guess, onRejection: honours ? 'retry' : 'next' }
}
