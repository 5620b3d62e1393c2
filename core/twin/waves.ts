import type { DumpedFlow } from '../contract/forecast.ts'
import { meanOf, sumOf } from './observe.ts'

/** A flow of a schema: known from dumps, or guessed. */
export type TwinFlow = Pick<DumpedFlow, 'share'> & Partial<Omit<DumpedFlow, 'name' | 'share'>>

/** What one flow of a schema sends, in each step. */
export interface Sent {
  /** Requests per second. */
  readonly rates: readonly number[]
  /** Its requests that wait or execute. */
  readonly present: readonly number[]
  /** How long its requests execute, compared with the mean of the schema. */
  readonly slowness?: number
  /** The part of its requests that is wider than one seat. */
  readonly wide?: number
}

/** Of one schema, in the steps of an observation. */
interface Steps {
  /** Requests per second of all flows. */
  readonly rates: readonly number[]
  readonly stepMs: number
  readonly fromMs: number
}

/** Requests of all waves up to this part of their most are none. */
const QUIET_PART = 0.1
/** Fewer steps between waves do not show what the others send. */
const FEWEST_QUIET = 3

/**
 * What each flow of a schema sends where dumps show that some come in waves: what others send at other times, they send
 * all the time, and what comes beyond that during a wave is its own. Dumps alone count requests that take long too often.
 * `factors`: how much longer narrow and wide requests take than the mean. `undefined` without such flows or without time between their waves.
 */
export function sentInWaves(
  flows: readonly TwinFlow[],
  steps: Steps,
  factors: { readonly narrow: number; readonly wide: number },
): readonly Sent[] | undefined {
  const { rates } = steps
  const counts = flows.map((flow) => flow.counts && countsIn(flow.counts, steps))
  const inAll = rates.map((_, step) => sumOf(counts.map((own) => own?.[step] ?? 0)))
  const most = Math.max(...inAll)
  const quiet = rates.filter((_, step) => (inAll[step] ?? 0) <= QUIET_PART * most)
  if (most === 0 || quiet.length < FEWEST_QUIET) return undefined
  const steadyShare = sumOf(flows.map(({ share }, flow) => (counts[flow] === undefined ? share : 0)))
  const base = steadyShare > 0 ? (meanOf(quiet) ?? 0) : 0
  const weights = rates.map((_, step) => sumOf(flows.map(({ share }, flow) => share * (counts[flow]?.[step] ?? 0))))
  const sent = flows.map(({ share, present = 0 }, flow) => {
    const own = counts[flow]
    if (own === undefined) {
      return {
        rates: rates.map((rate) => (Math.min(rate, base) * share) / steadyShare),
        present: rates.map(() => present),
      }
    }
    const part = (step: number): number => (share * (own[step] ?? 0)) / Math.max(Number.MIN_VALUE, weights[step] ?? 0)
    return { rates: rates.map((rate, step) => Math.max(0, rate - base) * part(step)), present: own }
  })
  // By Little's law.
  const executing = flows.map(({ present = 0, course }) => present * (1 - (course?.waiting ?? 0)))
  const perSecond = sent.map((one) => Math.max(LEAST_PER_SECOND, meanOf(one.rates) ?? 0))
  const mean = sumOf(executing) / sumOf(perSecond)
  return sent.map((one, flow) => {
    const slowness = (executing[flow] ?? 0) / (perSecond[flow] ?? 1) / mean
    const { wide: dumped, course } = flows[flow] ?? {}
    if (dumped === undefined) return { ...one, slowness }
    const waiting = course?.waiting ?? 0
    const longer = waiting + (1 - waiting) * (factors.wide / factors.narrow)
    const wide = dumped / (dumped + longer * (1 - dumped))
    return { ...one, wide, slowness: slowness / (wide * factors.wide + (1 - wide) * factors.narrow) }
  })
}
const LEAST_PER_SECOND = 1e-9

/** The requests of a flow in each step: those in the nearest dump. `undefined` if dumps began much later. */
function countsIn(
  counts: NonNullable<DumpedFlow['counts']>,
  { rates, stepMs, fromMs }: Steps,
): readonly number[] | undefined {
  if ((counts[0]?.atMs ?? Number.POSITIVE_INFINITY) > fromMs + MOST_LATE_MS) return undefined
  let next = 0
  return rates.map((_, step) => {
    const at = fromMs + (step + 0.5) * stepMs
    const apart = (dump: number): number => Math.abs((counts[dump]?.atMs ?? Number.POSITIVE_INFINITY) - at)
    while (next < counts.length - 1 && apart(next + 1) <= apart(next)) next++
    return counts[next]?.count ?? 0
  })
}

const MOST_LATE_MS = 15_000
