import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Arrivals } from '../whatif/arrivals.ts'
import { defaultVariant } from '../whatif/variant.ts'
import { arrivalsOf, type Sent } from '../whatif/whatif.fixture.ts'
import { scenarioOfArrivals, textOfScenario } from './fromArrivals.ts'
import { readScenario } from './read.ts'
import { runAnyScenario } from './run.ts'

const server = defaultVariant('now', { levels: [], schemas: [] })

function imported(arrivals: Arrivals) {
  const written = scenarioOfArrivals(arrivals, server)
  const { notes } = written
  const { scenario, findings } = readScenario(textOfScenario(written), 'recorded.yaml')
  expect(findings).toEqual([])
  return { scenario: scenario ?? expect.fail(), notes }
}

const steady = (user: string, count: number, more: Partial<Sent> = {}): Sent[] =>
  Array.from({ length: count }, (_, i) => ({ user, atMs: (i * 60_000) / count, lastsMs: 20, ...more }))

it('has the rates and the execution times of the recording', () => {
  const wide = { target: '/api/v1/pods?limit=500', lastsMs: 400 }
  const { scenario } = imported(
    arrivalsOf([...steady('ann', 600), ...steady('ben', 300), ...steady('ben', 60, wide)], 60_000),
  )
  expect(scenario.clients.map(({ name }) => name)).toEqual(['ann', 'ben'])
  const { result } = runAnyScenario({ of: 'server', scenario })?.runs[0] ?? expect.fail()
  const [ann, ben] = ['ann', 'ben'].map((name) => result.clients.find(({ client }) => client === name) ?? expect.fail())
  // Five standard deviations of a Poisson count.
  expect(Math.abs((ann?.offered ?? 0) - 600)).toBeLessThan(5 * Math.sqrt(600))
  expect(Math.abs((ben?.offered ?? 0) - 360)).toBeLessThan(5 * Math.sqrt(360))
  expect(ann?.seats).toBeCloseTo(0.2, 1)
})

it('knows objects of other names as one kind, and when a user came and went', () => {
  const names = Array.from({ length: 100 }, (_, i) => ({
    user: 'ann',
    atMs: 20_000 + i * 100,
    lastsMs: 5,
    target: `/api/v1/namespaces/default/pods/pod-${i}`,
  }))
  const { file } = scenarioOfArrivals(arrivalsOf([...names, ...steady('ben', 600)], 60_000), server)
  expect(file).toMatchObject({
    seconds: 60,
    clients: [
      { name: 'ben', perSecond: 10 },
      {
        name: 'ann',
        from: 20,
        to: 30,
        perSecond: 10,
        calls: [
          {
            request: 'GET /api/v1/namespaces/default/pods/pod-0',
            weight: 100,
            executionMs: 5,
            distribution: 'constant',
          },
        ],
      },
    ],
  })
})

it('says how many requests it leaves out', () => {
  const many = Array.from({ length: 60 }, (_, i) => ({
    atMs: i,
    lastsMs: 5,
    target: `/api/v1/namespaces/n${i}/pods`,
  }))
  expect(imported(arrivalsOf(many, 1_000)).notes.at(-1)).toMatch(/^10 requests are left out/)
})

it('can be read whatever was recorded', () => {
  const sent = fc.record({
    user: fc.oneof(
      fc.constantFrom('ann', 'system:node:n1', '', 'a{i}', ': #', 'n', 'yes', '0o7', '1_000', '12:30'),
      fc.string(),
    ),
    atMs: fc.nat(5_000_000),
    lastsMs: fc.nat(100_000),
    target: fc.constantFrom(
      '/api/v1/pods?watch=true',
      '/healthz',
      '/a%20b%2Fc/%22',
      '/api/v1/pods?fieldSelector=a%3Db&limit=5',
      '/apis//x/',
    ),
  })
  const some = { user: 'ann', atMs: 1, lastsMs: 1 }
  fc.assert(
    fc.property(fc.array(sent, { maxLength: 30 }), (list) => {
      imported(arrivalsOf([some, ...list], 5_100_000))
    }),
    { numRuns: 50 },
  )
})
