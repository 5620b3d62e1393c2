import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCommand, startCommand } from '../harness/command.ts'
import { VIEWER } from './identities.ts'
import { runLoad } from './load.ts'
import { trickle } from './profiles.ts'
import { startPrometheus, valuesOf, type ScrapingServer } from './prometheusServers.ts'
import { noPrometheus, scrapedCluster } from './scraped.ts'
import { noCluster } from './suite.ts'

/** Of quiet traffic; 30 for a release. */
const MINUTES = Number(process.env['APF_TRICKLE_MINUTES'] ?? 3)
const SCRAPE_SECONDS = 5

describe.skipIf(noCluster)('a server with a trickle of requests', () => {
  const { cluster, folder, scrape } = scrapedCluster()
  let prometheus: ScrapingServer | undefined

  beforeAll(async () => {
    if (noPrometheus) return
    const rules = join(folder(), 'rules.yaml')
    await runCommand('export', 'rules', rules, '--interval', String(SCRAPE_SECONDS), '--cluster-label', 'cluster')
    const settings = { rule_files: [rules] }
    const { server } = await scrape((target) =>
      startPrometheus(folder(), target, SCRAPE_SECONDS, join(folder(), 'queries.log'), [], settings),
    )
    prometheus = server
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
