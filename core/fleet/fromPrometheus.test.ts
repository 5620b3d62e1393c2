import { describe, expect, test } from 'vitest'
import type { PromSeries } from '../prom/answer.ts'
import { recordOf } from '../frame/reading.ts'
import { FLEET_NUMBERS } from '../prom/fleetNumbers.ts'
import { busiestQuery, fleetQuery, versionsQuery } from '../prom/fleetQueries.ts'
import { fleetRows, type FleetSource } from './fleet.ts'
import { fleetOf, type FleetAnswers } from './fromPrometheus.ts'
import { TREND } from './summary.ts'

const NOW = Date.UTC(2026, 10, 23)
const one = (labels: Record<string, string>, value: number, at = NOW): PromSeries => ({
  labels,
  times: [at],
  samples: [value],
})
const place = (cluster: string, level: string) => ({ cluster, instance: 'a:6443', priority_level: level })
const answers = (over: Partial<FleetAnswers['numbers']> = {}, busiest: readonly PromSeries[] = []): FleetAnswers => ({
  labels: { cluster: 'cluster', instance: 'instance' },
  clusters: ['prod', 'staging'].map((name) => ({ name, servers: [{ instance: 'a:6443', lastAt: NOW - 4_000 }] })),
  versions: [one({ cluster: 'prod', instance: 'a:6443', git_version: 'v1.36.3' }, 1)],
  numbers: {
    ...recordOf(FLEET_NUMBERS, () => []),
    executing: [one(place('prod', 'low'), 7), one({ ...place('prod', 'low'), replica: 'b' }, 9)],
    limit: [one(place('prod', 'low'), 10), one(place('prod', 'idle'), 4), one(place('staging', 'low'), 3)],
    queued: [one(place('prod', 'low'), 2)],
    rejected: [one({ ...place('prod', 'low'), reason: 'queue-full' }, 0.5)],
    waitP99: [one(place('prod', 'low'), 1.5)],
    ...over,
  },
  busiest,
  until: NOW,
})

describe('the fleet of a Prometheus', () => {
  test('is its servers, each with its levels; of two replicas the larger number', () => {
    const [prod, staging] = fleetOf(answers())
    expect(prod).toMatchObject({
      id: 'a:6443',
      cluster: 'prod',
      at: NOW - 4_000,
      version: 'v1.36.3',
      levels: ['idle', 'low'],
      states: [['idle'], ['rejecting', 'queueing']],
      executing: [0, 9],
      limit: [4, 10],
      queued: [0, 2],
      rejected: [0, 0.5],
      waitP99: [null, 1.5],
    })
    expect(staging).toMatchObject({ cluster: 'staging', levels: ['low'], executing: [0] })
  })

  test('leaves seats unknown where they are not scraped at all', () => {
    const [prod] = fleetOf(answers({ executing: [], rejected: [], queued: [] }))
    expect(prod).toMatchObject({ executing: [null, null], states: [['unknown'], ['unknown']] })
  })

  test('has a trend of the largest value in each step', () => {
    const stepMs = TREND.ms / TREND.steps
    const at = (step: number): number => NOW - TREND.ms + step * stepMs
    const busiest = [
      { labels: { cluster: 'prod', instance: 'a:6443' }, times: [at(0), at(2), NOW], samples: [0.2, 0.5, 0.9] },
      one({ cluster: 'prod', instance: 'a:6443', replica: 'b' }, 0.7, at(2)),
    ]
    const [prod, staging] = fleetOf(answers({}, busiest))
    expect(prod?.trend.slice(0, 4)).toEqual([0.2, null, 0.7, null])
    expect(prod?.trend.at(-1)).toBe(0.9)
    expect(staging?.trend).toEqual([])
  })

  test('is a row for each cluster; what is wrong with Prometheus is wrong with each of them', () => {
    const source: FleetSource = {
      id: 4,
      still: false,
      name: 'prometheus.example.com',
      via: 'Prometheus',
      health: [{ id: 'prometheus.example.com', status: 'ok', failures: [] }],
      servers: fleetOf(answers()),
      whole: true,
      staleAfterMs: 30_000,
    }
    const rows = fleetRows([source], NOW)
    expect(rows.map(({ key, source: { name }, servers }) => [key, name, servers.map((row) => row.server)])).toEqual([
      ['4 prod', 'prod', ['a:6443']],
      ['4 staging', 'staging', ['a:6443']],
    ])
    const problem = { code: 'unreachable', message: 'It is not ready.' } as const
    const failing: FleetSource = {
      ...source,
      health: [{ id: source.name, status: 'failing', failures: [{ at: '2026-11-23T00:00:00Z', problem }] }],
    }
    expect(fleetRows([failing], NOW + 60_000).map((row) => [row.state, row.problem])).toEqual([
      ['failing', problem],
      ['failing', problem],
    ])
    const unread = { ...failing, servers: undefined, whole: undefined }
    expect(fleetRows([unread], NOW).map((row) => [row.state, row.source.name])).toEqual([['failing', source.name]])
  })

  test('is asked in one query for each number, by the names of every version', () => {
    const of = { matchers: [], intervalMs: 30_000 }
    expect(fleetQuery('executing', { ...of, versions: ['v1.36.1', 'v1.36.3'] })).toBe(
      'sum without (flow_schema) (apiserver_flowcontrol_current_executing_seats)',
    )
    expect(fleetQuery('limit', { ...of, versions: ['v1.25.0', 'v1.36.3'] })).toBe(
      'apiserver_flowcontrol_current_limit_seats{priority_level!="exempt"} or apiserver_flowcontrol_request_concurrency_limit{priority_level!="exempt"}',
    )
    expect(busiestQuery({ ...of, versions: ['v1.36.3'] })).toBe(
      'max without (priority_level) (sum without (flow_schema) (apiserver_flowcontrol_current_executing_seats) / apiserver_flowcontrol_current_limit_seats{priority_level!="exempt"})',
    )
    expect(versionsQuery({ instance: 'instance' }, [])).toMatch(
      /^kubernetes_build_info and on \(instance\) \{__name__=~/,
    )
  })
})
