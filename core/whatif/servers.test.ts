import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { differences } from '../../test/harness/differences.ts'
import { STRIDES } from '../bounds.ts'
import { CLUSTER } from '../simulate/cluster.ts'
import { dumpFrame, serverFrame } from '../simulate/serverFrame.ts'
import { shaped } from '../run/run.fixture.ts'
import { Timeline } from '../run/timeline.ts'
import { msToNs, secondsToNs } from '../units.ts'
import { Replay } from './replay.ts'
import { Servers } from './servers.ts'
import { simulatedArrivals } from './simulated.ts'
import { arrivalsOf, variantOf } from './whatif.fixture.ts'

const END_MS = 20_000
const users = ['ann', 'bob', 'cleo', 'dan'] as const
const given = arrivalsOf(
  Array.from({ length: 120 }, (_, index) => ({
    user: users[index % 4] ?? 'ann',
    atMs: Math.floor(index / 2) * 5,
    lastsMs: 20 + ((index * 7) % 90),
    ...(index % 5 === 0 && { leavesAfterMs: (index * 3) % 200 }),
  })),
  END_MS,
)
const VARIANTS = [
  variantOf('one', { objects: shaped(6, 4, 2) }),
  variantOf('three', { objects: shaped(6, 4, 2), servers: 3, executionFactor: 2 }),
  variantOf('drr', { objects: shaped(6, 4, 2), algorithm: 'drr' }),
  variantOf('filter', { algorithm: 'max-in-flight', maxRequestsInFlight: 3 }),
]

const stateOf = (servers: Servers) =>
  servers.engines.map((engine) => ({
    frame: serverFrame(engine.snapshot(), { id: 's', version: 'v1.36.3' }),
    dump: dumpFrame('s', engine),
  }))

describe.each(VARIANTS)('the servers of variant $name', (variant) => {
  it('are at every instant what an uninterrupted run is there, however it was reached', () => {
    const servers = new Servers(variant, given)
    const timeline = new Timeline(servers, { endNs: given.endNs, interval: 20, most: 8 })
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1_500 }), { minLength: 1, maxLength: 5 }), (instants) => {
        for (const ms of instants) timeline.seek(msToNs(ms))
        const straight = new Servers(variant, given)
        straight.runTo(msToNs(instants.at(-1) ?? 0))
        expect(differences(stateOf(servers), stateOf(straight))).toEqual([])
      }),
      { numRuns: 25 },
    )
  })

  it('decide event by event as in one go', () => {
    const stepped: string[] = []
    const servers = new Servers(variant, given, {
      onDecision: ({ owner, decision }, atNs) => stepped.push(`${owner.index} ${decision.kind} ${atNs}`),
    })
    while (servers.step(given.endNs));
    const atOnce: string[] = []
    const whole = new Servers(variant, given, {
      onDecision: ({ owner, decision }, atNs) => atOnce.push(`${owner.index} ${decision.kind} ${atNs}`),
    })
    whole.runTo(given.endNs)
    expect(stepped.toSorted()).toEqual(atOnce.toSorted())
    expect(stepped.length).toBeGreaterThan(given.list.length)
  })
})

it.each(STRIDES)('a stride of one %s back ends where the one before ended', (stride) => {
  const servers = new Servers(variantOf('one', { objects: shaped(6, 4, 2) }), given)
  const timeline = new Timeline(servers, { endNs: given.endNs, interval: 20 })
  const ends: number[] = []
  while (ends.length < 15 && timeline.forward(stride)) ends.push(timeline.events)
  for (const end of ends.slice(0, -1).toReversed()) {
    timeline.back(stride)
    expect(timeline.events).toBe(end)
  }
})

it('are taken back with what slows a simulated machine down, and decide as the comparison did', () => {
  const variant = variantOf('simulated', { maxRequestsInFlight: 100 })
  const traffic = { workload: CLUSTER, seed: 3, startUnixMs: 0, fromNs: 0, untilNs: secondsToNs(4) }
  const arrivals = simulatedArrivals(traffic, variant)
  if (arrivals === undefined) throw new Error('nothing ends it')
  const replay = new Replay(variant, arrivals)
  replay.runToEnd()
  const servers = new Servers(variant, arrivals)
  const timeline = new Timeline(servers, { endNs: arrivals.endNs, interval: 100 })
  for (const seconds of [4, 1, 3, 0.5, 4]) timeline.seek(secondsToNs(seconds))
  const dispatched = servers.engines[0]?.snapshot().levels.flatMap(({ lanes }) => lanes.map((lane) => lane.dispatched))
  const { total } = replay.result()
  expect(total.offered).toBeGreaterThan(500)
  const decided = arrivals.list.filter((_, index) => replay.decisions.of(index).outcome === 'dispatched').length
  expect(dispatched?.reduce((a, b) => a + b, 0)).toBe(decided)
})
