import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Histogram as Buckets } from '../../core/frame/frame.ts'
import { FAMILY } from '../../core/metrics/familyNames.ts'
import { parseKubernetesVersion } from '../../core/metrics/versions.ts'
import type { Exposed, FamilyRule } from '../../core/simulate/exposed.ts'
import { exposedFamilies } from '../../core/simulate/exposedFamilies.ts'
import type { SimulatedApiServer } from '../ports/source.ts'

export interface MetricsPage {
  readonly contentType: string
  readonly body: string
}

/**
 * The metrics page of this instant. The engine counts for itself; nothing is recorded here between two pages. As on a real
 * server, a family without a series yet is not on the page at all.
 */
export async function metricsPage(server: MeasuredEngine): Promise<MetricsPage> {
  const registry = new Registry()
  registerEngine(registry, server)
  return { contentType: registry.contentType, body: await registry.metrics() }
}

/** An engine, and the gitVersion that it claims. */
export interface MeasuredEngine {
  readonly version: string
  readonly engine: Pick<SimulatedApiServer['engine'], 'snapshot'>
}

/** The engine's families of this instant; `without` names those that the page has from elsewhere. */
export function registerEngine(
  registry: Registry,
  { engine, version }: MeasuredEngine,
  without: ReadonlySet<string> = new Set(),
): void {
  const snapshot = engine.snapshot()
  for (const family of [...exposedFamilies(version), buildInfo(version)]) {
    const exposed = without.has(family.name) ? [] : family.expose(snapshot)
    if (exposed.length > 0) register(registry, family, exposed)
  }
}

function register(registry: Registry, { name, type, help }: FamilyRule, exposed: readonly Exposed[]): void {
  const labelNames = Object.keys(exposed[0]?.labels ?? {})
  const head = { name, help, labelNames, registers: [registry] }
  switch (type) {
    case 'histogram':
      registry.registerMetric(new CountedHistogram({ ...head, registers: [] }, exposed))
      return
    case 'counter': {
      const counter = new Counter(head)
      for (const { labels, value } of exposed) if (typeof value === 'number') counter.inc({ ...labels }, value)
      return
    }
    case 'gauge': {
      const gauge = new Gauge(head)
      for (const { labels, value } of exposed) if (typeof value === 'number') gauge.set({ ...labels }, value)
    }
  }
}

type HistogramHead = ConstructorParameters<typeof Histogram<string>>[0]

/** A line of a histogram as the library's registry writes it. */
interface HistogramLine {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A histogram whose observations were counted elsewhere: the library's own can only be filled one by one. */
class CountedHistogram extends Histogram {
  private readonly head: HistogramHead
  private readonly exposed: readonly Exposed[]

  constructor(head: HistogramHead, exposed: readonly Exposed[]) {
    super(head)
    this.head = head
    this.exposed = exposed
  }

  /** In the library, too, this is what the registry asks when it writes the page. */
  async getForPromString() {
    const { name, help } = this.head
    const values = this.exposed.flatMap(({ labels, value }) =>
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

/** Which version the server claims to be; what only a build knows is empty. */
function buildInfo(version: string): FamilyRule {
  const parsed = parseKubernetesVersion(version)
  const labels = {
    build_date: '',
    compiler: '',
    git_commit: '',
    git_tree_state: '',
    git_version: version,
    go_version: '',
    major: String(parsed?.major ?? ''),
    minor: String(parsed?.minor ?? ''),
    platform: '',
  }
  return {
    name: FAMILY.buildInfo,
    type: 'gauge',
    help: "[BETA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
    expose: () => [{ labels, value: 1 }],
  }
}
