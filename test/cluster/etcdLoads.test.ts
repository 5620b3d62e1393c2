import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { PRESETS } from '../../core/qos/advise.ts'
import { startCommand, type Running } from '../harness/command.ts'
import { type Answers, runLoad } from './load.ts'
import { freePort } from './process.ts'
import { loads, saturating, seed } from './profiles.ts'
import { noCluster, useCluster } from './suite.ts'

const SECONDS = Number(process.env['APF_ETCD_LOAD_SECONDS'] ?? 12)
const STARTERS = JSON.stringify({
  classes: PRESETS.flatMap(({ classes }) => classes),
  rules: PRESETS.flatMap(({ rules }) => rules),
})
const PROFILES = { ...loads, saturating }

const total = (answers: Answers): number => [...answers.values()].reduce((sum, count) => sum + count, 0)
const served = (answers: Answers): number => (answers.get(200) ?? 0) + (answers.get(201) ?? 0)
/** Broken connections, and failures of the server that are not about flow control. */
const failures = (answers: Answers): number =>
  [...answers].filter(([status]) => status === 0 || status >= 500).reduce((sum, [, count]) => sum + count, 0)

describe.skipIf(noCluster)('the load profiles on a kube-apiserver before the proxy, and on one before etcd', () => {
  const options = { maxInflight: 80, maxMutatingInflight: 40 }
  let folder = ''
  let proxy: Running | undefined
  const direct = useCluster(options)
  const proxied = useCluster({
    ...options,
    // In a process of its own: the clients of the load would share its thread.
    async beforeEtcd(etcdPort) {
      folder = await mkdtemp(join(tmpdir(), 'apf-etcd-loads-'))
      vi.stubEnv('APF_CONSOLE_STATE', folder)
      const rules = join(folder, 'rules.json')
      await writeFile(rules, STARTERS)
      const port = await freePort()
      const upstream = `http://127.0.0.1:${etcdPort}`
      const started = startCommand('etcd-proxy', '--upstream', upstream, '--rules', rules, '--port', String(port))
      proxy = started
      // A busy machine takes long to start a process.
      for (let tries = 0; tries < 600 && !started.output().includes('Management: '); tries++) await sleep(100)
      return { port, close: () => Promise.resolve(started.interrupt()) }
    },
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true, force: true })
  })

  test('the same answers, and no starter rule limits an API server', { timeout: 400_000 }, async () => {
    await seed(direct())
    await seed(proxied())
    for (const [name, clients] of Object.entries(PROFILES)) {
      const without = await runLoad(direct(), clients, SECONDS)
      const through = await runLoad(proxied(), clients, SECONDS)
      console.warn(
        `${name}: ${served(without)} of ${total(without)} requests served without the proxy, ${served(through)} of ${total(through)} through it.`,
      )
      // A busy machine may let either of them miss a deadline; the proxy must not be the only one that does.
      expect.soft(failures(through) > 0 && failures(without) === 0, `${name} fails through the proxy`).toBe(false)
      expect.soft(through.has(429) && !without.has(429), `${name} is rejected through the proxy`).toBe(false)
      expect.soft(served(through)).toBeGreaterThan(0)
    }
    proxy?.interrupt()
    await proxy?.ended
    expect(proxy?.told()).toBe('')
    expect(proxy?.output()).toMatch(/\d{3,} requests passed, 0 were delayed, 0 were limited\./)
  })
})
