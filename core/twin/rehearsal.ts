import { classifyingConfiguration } from '../classify/configuration.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { ForecastEvidence, Observation, Quantities } from '../contract/forecast.ts'
import { flowName } from '../frame/flow.ts'
import { allRejected } from '../frame/recent.ts'
import { MS_PER_SECOND, secondsToNs } from '../units.ts'
import { Measure } from '../whatif/measure.ts'
import type { Variant } from '../whatif/variant.ts'
import { distance } from './fit.ts'
import { SHORTEST_SPAN_SECONDS } from './observe.ts'
import { EVENTS_AT_ONCE, runTwin, type TwinRun } from './run.ts'
import { type Guess, twinTraffic } from './traffic.ts'
import { smoothedOf } from './twin.ts'

/** What the requests of one client meet in a run. */
export interface Met {
  readonly level: string
  readonly name: string
  /** The flow schema that took them. */
  readonly schema: string
  /** Dispatched or rejected. */
  readonly requests: number
  readonly rejected: number
  /** Of all dispatched ones together, seconds. */
  readonly waited: number
  /** That its requests hold at once, a mean. */
  readonly seats: number
}

/** The same minute of a server again, as often as somebody wants to know what an edit would do to whom. */
export interface Rehearsal {
  /** Each client now; `undefined` where no run reproduces the level. */
  readonly now: (level: string) => readonly Met[] | undefined
  /** The same after an edit; `undefined` where `now` is, or if the run does not end. */
  readonly after: (level: string, edit: ObjectSet) => readonly Met[] | undefined
}

export interface RehearsalInput {
  readonly observation: Observation
  readonly flows: ForecastEvidence['flows']
  readonly variant: Variant
}

/** Seconds of a run, and about how many requests it has: fewer seconds where there are more a second. */
const SECONDS = { least: 30, most: 70 } as const
const REQUESTS = 8_000
/** Limits follow an edit within a recomputation. */
const LEAST_SETTLING = 12
const SEED = 1
/** Calls of `mayGoOn`; a run that needs more is none. */
const MOST_CALLS = 1_500
/** Clients that are tried: as dumps show each, or all of one kind. */
const GUESSES: readonly Guess[] = [
  { clients: 'mixed', think: 0, onRejection: 'retry', flows: 6, elephant: 0.7 },
  { clients: 'closed', think: 0, onRejection: 'retry', flows: 6, elephant: 0.7 },
  { clients: 'open', think: 0, onRejection: 'next', flows: 6, elephant: 0.7 },
]
/** Weighted mean of relative errors up to which a run is about this level: more than a forecast in numbers may have. */
const CLOSE = 0.4
/** Other clients are not tried where a run is that close. */
const VERY_CLOSE = 0.2

interface Rehearsed {
  readonly observation: Observation
  readonly met: readonly Met[]
}

/**
 * Runs of a twin with three kinds of clients and one seed: enough for who gains and who loses, not for bands. `undefined`
 * where so many requests come that no run would end: trying takes as long as those that do.
 */
export function createRehearsal({ observation, flows, variant }: RehearsalInput): Rehearsal | undefined {
  const known = new Map(flows.map((one) => [one.schema, one.flows]))
  const configuration = classifyingConfiguration(
    variant.objects,
    variant.maxRequestsInFlight + variant.maxMutatingRequestsInFlight,
  )
  const smoothed = smoothedOf(observation, 'last')
  const sumOf = (of: (one: Quantities) => number) =>
    observation.levels.reduce((sum, { quantities }) => sum + of(quantities), 0)
  const perSecond = sumOf((one) => one.arrivalsPerSecond)
  const seconds = Math.min(SECONDS.most, Math.max(SECONDS.least, REQUESTS / Math.max(1, perSecond)))
  const warm = Math.round(seconds / 7)
  const settle = Math.max(LEAST_SETTLING, 2 * warm)
  const counted = Math.max(SHORTEST_SPAN_SECONDS, Math.round(seconds) - warm - settle)
  // A request arrives, and one that is dispatched ends.
  const eventsPerSecond = sumOf((one) => 2 * one.arrivalsPerSecond - one.rejectedPerSecond)
  if (eventsPerSecond * (warm + settle + counted) > MOST_CALLS * EVENTS_AT_ONCE) return undefined
  const run = (guess: Guess, edit: ObjectSet): Rehearsed | undefined => {
    const { workload } = twinTraffic(observation, configuration, () => guess, known)
    let [calls, finish] = [0, (): readonly Met[] => []]
    const one: TwinRun = {
      workload,
      variant,
      edit,
      smoothed,
      warmSeconds: warm,
      settleSeconds: settle,
      seconds: counted,
      seed: SEED,
      watched: (simulation) => {
        const measure = new Measure(simulation.engine, {
          clientOf: ({ owner }) => simulation.groupOf(owner),
          fromNs: secondsToNs(warm + settle),
          untilNs: secondsToNs(warm + settle + counted),
        })
        finish = () =>
          measure.end().map(({ schema, flow, client, rejected, waitsMs, seatNs }) => {
            // The level and the schema that the client had before the edit.
            const [level = '', was = schema, index = ''] = client.split('/')
            const named = known.get(was)?.[Number(index)]?.name
            return {
              level,
              name: flowName(named ?? flow, was),
              schema,
              requests: waitsMs.length + allRejected(rejected),
              rejected: allRejected(rejected),
              waited: waitsMs.reduce((sum, ms) => sum + ms, 0) / MS_PER_SECOND,
              seats: seatNs / secondsToNs(counted),
            }
          })
      },
    }
    const seen = runTwin(one, () => ++calls < MOST_CALLS)
    return seen && { observation: seen, met: finish() }
  }
  const controls = new Map<Guess, Rehearsed | undefined>()
  const control = (guess: Guess): Rehearsed | undefined => {
    if (!controls.has(guess)) controls.set(guess, run(guess, variant.objects))
    return controls.get(guess)
  }
  /** The first run that is very close, else the closest. */
  const best = (name: string) => {
    const levelOf = ({ levels }: Observation) => levels.find((level) => level.name === name)
    const is = levelOf(observation)
    let closest: { readonly guess: Guess; readonly found: Rehearsed; readonly error: number } | undefined
    for (const guess of GUESSES) {
      const found = control(guess)
      const level = found && levelOf(found.observation)
      if (found === undefined || is === undefined || level === undefined) continue
      const error = distance(is, level)
      if (closest === undefined || error < closest.error) closest = { guess, found, error }
      if (error <= VERY_CLOSE) break
    }
    return closest === undefined || closest.error > CLOSE ? undefined : closest
  }
  return {
    now: (level) => best(level)?.found.met,
    after: (level, edit) => {
      const closest = best(level)
      return closest && run(closest.guess, edit)?.met
    },
  }
}
