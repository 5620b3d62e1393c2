import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import type { SourceSpec } from '../../core/contract/source.ts'
import type { SourceInfo } from '../../core/frame/frame.ts'
import type { MemoryLiveOptions } from './memoryLive.ts'

export const scrapeSpec = (context: string): SourceSpec => ({
  kind: 'scrape',
  target: { kind: 'kubeconfig', context },
  cadence: { intervalMs: 1_000, dumpsEveryMs: 5_000 },
})

const PROXY: SourceSpec = {
  kind: 'proxy',
  upstream: { kind: 'kubeconfig', context: 'prod-eu-1' },
  port: 41_233,
  mode: 'observe',
  identity: 'kubeconfig',
  objects: 'upstream',
  allowExec: false,
  maxRequestsInFlight: 400,
  maxMutatingRequestsInFlight: 200,
}

export const LIVE_SPECS: Readonly<Record<MemoryLiveOptions['mode'], SourceSpec>> = {
  observe: PROXY,
  enforce: { ...PROXY, mode: 'enforce' },
  feed: {
    kind: 'feed',
    feed: { kind: 'audit-file', path: '/var/log/kubernetes/audit.log', follow: true },
    maxRequestsInFlight: 400,
    maxMutatingRequestsInFlight: 200,
  },
  simulation: SimulationSpecSchema.parse({ kind: 'simulation' }),
}

/** What the console calls a source. */
export function sourceOf(spec: SourceSpec): SourceInfo {
  const kind = spec.kind === 'files' ? 'file' : spec.kind
  return { kind, name: nameOf(spec), via: VIA[kind] ?? 'recording of v1.36.3, loops' }
}

const VIA: Partial<Record<SourceInfo['kind'], string>> = {
  proxy: 'live proxy',
  scrape: '/metrics direct',
  file: 'opened file',
}

function nameOf(spec: SourceSpec): string {
  if (spec.kind === 'demo') return 'demo'
  if (spec.kind === 'simulation') return 'Simulated cluster'
  if (spec.kind === 'files') return spec.files[0]?.name ?? 'file'
  if (spec.kind === 'prometheus') return spec.cluster ?? new URL(spec.url).host
  if (spec.kind === 'feed') return 'audit.log'
  if (spec.kind === 'proxy') return spec.upstream.kind === 'url' ? spec.upstream.url : 'prod-eu-1'
  return spec.target.kind === 'kubeconfig' ? (spec.target.context ?? 'current context') : 'metrics URLs'
}
