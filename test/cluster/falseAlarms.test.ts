import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand, startCommand } from '../harness/command.ts'
import { VIEWER } from './identities.ts'
import { runLoad } from './load.ts'
import { seed, trickle } from './profiles.ts'
import { startPrometheus, valuesOf, whyNoPrometheus, type ScrapingServer } from './prometheusServers.ts'
import { startRelay, type Relay } from './relay.ts'
import { noCluster, useCluster } from './suite.ts'

/** Of quiet traffic; 30 for a release. */
const MINUTES = Number(process.env['APF_TRICKLE_MINUTES'] ?? 3)
const SCRAPE_SECONDS = 5
const reason = whyNoPrometheus()
if (reason !== undefined) console.warn(`Rules are not evaluated by Prometheus: ${reason}.`)

describe.skipIf(noCluster)('a server with a trickle of requests', () => {
  const cluster = useCluster({ maxInflight: 20, maxMutatingInflight: 10 })
  let folder = ''
  let relay: Relay | undefined
  let prometheus: ScrapingServer | undefined

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'apf-trickle-'))
    await seed(cluster())
    if (reason !== undefined) return
    relay = await startRelay(cluster(), VIEWER)
    const rules = join(folder, 'rules.yaml')
    await runCommand('export', 'rules', rules, '--interval', String(SCRAPE_SECONDS), '--cluster-label', 'cluster')
    const target = new URL(relay.url).host
    const settings = { rule_files: [rules] }
    prometheus = await startPrometheus(folder, target, SCRAPE_SECONDS, join(folder, 'queries.log'), [], settings)
  })
  afterAll(async () => {
    await prometheus?.stop()
    await relay?.close()
    await rm(folder, { recursive: true, force: true })
  })

  it(
    `fires no alert in ${MINUTES} min, in the console and in Prometheus`,
    async () => {
      const running = startCommand('watch', '--alert', '--kubeconfig', cluster().kubeconfig, '--context', VIEWER)
      const answers = await runLoad(cluster(), trickle, MINUTES * 60)
      const { code, output } = await runCommand('diagnose', '--kubeconfig', cluster().kubeconfig, '--seconds', '20')
      running.interrupt()
      await running.ended
      console.info(`Answers of the trickle: ${JSON.stringify([...answers])}.`)
      expect(answers.get(200)).toBeGreaterThan(MINUTES * 60)
      expect(running.told()).toBe('')
      expect(running.output()).toBe('')
      expect(code, output).toBe(0)
      if (prometheus === undefined) return
      const fired = `count_over_time(ALERTS{alertstate="firing"}[${MINUTES + 2}m])`
      expect(await valuesOf(prometheus.url, fired, ['alertname', 'priority_level'])).toEqual(new Map())
      const up = await valuesOf(prometheus.url, `sum_over_time(up[${MINUTES + 2}m])`, ['job'])
      expect(up.get('apiserver')).toBeGreaterThan((MINUTES * 60) / SCRAPE_SECONDS / 2)
    },
    (MINUTES + 3) * 60_000,
  )
})
