import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CLUSTER } from '../../core/simulate/cluster.ts'
import { constant, exponential, uniform } from '../../core/simulate/random.ts'
import type { Behaviour, ClientGroup } from '../../core/simulate/workload.ts'
import { continued, goOn, type Scenario, simulationOf } from '../harness/engine/checkpointedSimulation.ts'

const SECOND = 1e9

const calls = [
  { method: 'POST', target: '/api/v1/namespaces/app-{n:4}/configmaps', weight: 2, execution: exponential(200) },
  { method: 'GET', target: '/api/v1/pods?limit=50', weight: 1 },
  { method: 'GET', target: '/api/v1/namespaces/app-{i}/pods/pod/log', weight: 1 },
]
const waves = { firstMs: 1_000, activeMs: 3_000, periodMs: 6_000 }
const behaviour: fc.Arbitrary<Behaviour> = fc.oneof(
  fc.record({
    kind: fc.constant('open' as const),
    calls: fc.constant(calls),
    arrivals: fc.constantFrom(
      { kind: 'poisson' as const, perSecond: 30 },
      { kind: 'poisson' as const, perSecond: 30, waves },
      { kind: 'regular' as const, periodMs: 150, jitter: 0.5 },
      { kind: 'bursts' as const, waves, count: 80, spreadMs: 800 },
      { kind: 'schedule' as const, atMs: [500, 4_000, 9_000, 14_000] },
    ),
  }),
  fc.record({
    kind: fc.constant('closed' as const),
    calls: fc.constant(calls),
    threads: fc.integer({ min: 1, max: 40 }),
    think: fc.constantFrom(constant(20), exponential(100)),
  }),
  fc.constant({ kind: 'closed' as const, calls, threads: 60, think: exponential(50), waves }),
  fc.constant({
    kind: 'informer' as const,
    targets: ['/api/v1/configmaps', '/api/v1/namespaces/app-{i}/pods'],
    start: uniform(0, 3_000),
    watchLife: uniform(500, 6_000),
    relistChance: 0.5,
  }),
)

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  mode: fc.constantFrom('priority-and-fairness', 'max-in-flight'),
  seed: fc.integer(),
  seats: fc.integer({ min: 2, max: 40 }),
  groups: fc
    .array(fc.record({ behaviour, clients: fc.integer({ min: 1, max: 3 }) }), { minLength: 1, maxLength: 4 })
    .map((all) =>
      all.map((one, index): ClientGroup => ({
        ...one,
        name: `group ${index}`,
        user: {
          name: `system:serviceaccount:app-{i}:${index}`,
          groups: ['system:serviceaccounts', 'system:authenticated'],
        },
      })),
    ),
})

const untils = fc.tuple(fc.integer({ min: 0, max: 15_000 }), fc.integer({ min: 1, max: 15_000 }))

/** A checkpoint at one instant, and what happens from there on where nothing interrupts it. */
function interrupted(scenario: Scenario, atNs: number, untilNs: number) {
  const simulation = simulationOf(scenario)
  simulation.runTo(atNs)
  const checkpoint = simulation.checkpoint()
  return { checkpoint, log: goOn(simulation, untilNs) }
}

describe('a checkpoint of a simulation', () => {
  test('continues request for request, clients included, and disturbs nothing', () => {
    fc.assert(
      fc.property(scenarios, untils, (scenario, [atMs, moreMs]) => {
        const atNs = atMs * 1e6
        const untilNs = atNs + moreMs * 1e6
        const { checkpoint, log } = interrupted(scenario, atNs, untilNs)
        const whole = simulationOf(scenario)
        whole.runTo(atNs)
        expect(log).toEqual(goOn(whole, untilNs))
        const continuation = { scenario, checkpoint: structuredClone(checkpoint), untilNs }
        expect(continued(continuation)).toEqual(log)
        // Once more: what went on has changed nothing of it.
        expect(continued(continuation)).toEqual(log)
      }),
      { numRuns: 40 },
    )
  })

  test('brings a simulation back that has gone on', () => {
    fc.assert(
      fc.property(scenarios, untils, (scenario, [atMs, moreMs]) => {
        const simulation = simulationOf(scenario)
        simulation.runTo(atMs * 1e6)
        const checkpoint = simulation.checkpoint()
        const untilNs = (atMs + moreMs) * 1e6
        const log = goOn(simulation, untilNs)
        simulation.restore(checkpoint)
        expect(goOn(simulation, untilNs)).toEqual(log)
      }),
      { numRuns: 15 },
    )
  })

  test('continues in another thread, with retries, back-offs, thoughts and watches under way', async () => {
    const scenario: Scenario = { mode: 'priority-and-fairness', seed: 3, seats: 300, groups: CLUSTER.groups }
    // Within the first wave of the crawler, which is refused.
    const { checkpoint, log } = interrupted(scenario, 60 * SECOND, 75 * SECOND)
    expect(log.length).toBeGreaterThan(5_000)
    expect(log.filter((line) => line.includes(' rejected ')).length).toBeGreaterThan(0)
    expect(log.filter((line) => /"retries":[1-9]/.test(line)).length).toBeGreaterThan(0)
    const script = new URL('../harness/engine/continueSimulation.ts', import.meta.url)
    const worker = new Worker(script, { workerData: { continuation: { scenario, checkpoint, untilNs: 75 * SECOND } } })
    const [there]: unknown[] = await once(worker, 'message')
    await worker.terminate()
    expect(there).toEqual(log)
  })

  test('is for the workload that it was taken of', () => {
    const scenario: Scenario = { mode: 'priority-and-fairness', seed: 3, seats: 300, groups: CLUSTER.groups }
    const { checkpoint } = interrupted(scenario, 0, 0)
    expect(() => simulationOf({ ...scenario, groups: CLUSTER.groups.slice(1) }).restore(checkpoint)).toThrow(
      'another workload',
    )
  })
})
