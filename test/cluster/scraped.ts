import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { Cluster } from './cluster.ts'
import { VIEWER } from './identities.ts'
import { seed } from './profiles.ts'
import {
  ensureVictoriaMetrics,
  startVictoriaMetrics,
  whyNoPrometheus,
  type ScrapingServer,
} from './prometheusServers.ts'
import { startRelay, type Relay } from './relay.ts'
import { useCluster } from './suite.ts'

const reason = whyNoPrometheus()
if (reason !== undefined) console.warn(`What needs Prometheus is skipped: ${reason}.`)

/** Whether no Prometheus can be started here: for `describe.skipIf`. The reason has been printed. */
export const noPrometheus = reason !== undefined

/** What scrapes a server, and the relay through which it does. */
export interface Scraping {
  readonly relay: Relay
  readonly server: ScrapingServer
}

export interface ScrapedCluster {
  readonly cluster: () => Cluster
  /** Its etcd, past the API server. */
  readonly etcdUrl: () => string
  /** Removed after the tests. */
  readonly folder: () => string
  /** Starts what scrapes the target, `host:port` of a relay of its own. */
  readonly scrape: (start: (target: string) => Promise<ScrapingServer>) => Promise<Scraping>
  /** A VictoriaMetrics; `undefined`, with the reason printed, where there is none. */
  readonly scrapeByVictoria: (seconds: number) => Promise<Scraping | undefined>
}

/**
 * A server of 20 + 10 seats with the objects that loads read, and whatever scrapes it, until the tests of the present `describe`
 * are over. What a `describe` cleans up itself is done before.
 */
export function scrapedCluster(): ScrapedCluster {
  let etcdPort = 0
  const cluster = useCluster({
    maxInflight: 20,
    maxMutatingInflight: 10,
    beforeEtcd: (port) => Promise.resolve({ port: (etcdPort = port), close: () => Promise.resolve() }),
  })
  const closing: (() => Promise<void>)[] = []
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'apf-scraped-'))
    await seed(cluster())
  })
  afterAll(async () => {
    for (const close of closing) await close()
    await rm(folder, { recursive: true, force: true })
  })
  const scrape: ScrapedCluster['scrape'] = async (start) => {
    const relay = await startRelay(cluster(), VIEWER)
    closing.unshift(() => relay.close())
    const server = await start(new URL(relay.url).host)
    closing.unshift(() => server.stop())
    return { relay, server }
  }
  return {
    cluster,
    etcdUrl: () => `http://127.0.0.1:${etcdPort}`,
    folder: () => folder,
    scrape,
    async scrapeByVictoria(seconds) {
      const victoria = await ensureVictoriaMetrics()
      if ('path' in victoria) return scrape((target) => startVictoriaMetrics(folder, target, seconds, victoria.path))
      console.warn(`Not tested with VictoriaMetrics: ${victoria.reason}.`)
      return undefined
    },
  }
}
