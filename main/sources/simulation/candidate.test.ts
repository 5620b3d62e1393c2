import { describe, expect, test } from 'vitest'
import { builtInObjects } from '../../../core/config/builtIn.ts'
import type { ObjectSet } from '../../../core/config/objects.ts'
import { ObjectSetSchema } from '../../../core/config/schema.ts'
import type { CandidateReport } from '../../../core/contract/live.ts'
import { shaped } from '../../../core/run/run.fixture.ts'
import { AS_UPSTREAM, profileFor } from '../../../core/engine/profiles.ts'
import { constant } from '../../../core/simulate/random.ts'
import { CLUSTER } from '../../../core/simulate/cluster.ts'
import { createSimulation } from '../../../core/simulate/simulation.ts'
import type { ClientGroup, Workload } from '../../../core/simulate/workload.ts'
import { createSimulationRows } from './rows.ts'

const VERSION = 'v1.37.2'
const LEVEL = 'workload-low'
const SECOND = 1e9
const OBJECTS = builtInObjects(VERSION)

/** The built-in objects, with `workload-low` on its own with this many of 245 shares. */
const withShares = (shares: number): ObjectSet => shaped(shares, 10, 2, { objects: OBJECTS, level: LEVEL })

/** Threads of service accounts that write continuously, half a second each. */
const writers: ClientGroup = {
  name: 'writers',
  clients: 1,
  user: { name: 'system:serviceaccount:app:writer', groups: ['system:serviceaccounts', 'system:authenticated'] },
  behaviour: {
    kind: 'closed',
    threads: 40,
    think: constant(500),
    calls: [{ method: 'PUT', target: '/api/v1/namespaces/app/configmaps/one', weight: 1, execution: constant(500) }],
  },
}
const WORKLOAD: Workload = {
  ...CLUSTER,
  groups: [...CLUSTER.groups.filter(({ name }) => name === 'node leases'), writers],
  service: { ...CLUSTER.service, capacity: [] },
}

function simulated({ workload = WORKLOAD, now }: { workload?: Workload; now?: () => number } = {}) {
  const engine = {
    mode: 'priority-and-fairness',
    startUnixMs: 1_700_000_000_000,
    maxRequestsInFlight: 400,
    maxMutatingRequestsInFlight: 200,
    profile: profileFor(VERSION),
    corrections: AS_UPSTREAM,
  } as const
  const simulation = createSimulation({ ...engine, seed: 1, workload, configuration: withShares(100) })
  let listeners = 0
  const subscribe = simulation.engine.subscribe.bind(simulation.engine)
  simulation.engine.subscribe = (listener) => {
    const leave = subscribe(listener)
    listeners += 1
    return () => {
      listeners -= 1
      leave()
    }
  }
  const { capacity } = workload.service
  const traffic = createSimulationRows({
    simulation,
    engine,
    version: VERSION,
    capacity,
    fromNs: 0,
    now: now ?? (() => simulation.nowNs / 1e6),
  })
  return {
    simulation,
    traffic,
    listeners: () => listeners,
    draft: (shares: number) => traffic.candidate({ on: true, objects: ObjectSetSchema.parse(withShares(shares)) }),
    runTo: (seconds: number) => simulation.runTo(seconds * SECOND),
    report: (): CandidateReport => {
      const { candidate } = traffic.state()
      if (candidate === undefined) throw new Error('the draft does not run')
      return candidate
    },
  }
}

describe('a draft on the arrivals of a simulation', () => {
  test('decides the same with the same objects, from the first second on, in the middle of everything', () => {
    const { draft, report, runTo } = simulated()
    runTo(30)
    draft(100)
    runTo(30.25)
    // Requests in progress end at the same time as on the simulated server.
    expect(report().b).toEqual(report().a)
    runTo(90)
    const { a, b, different, seconds } = report()
    expect(seconds).toBe(60)
    expect(a.arrived).toBeGreaterThan(1_000)
    expect(b).toEqual(a)
    expect(different).toBe(0)
  })

  test('refuses and waits where it has fewer seats, and knows how long what it alone refuses would have taken', () => {
    const { draft, report, runTo } = simulated()
    runTo(30)
    draft(2)
    runTo(90)
    const { a, b, different } = report()
    expect([a.rejected, a.waitP99[LEVEL]]).toEqual([0, 0])
    // Nine seats of half a second serve eighteen of forty a second.
    expect(b.rejected / 60).toBeGreaterThan(20)
    expect(b.rejected / 60).toBeLessThan(24)
    expect(b.waitP99[LEVEL]).toBeGreaterThan(500)
    expect(different).toBe(b.rejected)
  })

  test('lets run what the first engine refuses, for as long as its handler would take', () => {
    const { draft, report, runTo, simulation } = simulated()
    simulation.configure(withShares(2))
    runTo(30)
    draft(100)
    runTo(60)
    const { a, b, different } = report()
    expect(a.rejected).toBeGreaterThan(30)
    expect(b.rejected).toBe(0)
    expect(different).toBe(a.rejected)
    expect(b.arrived).toBe(a.arrived)
  })

  test('counts every request, and writes into the rows of some, whether or not somebody looks', () => {
    const { draft, report, runTo, traffic } = simulated()
    draft(2)
    runTo(12)
    traffic.settle()
    const rows = traffic.log.before(20_000)
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.every(({ candidate }) => candidate !== undefined)).toBe(true)
    expect(rows.some(({ state, candidate }) => state === 'served' && candidate?.state === 'rejected')).toBe(true)
    expect(report().a.arrived).toBe(traffic.log.count)
    expect(traffic.state().withoutRow).toBeUndefined()
  })

  test('says how many requests were too many to become rows', () => {
    const { runTo, traffic } = simulated({ now: () => 0 })
    runTo(60)
    const { arrived, withoutRow = 0 } = traffic.state()
    expect(withoutRow).toBeGreaterThan(0)
    expect(arrived - withoutRow).toBe(traffic.log.count)
  })

  test('closes every row that ended while nobody looked', () => {
    const { runTo, simulation, traffic } = simulated()
    runTo(30)
    const oldest = simulation.nowNs / 1e6 - 20_000
    const stale = traffic.log
      .before(20_000)
      .filter(({ at, state }) => at - 1_700_000_000_000 < oldest && state === 'waiting')
    expect(stale).toEqual([])
  })

  test('has a second listener only while it is on', () => {
    const { draft, listeners, runTo, traffic } = simulated()
    const before = listeners()
    draft(100)
    expect(listeners()).toBeGreaterThan(before)
    runTo(5)
    traffic.candidate({ on: false })
    expect(listeners()).toBe(before)
    expect(traffic.state().candidate).toBeUndefined()
  })

  test('stays as it is when the objects in force are edited, and is told anew with another draft', () => {
    const { draft, report, runTo, simulation } = simulated()
    draft(100)
    runTo(20)
    simulation.configure(withShares(2))
    runTo(40)
    expect(report().a.rejected).toBeGreaterThan(30)
    expect(report().b.rejected).toBe(0)
    draft(1)
    expect(report()).toMatchObject({ seconds: 0, a: { arrived: 0, rejected: 0 }, different: 0 })
    runTo(50)
    expect(report().seconds).toBe(10)
    expect(report().b.rejected).toBeGreaterThan(report().a.rejected)
  })

  test('says what it cannot know while it runs', () => {
    const { draft, traffic } = simulated()
    expect(traffic.state().limits.join(' ')).not.toContain('The draft')
    draft(100)
    expect(traffic.state().limits.join(' ')).toContain('clients retry on the responses of the simulated server')
  })

  test('estimates by the watches and objects of the server, those from before it began as well', () => {
    const watchers: ClientGroup = {
      name: 'watchers',
      clients: 50,
      user: { name: 'system:node:node-{i}', groups: ['system:nodes', 'system:authenticated'] },
      behaviour: {
        kind: 'informer',
        targets: ['/api/v1/services'],
        start: constant(0),
        watchLife: constant(200_000),
        relistChance: 0,
      },
    }
    const calls = [
      { method: 'PUT', target: '/api/v1/namespaces/app/services/one', weight: 1, execution: constant(500) },
      { method: 'GET', target: '/api/v1/nodes', weight: 1, execution: constant(500) },
    ]
    const wide: ClientGroup = { ...writers, behaviour: { kind: 'closed', threads: 5, think: constant(500), calls } }
    const { draft, report, runTo } = simulated({ workload: { ...WORKLOAD, groups: [watchers, wide] } })
    runTo(30)
    draft(100)
    runTo(40)
    expect(report().a.executingSeats).toBeGreaterThan(5)
    for (const seconds of [40, 100, 190, 240, 350]) {
      runTo(seconds)
      const { a, b } = report()
      expect(b).toEqual(a)
    }
  })
})
