import { z } from 'zod'
import { Clock, Integrator, type IntegratorResults } from '../engine/clock.ts'
import { DroppedRequests } from '../engine/reporter.ts'
import { TimingRatioHistogram } from '../engine/timingRatioHistogram.ts'
import { QuestionError, double, int, int64, list, oneOf, record, row, someOf, text } from './question.ts'

/** A Go slice to which nothing was appended is null in JSON. */
export const orNull = <T>(items: readonly T[]): readonly T[] | null => (items.length === 0 ? null : items)

const orNaN = (value: number): number | 'NaN' => (Number.isNaN(value) ? 'NaN' : value)

/** JSON has no NaN: it is written as the string "NaN". */
export function printable(results: IntegratorResults): Record<keyof IntegratorResults, number | 'NaN'> {
  const { duration, average, deviation, min, max } = results
  return { duration, average: orNaN(average), deviation: orNaN(deviation), min, max }
}

export const integratorQuestion = record({
  steps: list(row({ at: int64, op: oneOf('set', 'add', 'results', 'reset'), x: double })),
})

/** The readings of one integrator (specification 6.3). */
export function answerIntegrator({ steps }: z.output<typeof integratorQuestion>) {
  const clock = new Clock()
  const integrator = new Integrator(clock)
  const results = steps.flatMap(({ at, op, x }) => {
    clock.moveToExact(at)
    switch (op) {
      case 'set':
      case 'add':
        integrator.set(op === 'add' ? integrator.value + x : x)
        return []
      case 'results':
        return [printable(integrator.results())]
      case 'reset':
        return [printable(integrator.reset())]
    }
  })
  return { results: orNull(results) }
}

export const timingQuestion = record({
  buckets: someOf(z.number({ error: 'must be a number' }))
    .min(1, 'must have a bound')
    .refine((bounds) => bounds.every((bound, i) => i === 0 || bound > (bounds[i - 1] ?? bound)), 'must be increasing'),
  numerator: double,
  denominator: double,
  steps: list(row({ at: int64, op: oneOf('set', 'add', 'denominator', 'scrape'), x: double })),
})

/** Scrapes of one timing-ratio histogram (specification 8.2). */
export function answerTiming({ buckets, numerator, denominator, steps }: z.output<typeof timingQuestion>) {
  const clock = new Clock()
  const histogram = new TimingRatioHistogram(clock, buckets, numerator, denominator)
  const scrapes = steps.flatMap(({ at, op, x }) => {
    clock.moveToExact(at)
    switch (op) {
      case 'set':
        histogram.setNumerator(x)
        return []
      case 'add':
        histogram.add(x)
        return []
      case 'denominator':
        histogram.setDenominator(x)
        return []
      case 'scrape':
        return [scraped(histogram)]
    }
  })
  return { scrapes: orNull(scrapes) }
}

function scraped(histogram: TimingRatioHistogram) {
  const { count, sum, cumulative } = histogram.snapshot()
  if (!Number.isFinite(sum)) throw new QuestionError('denominator must not be zero while time passes.')
  return { count: String(count), sum, cumulative: cumulative.map(String) }
}

export const retryAfterQuestion = record({
  steps: list(row({ unixSeconds: int, priorityLevel: text, drops: int })),
})

/** The value of Retry-After after each step (specification 4.14). */
export function answerRetryAfter({ steps }: z.output<typeof retryAfterQuestion>) {
  const tracker = new DroppedRequests()
  const values = steps.map(({ unixSeconds, priorityLevel, drops }) => {
    for (let i = 0; i < drops; i++) tracker.record(priorityLevel, unixSeconds)
    return tracker.retryAfter(priorityLevel)
  })
  return { values: orNull(values) }
}
