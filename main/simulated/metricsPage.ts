import { Counter, Gauge, Registry } from 'prom-client'
import { FAMILY } from '../../core/metrics/familyNames.ts'
import { parseKubernetesVersion } from '../../core/metrics/versions.ts'
import type { Exposed, FamilyRule } from '../../core/simulate/exposed.ts'
import { exposedFamilies } from '../../core/simulate/exposedFamilies.ts'
import type { SimulatedApiServer } from '../ports/source.ts'
import { CountedHistogram } from './countedHistogram.ts'

export interface MetricsPage {
  readonly contentType: string
  readonly body: string
}

/**
 * The metrics page of this instant. The engine counts by itself; nothing is recorded here between two pages. As on a
 * real server, a family without a series yet is not on the page at all.
 */
export async function metricsPage(server: MeasuredEngine): Promise<MetricsPage> {
  const registry = new Registry()
  registerEngine(registry, server)
  return { contentType: registry.contentType, body: await registry.metrics() }
}

/** An engine, and the gitVersion that it reports. */
export interface MeasuredEngine {
  readonly version: string
  readonly engine: Pick<SimulatedApiServer['engine'], 'snapshot'>
}

/** The engine's families of this instant; `without` lists those that the page has from elsewhere. */
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
      registry.registerMetric(new CountedHistogram({ ...head, registers: [] }, () => exposed))
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

/** The version that the server reports; fields that only a build has are empty. */
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
