import type { Outcomes } from '../contract/whatif.ts'
import { failed, type VariantResult } from '../whatif/results.ts'
import { type Assertion, MEASURES, type MeasureName } from './scenario.ts'

/** An assertion about one variant, with what was measured. */
export interface Checked {
  readonly assertion: Assertion
  readonly value: number
  readonly holds: boolean
}

export function check(assertion: Assertion, result: VariantResult): Checked {
  const value = measured(assertion, result)
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

function outcomesOf({ of }: Assertion, { total, clients, levels }: VariantResult): Outcomes {
  if (of === undefined) return total
  const found =
    of.kind === 'clients'
      ? clients.find(({ client }) => client === of.name)
      : levels.find(({ level }) => level === of.name)
  return found ?? NOTHING
}

function measured(assertion: Assertion, result: VariantResult): number {
  if (assertion.measure === 'currentLimit') {
    const level = result.levels.find((one) => one.level === assertion.of?.name)
    return level?.limits?.current ?? 0
  }
  return MEASURED[assertion.measure](outcomesOf(assertion, result), result.seconds)
}

const percent = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole)

const rejectedOf = ({ rejected }: Outcomes): number => failed({ rejected, expired: 0 })

/** Of what ended within the period. */
const MEASURED: Readonly<
  Record<Exclude<MeasureName, 'currentLimit'>, (outcomes: Outcomes, seconds: number) => number>
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

/** `failedPercent of leases ≤ 0.1 %`. */
export function assertionText({ of, measure, least, most }: Assertion): string {
  const unit = MEASURES[measure]
  const bound = (value: number): string => (unit === '' ? String(value) : `${value} ${unit}`)
  const subject = of === undefined ? 'everything' : of.kind === 'level' ? `level ${of.name}` : of.name
  const bounds = [
    ...(least === undefined ? [] : [`≥ ${bound(least)}`]),
    ...(most === undefined ? [] : [`≤ ${bound(most)}`]),
  ]
  return `${measure} of ${subject} ${bounds.join(' and ')}`
}
