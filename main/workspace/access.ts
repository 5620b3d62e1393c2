import { join } from 'node:path'
import type { SourceSpec } from '../../core/contract/source.ts'
import type { Consent } from '../cluster/consent.ts'
import type { SourceResult } from '../ports/source.ts'
import type { Environment } from '../ports/environment.ts'
import type { Access } from './workspace.ts'

/** The resources of this machine that sources need. */
interface Surroundings {
  readonly consent: Consent
  /** File of the recorded demo. */
  readonly recording: string
  readonly stateDir: string
}

/**
 * The real environment of the workspace. The code of each source is loaded on first use: the client library of clusters
 * takes longer to load than everything else together, and no source needs that of another.
 */
export function systemAccess(recording: string, stateDir: string, consent: Consent): Access {
  return {
    consent,
    makeSource: (spec, environment) => makeSource(spec, environment, { recording, stateDir, consent }),
    listContexts: async (file) =>
      (await import('../cluster/contexts.ts')).listContexts(file, process.env, consent.named),
    permissionReports: async (target) => (await import('../cluster/permissions.ts')).permissionReports(target, consent),
    prometheusServers: async (target, environment) =>
      (await import('../sources/prometheus.ts')).prometheusServers(target, environment, consent),
    clusterServices: async (through, named, environment) =>
      (await import('../sources/prometheus/clusterServices.ts')).clusterServices(through, named, {
        environment,
        consent,
      }),
    recordings: async () => (await import('../recordings/shelf.ts')).shelf(stateDir),
    readClusterObjects: async (target) =>
      (await import('../cluster/readObjects.ts')).readClusterObjects(target, consent),
    readManifestFiles: async (files) => (await import('../sources/files/manifests.ts')).readManifestFiles(files),
  }
}

async function makeSource(
  spec: SourceSpec,
  environment: Environment,
  { recording, stateDir, consent }: Surroundings,
): Promise<SourceResult> {
  switch (spec.kind) {
    case 'simulation': {
      const simulation = (await import('../sources/simulation.ts')).createSimulationSource(spec, environment)
      return { ok: true, source: simulation, simulation }
    }
    case 'demo':
      return (await import('../sources/demo.ts')).createDemoSource(recording, environment)
    case 'recording':
      return (await import('../sources/recording.ts')).createRecordingSource(spec, { environment, stateDir })
    case 'run':
      return (await import('../sources/run.ts')).createRunSource(spec)
    case 'files':
      return (await import('../sources/files.ts')).createFilesSource(spec.files, environment)
    case 'scrape':
      return (await import('../sources/scrape.ts')).createScrapeSource(spec, environment, consent)
    case 'prometheus':
      return (await import('../sources/prometheus.ts')).createPrometheusSource(spec, environment, consent)
    case 'proxy': {
      const { createProxySource } = await import('../sources/liveProxy.ts')
      return createProxySource(spec, { environment, consent, folder: join(stateDir, 'proxy') })
    }
    case 'etcd': {
      const { createEtcdSource } = await import('../sources/etcd.ts')
      return createEtcdSource(spec, { environment, stateDir })
    }
    case 'feed': {
      const { createFeedSource } = await import('../sources/liveFeed.ts')
      return createFeedSource(spec, { environment, consent, stateDir })
    }
  }
}
