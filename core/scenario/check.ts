import type { Outcomes } from '../contract/whatif.ts'
import { failed, rejectedOf, type VariantResult } from '../whatif/results.ts'
import { type Assertion, type Measured, MEASURE_WORDS, MEASURES, type MeasureName } from './scenario.ts'

/** An assertion about one variant, with the measured value. */
export interface Checked {
  readonly assertion: Assertion
  readonly value: number
  readonly holds: boolean
}

/** Counts of a run other than request outcomes, by name. */
export interface Counts {
  /** Requests of on-demand clients that had not been sent at the end. */
  readonly backlog: ReadonlyMap<string, number>
  /** Objects that controllers wrote since the start. */
  readonly writes: ReadonlyMap<string, number>
}

const NOTHING_COUNTED: Counts = { backlog: new Map(), writes: new Map() }

export function check(assertion: Assertion, result: VariantResult, counts?: Counts): Checked {
  const value = measuredIn(result, assertion, counts)
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = assertion
  return { assertion, value, holds: value >= least && value <= most }
}

const NOTHING: Outcomes = {
  offered: 0,
  served: 0,
  expired: 0,
  rejected: { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 },
  waitMs: { p50: 0, p90: 0, p99: 0, max: 0 },
  seats: 0,
}

function outcomesOf({ of }: Measured, { total, clients, levels }: VariantResult): Outcomes {
  if (of === undefined) return total
  const found =
    of.kind !== 'level'
      ? clients.find(({ client }) => client === of.name)
      : levels.find(({ level }) => level === of.name)
  return found ?? NOTHING
}

/** The value of a measure in the result of one variant, in the unit of `MEASURES`. */
export function measuredIn(result: VariantResult, measured: Measured, counts = NOTHING_COUNTED): number {
  const { measure, of } = measured
  if (measure === 'backlog' || measure === 'writes') {
    const counted = counts[measure]
    return of === undefined ? [...counted.values()].reduce((sum, one) => sum + one, 0) : (counted.get(of.name) ?? 0)
  }
  if (measure === 'currentLimit') {
    const level = result.levels.find((one) => one.level === of?.name)
    return level?.limits?.current ?? 0
  }
  return MEASURED[measure](outcomesOf(measured, result), result.seconds)
}

const percent = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole)

/** From requests that ended within the period. */
const MEASURED: Readonly<
  Record<Exclude<MeasureName, 'currentLimit' | 'backlog' | 'writes'>, (outcomes: Outcomes, seconds: number) => number>
> = {
  failedPercent: (one) => percent(failed(one), failed(one) + one.served),
  rejectedPercent: (one) => percent(rejectedOf(one), failed(one) + one.served),
  servedPerSecond: (one, seconds) => one.served / seconds,
  offered: (one) => one.offered,
  served: (one) => one.served,
  expired: (one) => one.expired,
  queueFull: ({ rejected }) => rejected['queue-full'],
  concurrencyLimit: ({ rejected }) => rejected['concurrency-limit'],
  timedOut: ({ rejected }) => rejected['time-out'],
  waitP50: ({ waitMs }) => waitMs.p50,
  waitP90: ({ waitMs }) => waitMs.p90,
  waitP99: ({ waitMs }) => waitMs.p99,
  waitMax: ({ waitMs }) => waitMs.max,
  seats: (one) => one.seats,
  jain: ({ jain }) => jain ?? 1,
}

/** `failed requests of leases ≤ 0.1 %`. */
export function assertionText(assertion: Assertion): string {
  const { measure, least, most } = assertion
  const unit = MEASURES[measure]
  const bound = (value: number): string =>
    unit === '' || unit === 'requests' || unit === 'objects' ? String(value) : `${value} ${unit}`
  const bounds = [
    ...(least === undefined ? [] : [`≥ ${bound(least)}`]),
    ...(most === undefined ? [] : [`≤ ${bound(most)}`]),
  ]
  return `${measuredText(assertion)} ${bounds.join(' and ')}`
}

/** `failed requests of leases`, `wait p99 of level workload-low`. */
export function measuredText({ of, measure }: Measured): string {
  const subject = of === undefined ? 'everything' : of.kind === 'clients' ? of.name : `${of.kind} ${of.name}`
  return `${MEASURE_WORDS[measure]} of ${subject}`
}
