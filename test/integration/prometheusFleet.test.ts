import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPrometheusOn, whyNoPrometheus, type ScrapingServer } from '../cluster/prometheusServers.ts'
import { runHere } from '../harness/commandHere.ts'
import { executingOf, levelName, LIMIT, troubleOf, writeFleetBlocks } from '../harness/fleetBlocks.ts'

const reason = whyNoPrometheus()
if (reason !== undefined) console.warn(`The fleet of a Prometheus is not tested: ${reason}.`)

const SHAPE = { clusters: 3, serversPerCluster: 20, levels: 8, intervalMs: 15_000 } as const

describe.skipIf(reason !== undefined)('the fleet of a real Prometheus', () => {
  let folder = ''
  let prometheus: ScrapingServer | undefined
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'apf-fleet-'))
    const now = Math.floor(Date.now() / 1_000) * 1_000
    const from = now - 600_000
    const data = await writeFleetBlocks(folder, { ...SHAPE, from, to: now + 120_000, histogramsFrom: now - 120_000 })
    prometheus = await startPrometheusOn(folder, data)
  })
  afterAll(async () => {
    await prometheus?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('is every level of every server of every cluster, in one query for each number', async () => {
    const { code, output, told } = await runHere('fleet', '--prometheus', prometheus?.url ?? '', '--levels', '--json')
    expect(told).toBe('')
    expect(code).toBe(0)
    const lines: Record<string, unknown>[] = JSON.parse(output)
    const clusters = lines.filter(({ kind }) => kind === 'cluster')
    expect(clusters.map(({ cluster, servers, versions }) => [cluster, servers, versions])).toEqual(
      expect.arrayContaining([0, 1, 2].map((index) => [`cluster-${index}`, SHAPE.serversPerCluster, ['v1.36.3']])),
    )
    const levels = new Map(
      lines
        .filter(({ kind }) => kind === 'level')
        .map((line) => [`${String(line['server'])} ${String(line['level'])}`, line]),
    )
    expect(levels.size).toBe(SHAPE.clusters * SHAPE.serversPerCluster * SHAPE.levels)
    for (let server = 0; server < SHAPE.clusters * SHAPE.serversPerCluster; server++) {
      const id = `10.${Math.floor(server / SHAPE.serversPerCluster)}.0.${server % SHAPE.serversPerCluster}:6443`
      for (let level = 0; level < SHAPE.levels; level++) {
        const line = levels.get(`${id} ${levelName(level)}`)
        const { rejecting, queued } = troubleOf(server, level)
        expect(line, `${id} ${levelName(level)}`).toMatchObject({
          executing: executingOf(server, level),
          queuedRequests: queued,
          ...(level > 0 && { limit: LIMIT, nominal: LIMIT }),
        })
        expect(line?.['rejectedPerSecond'], id).toBeCloseTo(rejecting ? 2 : 0, 5)
        if (queued > 0) expect(line?.['waitP99Seconds'], id).toBeCloseTo(0.497, 2)
        if (rejecting) expect(line?.['state']).toBe('rejecting')
        else if (queued > 0) expect(line?.['state']).toBe('queueing')
      }
    }
    // Servers, versions, a query for each of seven numbers; the trend may not have been requested.
    const queries = (await readFile(join(folder, 'queries.log'), 'utf8')).trim().split('\n')
    expect(queries.length).toBeGreaterThanOrEqual(9)
    expect(queries.length).toBeLessThanOrEqual(10)
  })

  test('is read of some servers, and says what it does not have', async () => {
    const url = prometheus?.url ?? ''
    const one = await runHere('fleet', '--prometheus', url, '--prometheus-label', 'cluster=cluster-1', '--json')
    const lines: Record<string, unknown>[] = JSON.parse(one.output)
    expect(lines.map(({ cluster, servers }) => [cluster, servers])).toEqual([['cluster-1', SHAPE.serversPerCluster]])
    const none = await runHere('fleet', '--prometheus', url, '--prometheus-label', 'cluster=elsewhere', '--json')
    expect(none.code).toBe(1)
    expect(JSON.parse(none.output)).toMatchObject([
      {
        state: 'failing',
        problem: expect.stringMatching(/has no flow-control metrics of any API server with these labels/),
      },
    ])
  })
})
