import { describe, expect, it } from 'vitest'
import { readScenario } from './read.ts'
import { simulationOf } from '../whatif/simulated.ts'
import { playbackOf } from './playback.ts'
import { runAnyScenario } from './run.ts'
import type { Scenario } from './scenario.ts'
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

const runScenario = (one: Scenario, options?: Parameters<typeof runAnyScenario>[1]) =>
  runAnyScenario({ of: 'server', scenario: one }, options)
const served = (more: string): number => runScenario(scenario(more))?.runs[0]?.result.total.served ?? expect.fail()

describe('a run', () => {
  it('is the same for the same seed', () => {
    const one = scenario('variants: [{ name: now }]')
    expect(runScenario(one)).toEqual(runScenario(one))
    expect(runScenario(one, { seed: 2 })).not.toEqual(runScenario(one))
  })

  it('tells when which requests ended, and where a variant first decides otherwise', () => {
    const variants = `variants:
  - { name: filter, algorithm: max-in-flight }
  - { name: now }
  - { name: same }
  - { name: narrow, maxRequestsInFlight: 1, maxMutatingRequestsInFlight: 0 }
  - name: elsewhere
    configuration:
      - apiVersion: flowcontrol.apiserver.k8s.io/v1
        kind: FlowSchema
        metadata: { name: everybody }
        spec:
          matchingPrecedence: 10
          priorityLevelConfiguration: { name: workload-high }
          rules:
            - subjects: [{ kind: User, user: { name: somebody } }]
              resourceRules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'], namespaces: ['*'] }]`
    const one = scenario(variants)
    const [filter, now, same, narrow, elsewhere] = runScenario(one, { charted: true })?.runs ?? []
    const [some] = now?.course?.clients ?? []
    expect(now?.course?.stepSeconds).toBe(1)
    expect(some?.served).toHaveLength(20)
    // Only those of the last 15 s are counted in the result.
    expect(some?.served.slice(5).reduce((sum, count) => sum + count, 0)).toBe(now?.result.total.served)
    expect([filter, now, same].map((run) => run?.first)).toEqual([undefined, undefined, undefined])
    const { seconds = 0, request, explanation } = narrow?.first ?? {}
    expect(request).toMatchObject({ level: 'global-default', user: 'somebody' })
    expect(request?.arrivedSeconds).toBeLessThanOrEqual(seconds)
    expect(explanation?.[1]).toMatch(/^(now|narrow) \w+ it in global-default; /)
    // One that is put elsewhere differs when it arrives.
    expect(elsewhere?.first?.request).toEqual({
      level: 'global-default',
      user: 'somebody',
      arrivedSeconds: elsewhere?.first?.seconds,
    })
    expect(elsewhere?.first?.explanation[1]).toBe(
      'now receives it in global-default; elsewhere receives it in workload-high.',
    )
    expect(runScenario(one)?.runs.some(({ course }) => course !== undefined)).toBe(false)
  })

  it('counts from where statistics begin', () => {
    // Four threads, each with one request of 100 ms execution and 50 to 150 ms of thinking.
    expect(served('variants: [{ name: now }]')).toBeCloseTo((15 * 4) / 0.2, -2)
  })

  it('follows its phases', () => {
    const usual = served('variants: [{ name: now }]')
    expect(served('phases: [{ at: 5, executionFactor: 10 }]\nvariants: [{ name: now }]')).toBeLessThan(usual / 4)
    expect(
      served('phases: [{ at: 5, pause: { clients: some, seconds: 15 } }]\nvariants: [{ name: now }]'),
    ).toBeLessThanOrEqual(4)
  })

  it('loses what waits and runs when the server restarts, and begins from nothing', () => {
    const [run] =
      runScenario(scenario('phases: [{ at: 10, restart: { seconds: 5 } }]\nvariants: [{ name: now }]'))?.runs ?? []
    const total = run?.result.total
    // On average, two of four threads are busy; nothing is served for five of fifteen seconds.
    expect(total?.expired).toBeGreaterThan(0)
    expect(total?.expired).toBeLessThanOrEqual(4)
    expect(total?.served).toBeLessThan(0.75 * served('variants: [{ name: now }]'))
    const level = run?.result.levels.find((one) => one.level === 'global-default')
    expect(level?.limits?.current).toBeGreaterThan(0)
  })

  it('lets a client with a bug send as fast as it can', () => {
    const bug = 'phases: [{ at: 5, bug: { clients: some, thinkMs: 1 } }]\nvariants: [{ name: now }]'
    expect(served(bug)).toBeCloseTo((15 * 4) / 0.101, -2)
  })

  it('puts what changes while the storage is away in force at the end of it, all at once', () => {
    const level = (shares: number): string =>
      `[{ apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: PriorityLevelConfiguration, metadata: { name: global-default },
         spec: { type: Limited, limited: { nominalConcurrencyShares: ${shares}, lendablePercent: 0, borrowingLimitPercent: 0,
           limitResponse: { type: Reject } } } }]`
    const edits = `phases:
  - { at: 6, disconnect: { seconds: 6 } }
  - { at: 7, configuration: ${level(5)} }
  - { at: 9, configuration: ${level(50)} }
  - { at: 16, configuration: ${level(20)} }
`
    const one = scenario(`${edits}variants: [{ name: now }]`)
    const [variant] = one.variants
    if (variant === undefined) return expect.fail()
    const playback = playbackOf(one, variant)
    playback.runTo(20e9)
    const configured = playback.adjustments().filter(({ cause, atNs }) => cause === 'configuration' && atNs > 0)
    expect(configured.map(({ atNs }) => atNs / 1e9)).toEqual([12, 16])
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
    const { client, executionNs } = event.ticket.payload.payload.owner
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

describe('requests that others need or cause', () => {
  const chain = (needs: string, seats: number) => {
    const read = readScenario(
      `name: chain
seconds: 20
clients:
  - name: first
    user: somebody
    threads: 4
    thinkMs: 100
    calls: [{ request: POST /api/v1/namespaces/default/pods, executionMs: 50, distribution: constant, ${needs}: second }]
  - name: second
    user: somebody
    onDemand: true
    threads: 1
    calls: [{ request: POST /api/v1/namespaces/default/events, executionMs: 10, distribution: constant }]
variants: [{ name: now, maxRequestsInFlight: 0, maxMutatingRequestsInFlight: ${seats}, algorithm: max-in-flight }]
`,
      'chain.yaml',
    )
    const { scenario: one } = read
    if (one === undefined) return expect.fail(JSON.stringify(read.findings))
    const { clients = [] } = runScenario(one)?.runs[0]?.result ?? {}
    const of = (name: string) => clients.find(({ client }) => client === name) ?? expect.fail()
    return { first: of('first'), second: of('second') }
  }

  it('sends one for each that was served', () => {
    const { first, second } = chain('causes', 10)
    expect(first.served).toBeGreaterThan(400)
    expect(second.served).toBeGreaterThanOrEqual(first.served - 4)
    expect(second.served).toBeLessThanOrEqual(first.served)
  })

  it('holds the seats of a handler until what it waits for was served', () => {
    const { first, second } = chain('needs', 10)
    // One thread handles the others' requests in turn, 10 ms each.
    expect(first.served).toBeGreaterThan(400)
    expect(first.seats).toBeGreaterThan((first.served * 0.06) / 20 - 0.1)
    expect(second.served).toBeGreaterThanOrEqual(first.served)
  })

  it('locks up until the request timeout when the seats are all taken', () => {
    const { first, second } = chain('needs', 4)
    expect(first.served).toBeLessThan(10)
    expect(second.served).toBeLessThan(10)
    expect(first.seats).toBeGreaterThan(3.9)
  })
})
