import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../config/builtIn.ts'
import type { EngineConfiguration } from '../engine/apfEngine.ts'
import { AS_UPSTREAM, profileFor } from '../engine/profiles.ts'
import { readRequestLine } from '../request/requestInfo.ts'
import { CLUSTER } from './cluster.ts'
import { constant, exponential, uniform } from './random.ts'
import { simulatedFacts } from './facts.ts'
import { type Simulation, type SimulationOptions, createSimulation } from './simulation.ts'
import type { ClientGroup, Workload } from './workload.ts'

const SECOND = 1e9
const DEFAULTS: EngineConfiguration = {
  levels: [...mandatoryLevels, ...suggestedLevels],
  schemas: [...mandatorySchemas, ...suggestedSchemas],
}

const simulate = (change: Partial<SimulationOptions> = {}): Simulation =>
  createSimulation({
    seed: 1,
    startUnixMs: 1_700_000_000_000,
    mode: 'priority-and-fairness',
    maxRequestsInFlight: 400,
    maxMutatingRequestsInFlight: 200,
    profile: profileFor('v1.37.0'),
    corrections: AS_UPSTREAM,
    configuration: DEFAULTS,
    workload: CLUSTER,
    ...change,
  })

/** Everything that happens, as text. */
function logOf(simulation: Simulation, run: () => void): readonly string[] {
  const lines: string[] = []
  const stop = simulation.engine.subscribe((event) => {
    const whose = 'ticket' in event ? `${event.ticket.payload.user.name} ${event.ticket.payload.info.path}` : ''
    lines.push(`${simulation.engine.nowNs} ${event.kind} ${whose}`)
  })
  run()
  stop()
  return lines
}

const closed = (threads: number, executionMs: number, name = 'tenant'): ClientGroup => ({
  name,
  clients: 1,
  user: { name: `system:serviceaccount:${name}:app`, groups: ['system:serviceaccounts', 'system:authenticated'] },
  behaviour: {
    kind: 'closed',
    threads,
    think: constant(5),
    calls: [
      { method: 'POST', target: '/api/v1/namespaces/app/configmaps', weight: 1, execution: exponential(executionMs) },
    ],
  },
})
const workload = (groups: readonly ClientGroup[], change: Partial<Workload> = {}): Workload => ({
  ...CLUSTER,
  groups,
  service: { ...CLUSTER.service, capacity: [] },
  ...change,
})
const served = (simulation: Simulation): number =>
  [...simulation.tallies().values()].reduce((sum, tally) => sum + tally.served, 0)

describe('a simulation', () => {
  test('is the same event by event for the same seed, and differs for another seed', () => {
    const run = (seed: number): readonly string[] => {
      const simulation = simulate({ seed })
      return logOf(simulation, () => simulation.runTo(32 * SECOND))
    }
    const log = run(11)
    expect(log.length).toBeGreaterThan(10_000)
    expect(run(11)).toEqual(log)
    expect(run(12)).not.toEqual(log)
  })

  test('does not depend on how it is driven', () => {
    const whole = simulate()
    const expected = logOf(whole, () => whole.runTo(5 * SECOND))
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 }), (slices) => {
        const simulation = simulate()
        const log = logOf(simulation, () => {
          for (const slice of slices) {
            let turns = slice % 7
            simulation.runTo(simulation.nowNs + slice * 1e6, () => turns-- > 0)
            simulation.step()
          }
          if (simulation.nowNs < 5 * SECOND) simulation.runTo(5 * SECOND)
        })
        const common = log.filter((line) => Number(line.split(' ')[0]) <= 5 * SECOND)
        expect(common).toEqual(expected)
      }),
      { numRuns: 10 },
    )
  })

  test('loses no call: offered = served + rejected + expired + under way', () => {
    const simulation = simulate()
    // Into the first wave of the crawler, so that `workload-low` borrows at the end.
    for (let seconds = 5; seconds <= 75; seconds += 5) {
      simulation.runTo(seconds * SECOND)
      const snapshot = simulation.engine.snapshot()
      let onTheirWay = 0
      let refused = 0
      for (const { offered, served: done, rejected, expired } of simulation.tallies().values()) {
        onTheirWay += offered - done - rejected - expired
        refused += rejected
      }
      const inEngine = snapshot.levels.reduce((sum, level) => sum + level.waitingRequests + level.executingRequests, 0)
      const refusals = snapshot.levels.flatMap(({ lanes }) => lanes.flatMap(({ rejected }) => Object.values(rejected)))
      expect(refused).toBe(refusals.reduce((sum, count) => sum + count, 0))
      // Watches that were initialised, and requests that bypass the engine, are under way without being in it.
      expect(onTheirWay).toBeGreaterThanOrEqual(inEngine)
    }
    const low = simulation.engine.snapshot().levels.find(({ name }) => name === 'workload-low')
    expect(low?.current).toBeGreaterThan(low?.limits.nominal ?? Infinity)
  })

  test('accounts for every call under any load', () => {
    const groups = fc.array(
      fc.record({
        name: fc.constantFrom('one', 'two', 'three'),
        threads: fc.integer({ min: 1, max: 300 }),
        executionMs: fc.integer({ min: 1, max: 2_000 }),
      }),
      { minLength: 1, maxLength: 4 },
    )
    fc.assert(
      fc.property(groups, fc.integer({ min: 0, max: 100 }), fc.integer(), (all, maxRequestsInFlight, seed) => {
        const clients = all.map(({ name, threads, executionMs }, i) => ({
          ...closed(threads, executionMs, name),
          name: `group ${i}`,
        }))
        const simulation = simulate({
          seed,
          maxRequestsInFlight,
          maxMutatingRequestsInFlight: 20,
          workload: workload(clients),
        })
        const kinds = { arrived: 0, dispatched: 0, rejected: 0, finished: 0 }
        simulation.engine.subscribe(({ kind }) => {
          if (Object.hasOwn(kinds, kind)) kinds[kind as keyof typeof kinds] += 1
        })
        simulation.runTo(25 * SECOND)
        const tallies = [...simulation.tallies().values()]
        const sum = (of: (tally: (typeof tallies)[number]) => number): number =>
          tallies.reduce((total, tally) => total + of(tally), 0)
        const levels = simulation.engine.snapshot().levels
        const waiting = levels.reduce((total, level) => total + level.waitingRequests, 0)
        const executing = levels.reduce((total, level) => total + level.executingRequests, 0)
        expect(kinds.arrived).toBe(sum(({ offered }) => offered))
        expect(kinds.rejected).toBe(sum(({ rejected }) => rejected))
        expect(kinds.finished).toBe(sum(({ served: done, expired }) => done + expired))
        expect(kinds.arrived).toBe(kinds.dispatched + kinds.rejected + waiting)
        expect(kinds.dispatched).toBe(kinds.finished + executing)
        expect(executing === 0).toBe(simulation.runningSeats === 0)
      }),
      { numRuns: 25 },
    )
  })

  test('serves as many as its seats and its execution time allow', () => {
    // 40 threads wait 5 ms and run 45 ms: 800 requests per second, which fit into workload-low.
    const simulation = simulate({ workload: workload([closed(40, 45)]) })
    simulation.runTo(60 * SECOND)
    expect(served(simulation) / 60 / 800).toBeCloseTo(1, 1)
  })

  test('slows all requests down when more seats are in use than the machine has capacity for', () => {
    const capacity = [
      { seats: 200, slowdown: 1 },
      { seats: 600, slowdown: 40 },
    ]
    const rate = (maxRequestsInFlight: number): number => {
      const service = { ...CLUSTER.service, capacity }
      const simulation = simulate({ maxRequestsInFlight, workload: workload([closed(800, 50)], { service }) })
      simulation.runTo(60 * SECOND)
      return served(simulation)
    }
    // The level gets about 370 of 600 seats, which makes each request eighteen times as long, or 125 of 200 seats.
    expect(rate(400)).toBeLessThan(0.6 * rate(0))
  })

  test('adopts a configuration at once', () => {
    const simulation = simulate({ workload: workload([closed(100, 100)]) })
    simulation.runTo(25 * SECOND)
    const nominal = (): number | undefined =>
      simulation.engine.snapshot().levels.find(({ name }) => name === 'workload-low')?.limits.nominal
    expect(nominal()).toBe(245)
    simulation.configure({
      ...DEFAULTS,
      levels: DEFAULTS.levels.map((level) =>
        level.metadata.name === 'workload-low' && level.spec.limited !== undefined
          ? { ...level, spec: { ...level.spec, limited: { ...level.spec.limited, nominalConcurrencyShares: 10 } } }
          : level,
      ),
    })
    expect(nominal()).toBe(39)
    expect(simulation.nowNs).toBe(25 * SECOND)
  })

  test('watches hold a seat until they are initialised, and count as watchers from then on', () => {
    const informer: ClientGroup = {
      name: 'informers',
      clients: 30,
      user: {
        name: 'system:serviceaccount:app-{i}:operator',
        groups: ['system:serviceaccounts', 'system:authenticated'],
      },
      behaviour: {
        kind: 'informer',
        targets: ['/api/v1/configmaps'],
        start: constant(0),
        watchLife: uniform(4_000, 6_000),
        relistChance: 0.5,
      },
    }
    const simulation = simulate({ workload: workload([informer, closed(1, 20)]) })
    simulation.runTo(30 * SECOND)
    const tally = simulation.tallies().get('informers')
    // Each watch lasts about five seconds, and every other one begins with a list that takes about one.
    expect(tally?.served).toBeGreaterThan(150)
    expect((tally?.offered ?? 0) - (tally?.served ?? 0)).toBeGreaterThanOrEqual(25)
    const lane = simulation.engine
      .snapshot()
      .levels.find(({ name }) => name === 'workload-low')
      ?.lanes.find(({ schema }) => schema === 'service-accounts')
    expect(lane?.executionWatch.count).toBeGreaterThan(100)
    // Nearly all writes reach all watches: the counts above ten are those in the bucket up to a hundred.
    const [, , upToTen = 0, upToHundred = 0] = lane?.watchCount.counts ?? []
    expect(upToHundred - upToTen).toBeGreaterThan(0.8 * (lane?.watchCount.count ?? Infinity))
  })

  test('runs under the max-in-flight filter, too', () => {
    const simulation = simulate({ mode: 'max-in-flight', workload: workload([closed(400, 100)]) })
    simulation.runTo(5 * SECOND)
    const tally = simulation.tallies().get('tenant')
    expect(tally?.rejected).toBeGreaterThan(0)
    expect(simulation.runningSeats).toBeLessThanOrEqual(200)
  })
})

const watch = (target: string) => {
  const line = readRequestLine('GET', target)
  if (!line.ok) throw new Error(line.problem)
  return line
}

test('reports objects, and watches of all objects of a resource as the engine counts them', () => {
  const objects = [{ key: 'pods', count: 300, averageSize: 4_000 }]
  const facts = simulatedFacts({ objects }, [
    watch('/api/v1/pods?watch=true'),
    watch('/api/v1/pods?watch=true&resourceVersion=1'),
    watch('/api/v1/pods?watch=true&fieldSelector=spec.nodeName%3Dnode-1'),
    watch('/api/v1/namespaces/app/pods?watch=true'),
    watch('/apis/apps/v1/deployments?watch=true'),
    watch('/apis/apps/v1/namespaces/app/statefulsets?watch=true'),
  ])
  expect(facts.objects).toEqual(new Map([['pods', { count: 300, averageSize: 4_000 }]]))
  expect(facts.watches).toEqual([
    { apiGroup: 'apps', resource: 'deployments', total: 1 },
    { apiGroup: '', resource: 'pods', total: 2 },
    { apiGroup: 'apps', resource: 'statefulsets', total: 0 },
  ])
})
