import { describe, expect, it, test } from 'vitest'
import { captureVersions, readFixture } from '../../test/fixtures/load.ts'
import { digestRequest, type SeatExplanation } from '../classify/classification.ts'
import { explainSeats } from '../classify/explainSeats.ts'
import { createParser } from '../metrics/parse.ts'
import { FACT_FAMILIES, factsOf, reportedFacts } from './serverFacts.ts'

const facts = (text: string | Uint8Array) =>
  factsOf(createParser({ keep: FACT_FAMILIES }).parse(typeof text === 'string' ? new TextEncoder().encode(text) : text))

describe('a server’s metrics of its objects and watches', () => {
  it.each(captureVersions)('are on the page of a %s server, even right after its start', (version) => {
    const { objects, watches } = facts(readFixture(`captures/${version}/idle/metrics.txt.gz`))
    expect(objects.size).toBeGreaterThan(20)
    expect(objects.has('flowschemas.flowcontrol.apiserver.k8s.io')).toBe(true)
    expect(watches).toContainEqual({ apiGroup: '', resource: 'nodes', total: 1 })
  })

  it('have sizes since 1.34', () => {
    const { objects } = facts(readFixture('captures/v1.36.3/mixed.metrics.txt.gz'))
    const { count = 0, averageSize = 0 } = objects.get('configmaps') ?? {}
    expect(count).toBe(3_052)
    expect(averageSize).toBeGreaterThan(100)
  })

  it('report when it started', () => {
    expect(facts('process_start_time_seconds 1.79524595722e+09\n').startedMs).toBe(1_795_245_957_220)
    expect(facts('process_start_time_seconds NaN\n')).not.toHaveProperty('startedMs')
    expect(facts('')).not.toHaveProperty('startedMs')
  })

  it('leave out what could not be counted, and the pods that nodes watch for themselves', () => {
    const { objects, watches } = facts(`
apiserver_resource_objects{group="",resource="pods"} 40
apiserver_resource_objects{group="",resource="secrets"} -1
apiserver_resource_objects{group="",resource="nodes"} 10
apiserver_resource_objects{group="apps",resource="deployments"} 0
apiserver_resource_size_estimate_bytes{group="",resource="pods"} 80000
apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="cluster",subresource="",verb="WATCH",version="v1"} 13
apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="resource",subresource="exec",verb="CONNECT",version="v1"} 7
apiserver_longrunning_requests{component="apiserver",group="",resource="configmaps",scope="namespace",subresource="",verb="WATCH",version="v1"} 5
`)
    expect([...objects]).toEqual([
      ['pods', { count: 40, averageSize: 2_000 }],
      ['nodes', { count: 10, averageSize: 0 }],
      ['deployments.apps', { count: 0, averageSize: 0 }],
    ])
    expect(watches).toEqual([{ apiGroup: '', resource: 'pods', total: 3 }])
  })
})

test('of a server that restarted on existing data, each list costs ten seats, and a watch one', () => {
  const labels = '{group="flowcontrol.apiserver.k8s.io",resource="flowschemas"}'
  const page = `apiserver_resource_objects${labels} 11\napiserver_resource_size_estimate_bytes${labels} -1\n`
  const objects = reportedFacts(facts(page))?.objects['flowschemas.flowcontrol.apiserver.k8s.io']
  const of = (query: string): SeatExplanation => {
    const url = `/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas${query}`
    const read = digestRequest({ user: 'a', groups: [], method: 'GET', url })
    if (!read.ok || objects === undefined) throw new Error('no request, or no count')
    return explainSeats(read.digest.info, read.query, 0, { version: 'v1.36', objects })
  }
  for (const query of ['', '?limit=1', '?resourceVersion=0', '?watch=true', '?watch=true&resourceVersion=0']) {
    expect(of(query), query).toMatchObject({ width: 10, assumptions: [expect.stringContaining('restart')] })
  }
  for (const query of ['?watch=true&resourceVersion=7', '?watch=true&resourceVersion=00', '/exempt']) {
    expect(of(query).width, query).toBe(1)
  }
})
