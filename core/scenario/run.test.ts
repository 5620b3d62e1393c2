import { describe, expect, it } from 'vitest'
import { readScenario } from './read.ts'
import { simulationOf } from '../whatif/simulated.ts'
import { runScenario } from './run.ts'
import { serverOf, trafficOf } from './traffic.ts'

function scenario(more: string, distribution = 'constant') {
  const read = readScenario(
    `name: small
seconds: 20
statisticsFrom: 5
clients:
  - name: some
    user: somebody
    threads: 4
    thinkMs: 100
    calls: [{ request: GET /api/v1/namespaces/default/pods/one, executionMs: 100, distribution: ${distribution} }]
${more}`,
    'small.yaml',
  )
  return read.scenario ?? expect.fail(JSON.stringify(read.findings))
}

const served = (more: string): number => runScenario(scenario(more))?.runs[0]?.result.total.served ?? expect.fail()

describe('a run', () => {
  it('is the same for the same seed', () => {
    const one = scenario('variants: [{ name: now }]')
    expect(runScenario(one)).toEqual(runScenario(one))
    expect(runScenario(one, { seed: 2 })).not.toEqual(runScenario(one))
  })

  it('counts from where statistics begin', () => {
    // Four threads, each a request in 100 ms of execution and 50 to 150 ms of thinking.
    expect(served('variants: [{ name: now }]')).toBeCloseTo((15 * 4) / 0.2, -2)
  })

  it('follows its phases', () => {
    const usual = served('variants: [{ name: now }]')
    expect(served('phases: [{ at: 5, executionFactor: 10 }]\nvariants: [{ name: now }]')).toBeLessThan(usual / 4)
    expect(
      served('phases: [{ at: 5, pause: { clients: some, seconds: 15 } }]\nvariants: [{ name: now }]'),
    ).toBeLessThanOrEqual(4)
  })

  it('gives each variant a verdict, and fails when it is another than expected', () => {
    const criteria = 'criteria: [{ clients: some, measure: failedPercent, most: 0 }]'
    const filter = '{ name: filter, algorithm: max-in-flight, maxRequestsInFlight: 1, verdict: VERDICT }'
    const run = (verdict: string) =>
      runScenario(scenario(`${criteria}\nvariants: [{ name: now }, ${filter.replace('VERDICT', verdict)}]`))
    expect(run('not prevented')?.runs.map(({ verdict }) => verdict)).toEqual(['prevented', 'not prevented'])
    expect(run('not prevented')?.passed).toBe(true)
    expect(run('prevented')?.passed).toBe(false)
  })

  it('checks assertions of the variants that they name', () => {
    const assertion = 'assertions: [{ level: global-default, measure: currentLimit, least: 1000, variants: [now] }]'
    const outcome = runScenario(scenario(`${assertion}\nvariants: [{ name: now }, { name: other }]`))
    expect(outcome?.runs.map(({ passed }) => passed)).toEqual([false, true])
    expect(outcome?.runs[0]?.assertions[0]?.value).toBeGreaterThan(0)
  })

  it('ends when it is told to', () => {
    expect(runScenario(scenario('variants: [{ name: now }]'), { mayGoOn: () => false })).toBeUndefined()
  })
})

/** Execution times in the order in which each thread sends them, by its number. */
function drawn(one: ReturnType<typeof scenario>, variant: number): ReadonlyMap<number, readonly number[]> {
  const simulation = simulationOf(trafficOf(one), serverOf(one.variants[variant] ?? expect.fail()))
  const times = new Map<number, number[]>()
  simulation.engine.subscribe((event) => {
    if (event.kind !== 'arrived') return
    const { client, executionNs } = event.ticket.payload.payload
    times.set(client, [...(times.get(client) ?? []), executionNs])
  })
  simulation.runTo(20e9)
  return times
}

it('draws the same for the n-th call of a thread, whatever became of those before', () => {
  const more = 'variants: [{ name: now }, { name: filter, algorithm: max-in-flight, maxRequestsInFlight: 1 }]'
  const one = scenario(more, 'exponential')
  const [now, filter] = [drawn(one, 0), drawn(one, 1)]
  expect(filter.size).toBe(4)
  for (const [client, times] of filter) {
    expect(times.length).toBeGreaterThan(10)
    expect(now.get(client)?.slice(0, times.length)).toEqual(times)
  }
})
