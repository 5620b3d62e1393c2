import { describe, expect, test } from 'vitest'
import { PRESETS } from '../../core/qos/advise.ts'
import { type ProxiedEtcd, proxyBefore } from './etcdServer.ts'
import { type Answers, runLoad } from './load.ts'
import { loads, saturating, seed } from './profiles.ts'
import { noCluster, useCluster } from './suite.ts'

const SECONDS = 12
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
  let proxy: ProxiedEtcd | undefined
  const direct = useCluster(options)
  const proxied = useCluster({
    ...options,
    async beforeEtcd(port) {
      const opened = await proxyBefore(`http://127.0.0.1:${port}`, STARTERS)
      proxy = opened
      return { port: Number(new URL(opened.url).port), close: () => opened.close() }
    },
  })

  test('the same answers, and no starter rule limits an API server', { timeout: 400_000 }, async () => {
    const verdicts = { passed: 0, delayed: 0, limited: 0 }
    proxy?.door.on('decided', ({ verdict }) => (verdicts[verdict] += 1))
    await seed(direct())
    await seed(proxied())
    for (const [name, clients] of Object.entries(PROFILES)) {
      const without = await runLoad(direct(), clients, SECONDS)
      const through = await runLoad(proxied(), clients, SECONDS)
      console.warn(
        `${name}: ${served(without)} of ${total(without)} requests served without the proxy, ${served(through)} of ${total(through)} through it.`,
      )
      expect.soft(failures(through) > 0, `${name} fails through the proxy`).toBe(failures(without) > 0)
      expect.soft(through.has(429), `${name} is rejected`).toBe(without.has(429))
      expect.soft(served(through)).toBeGreaterThan(0)
    }
    expect(verdicts.passed).toBeGreaterThan(100)
    expect(verdicts).toMatchObject({ delayed: 0, limited: 0 })
  })
})
