import { Histogram } from 'prom-client'
import type { Histogram as Buckets } from '../../core/frame/frame.ts'
import type { Exposed } from '../../core/simulate/exposed.ts'

type HistogramHead = ConstructorParameters<typeof Histogram<string>>[0]

/** A line of a histogram as the library's registry writes it. */
interface HistogramLine {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A histogram whose observations are counted elsewhere: the library's own can only be filled one by one. */
export class CountedHistogram extends Histogram {
  private readonly head: HistogramHead
  private readonly exposed: () => readonly Exposed[]

  /** `exposed` is called for each page. */
  constructor(head: HistogramHead, exposed: () => readonly Exposed[]) {
    super(head)
    this.head = head
    this.exposed = exposed
  }

  /** The registry of the library calls this when it writes the page. */
  async getForPromString() {
    const { name, help } = this.head
    const values = this.exposed().flatMap(({ labels, value }) =>
      typeof value === 'number' ? [] : linesOf(name, labels, value),
    )
    return { name, help, type: 'histogram', values }
  }
}

const linesOf = (
  name: string,
  labels: Exposed['labels'],
  { bounds, counts, sum, count }: Buckets,
): readonly HistogramLine[] => [
  ...counts.map((value, i) => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le: String(bounds[i] ?? '+Inf') },
    value,
  })),
  { metricName: `${name}_sum`, labels, value: sum },
  { metricName: `${name}_count`, labels, value: count },
]
