import type { Exposed } from '../../core/simulate/exposed.ts'

// Values of every request are counted here and passed to the library when a page is written: the library validates and
// hashes the labels of each observation, which took 4 % of the processor time of a proxied request
// (docs/decisions/021).

/** The count for one set of label values. */
interface Series<T> {
  readonly labels: Readonly<Record<string, string>>
  readonly counted: T
}

/** Series by the values of their labels, one for each set of values that occurred. */
class SeriesMap<T> {
  readonly #names: readonly string[]
  readonly #start: () => T
  readonly #known = new Map<string, Series<T>>()

  constructor(names: readonly string[], start: () => T) {
    this.#names = names
    this.#start = start
  }

  of(values: readonly string[]): T {
    const key = values.join('\0')
    let found = this.#known.get(key)
    if (found === undefined) {
      const labels = Object.fromEntries(this.#names.map((name, place) => [name, values[place] ?? '']))
      found = { labels, counted: this.#start() }
      this.#known.set(key, found)
    }
    return found.counted
  }

  all(): Iterable<Series<T>> {
    return this.#known.values()
  }
}

/** A counter; label values in the order of the label names. */
export class CounterTally {
  readonly #series: SeriesMap<{ count: number }>

  constructor(labelNames: readonly string[]) {
    this.#series = new SeriesMap(labelNames, () => ({ count: 0 }))
  }

  inc(...values: readonly string[]): void {
    this.#series.of(values).count += 1
  }

  counts(): readonly { readonly labels: Readonly<Record<string, string>>; readonly count: number }[] {
    return Array.from(this.#series.all(), ({ labels, counted: { count } }) => ({ labels, count }))
  }
}

interface Buckets {
  /** Count of each bucket by itself; the last one has no bound. */
  readonly counts: number[]
  sum: number
}

/** A histogram; label values in the order of the label names. */
export class HistogramTally {
  readonly #bounds: readonly number[]
  readonly #series: SeriesMap<Buckets>

  /** Without labels, its series exists from the start. */
  constructor(bounds: readonly number[], labelNames: readonly string[]) {
    this.#bounds = bounds
    this.#series = new SeriesMap(labelNames, () => ({ counts: Array<number>(bounds.length + 1).fill(0), sum: 0 }))
    if (labelNames.length === 0) this.#series.of([])
  }

  observe(value: number, ...values: readonly string[]): void {
    const bounds = this.#bounds
    const series = this.#series.of(values)
    const { counts } = series
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1
    counts[bucket] = (counts[bucket] ?? 0) + 1
    series.sum += value
  }

  exposed(): readonly Exposed[] {
    return Array.from(this.#series.all(), ({ labels, counted: { counts, sum } }) => {
      let upTo = 0
      const cumulative = counts.map((count) => (upTo += count))
      return { labels, value: { bounds: [...this.#bounds], counts: cumulative, sum, count: upTo } }
    })
  }
}
