import { describe, expect, test } from 'vitest'
import { discover } from './discovery.ts'
import { hiddenByInterval, hiddenReallocations } from './interval.ts'

const CLOCK = { __name__: 'apiserver_flowcontrol_nominal_limit_seats', priority_level: 'catch-all' }
const clock = (labels: Record<string, string>, ...times: number[]) => ({
  labels: { ...CLOCK, ...labels },
  times,
  samples: times.map(() => 1),
})

describe('discovery', () => {
  test('of one cluster without a label for it', () => {
    expect(
      discover([
        clock({ instance: '10.0.0.2:6443', job: 'apiserver' }, 0, 30_000, 60_000),
        clock({ instance: '10.0.0.1:6443', job: 'apiserver' }, 10_000, 40_000),
      ]),
    ).toEqual({
      labels: { instance: 'instance' },
      choices: ['instance', 'job'],
      clusters: [
        {
          servers: [
            { instance: '10.0.0.1:6443', lastAt: 40_000, intervalMs: 30_000 },
            { instance: '10.0.0.2:6443', lastAt: 60_000, intervalMs: 30_000 },
          ],
        },
      ],
      intervalMs: 30_000,
    })
  })

  test('of several clusters, where instances have the same addresses', () => {
    const { labels, clusters } = discover([
      clock({ k8s_cluster: 'b', instance: '10.0.0.1:443' }, 1),
      clock({ k8s_cluster: 'a', instance: '10.0.0.1:443' }, 1),
    ])
    expect(labels).toEqual({ cluster: 'k8s_cluster', instance: 'instance' })
    expect(clusters.map(({ name, servers }) => [name, servers.length])).toEqual([
      ['a', 1],
      ['b', 1],
    ])
  })

  test('chooses the label that tells servers apart', () => {
    // A scrape through a Service: every server has the same address.
    const found = discover([
      clock({ instance: 'kubernetes:443', node: 'cp-1' }, 1),
      clock({ instance: 'kubernetes:443', node: 'cp-2' }, 1),
    ])
    expect(found.labels.instance).toBe('node')
    expect(found.clusters[0]?.servers).toHaveLength(2)
  })

  test('takes two replicas of one Prometheus for one server, with the interval of each', () => {
    const found = discover([
      clock({ instance: 'a', replica: '0' }, 0, 30_000, 60_000),
      clock({ instance: 'a', replica: '1' }, 7_000, 37_000, 67_000),
    ])
    expect(found.clusters[0]?.servers).toEqual([{ instance: 'a', lastAt: 67_000, intervalMs: 30_000 }])
    expect(found.intervalMs).toBe(30_000)
  })

  test('can be told the labels', () => {
    const sets = [clock({ instance: 'a', cluster: 'x', region: 'eu', node: 'n' }, 1)]
    expect(discover(sets, { cluster: 'region', instance: 'node' })).toMatchObject({
      labels: { cluster: 'region', instance: 'node' },
      clusters: [{ name: 'eu', servers: [{ instance: 'n' }] }],
    })
  })

  test('of nothing finds nothing', () => {
    expect(discover([])).toEqual({ labels: { instance: 'instance' }, choices: [], clusters: [] })
  })
})

test('an interval says which recomputations it hides', () => {
  expect(hiddenByInterval(30_000)).toContain('about one of 3 recomputations')
  expect(hiddenByInterval(15_000)).toContain('about one of 1.5 recomputations')
  expect(hiddenByInterval(5_000)).not.toContain('recomputations')
})

test('where all recomputations are seen there is nothing to say about them', () => {
  expect(hiddenReallocations(10_000)).toBeUndefined()
  expect(hiddenReallocations(30_000)).toBe(
    'Prometheus scrapes this server every 30 s. The server recomputes limits every 10 s, so scrapes show about one of 3 recomputations.',
  )
})
