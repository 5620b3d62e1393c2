import type { FitLevel, Observation } from '../contract/forecast.ts'
import { isExempt } from '../frame/reading.ts'
import type { ClientGroup, Steps } from '../simulate/workload.ts'
import type { SweepBase } from '../sweep/sweep.ts'
import { SETTLE_SECONDS } from '../twin/forecast.ts'
import { arrivalsIn, spanSeconds, sumOf } from '../twin/observe.ts'
import { type Twin, twinRun } from '../twin/twin.ts'
import { plain } from '../text/format.ts'
import { MS_PER_SECOND, secondsToNs } from '../units.ts'

const TWIN_SEED = 1
/** A shorter part of a wave is too little for a p99. */
const LEAST_SECONDS = 45

/** The part of an observation that is simulated, in steps. */
interface Part {
  readonly first: number
  readonly count: number
}

/**
 * The clients of a twin's best guess, which continue to send after the observed time, with its server; and what that is
 * fitted to, in a sentence. At most about so many requests: those of the time with the most requests under way.
 */
export function twinBase(
  twin: Twin,
  mostRequests = Number.POSITIVE_INFINITY,
): { readonly base: SweepBase; readonly text: string } {
  const { run } = twinRun(twin, (level) => twin.guesses.get(level)?.[0], TWIN_SEED)
  const { workload, smoothed, warmSeconds } = run
  const part = busiestPart(twin.observation, mostRequests)
  const seconds = part === undefined ? run.seconds : (part.count * twin.observation.stepMs) / MS_PER_SECOND
  const groups = part === undefined ? workload.groups : workload.groups.map((group) => cutTo(part, group))
  const from = warmSeconds + SETTLE_SECONDS
  const [fromNs, untilNs] = [secondsToNs(from), secondsToNs(from + seconds)]
  const busiest =
    part === undefined ? '' : ` The search simulates the ${plain.fixed(seconds)} s of them with the most requests.`
  return {
    base: {
      kind: 'clients',
      traffic: { workload: { ...workload, groups }, seed: TWIN_SEED, startUnixMs: 0, fromNs, untilNs, smoothed },
      variant: twin.variant,
    },
    text: `${spanText(twin)}${busiest}`,
  }
}

/** `undefined` where all of it has few enough requests. */
function busiestPart(observation: Observation, mostRequests: number): Part | undefined {
  const { levels, stepMs } = observation
  const wanted = Math.max(LEAST_SECONDS, mostRequests / Math.max(1, arrivalsIn(observation)))
  const schemas = levels.filter((level) => !isExempt(level)).flatMap((level) => level.schemas)
  const steps = Math.max(0, ...schemas.map(({ present }) => present.length))
  const count = Math.ceil((wanted * MS_PER_SECOND) / stepMs)
  if (wanted >= spanSeconds(observation) || count >= steps) return undefined
  const underWay = Array.from({ length: steps }, (_, step) => sumOf(schemas.map(({ present }) => present[step] ?? 0)))
  const sums = underWay.map((_, first) => sumOf(around({ first, count }, underWay)))
  return { first: sums.indexOf(Math.max(...sums)), count }
}

/** These steps: after the last one comes the first one, as in a run. */
const around = ({ first, count }: Part, values: readonly number[]): readonly number[] =>
  Array.from({ length: count }, (_, step) => values[(first + step) % values.length] ?? 0)

/** The clients as they are in this part of the time, over and over. */
function cutTo(part: Part, group: ClientGroup): ClientGroup {
  const { behaviour } = group
  const cut = (steps: Steps): Steps => ({ ...steps, values: around(part, steps.values) })
  if (behaviour.kind === 'closed' && behaviour.active !== undefined) {
    return { ...group, behaviour: { ...behaviour, active: cut(behaviour.active) } }
  }
  if (behaviour.kind === 'open' && behaviour.arrivals.kind === 'steps') {
    const arrivals = { ...behaviour.arrivals, perSecond: cut(behaviour.arrivals.perSecond) }
    return { ...group, behaviour: { ...behaviour, arrivals } }
  }
  return group
}

/** The requests that a twin reproduces. */
function spanText({ observation }: Pick<Twin, 'observation'>): string {
  return `The twin is fitted to the ${Math.round(spanSeconds(observation))} s before ${plain.instant(observation.untilMs)}.`
}

/** A sentence for each level that a twin does not reproduce. */
export const misfits = (fit: readonly FitLevel[]): readonly string[] =>
  fit.flatMap(({ level, error, fits }) =>
    fits
      ? []
      : [
          `The twin does not reproduce ${level} (error ${Math.round(error * 100)} %): do not rely on the numbers of that level.`,
        ],
  )
