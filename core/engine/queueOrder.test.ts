import { describe, expect, test } from 'vitest'
import { FAIR_ALGORITHMS, type QueuingRules, UPSTREAM_QUEUING } from './algorithms.ts'
import { levelOf, SECOND_NS } from './level.fixture.ts'

const roundRobin = (quantumSeconds: number): QueuingRules => ({
  ...UPSTREAM_QUEUING,
  order: { quantum: quantumSeconds * SECOND_NS, assumedNs: SECOND_NS / 10 },
})

/**
 * Queues whose clients always have requests waiting; duration and width of each request are those of its queue. One
 * decision at a time: the order in which the queues were served, and the seat-seconds that each received.
 */
function saturated(
  rules: QueuingRules,
  kinds: readonly { readonly seconds: number; readonly seats: number }[],
  { limit, until }: { readonly limit: number; readonly until: number },
) {
  const one = levelOf(rules, { queues: kinds.length, limit, places: 1_000, longestWaitNs: 1e6 * SECOND_NS })
  const work = kinds.map(() => 0)
  const served: number[] = []
  const ends = new Map<string, number>()
  let made = 0
  const send = (queue: number): void => {
    one.arrive(`${queue} ${(made += 1)}`, queue, kinds[queue]?.seats)
  }
  const note = (now: number): void => {
    for (const name of one.running.keys()) {
      if (ends.has(name)) continue
      const queue = Number(name.split(' ')[0])
      served.push(queue)
      ends.set(name, now + (kinds[queue]?.seconds ?? 0))
      send(queue)
    }
  }
  for (const queue of kinds.keys()) for (let i = 0; i < 40; i++) send(queue)
  note(0)
  for (;;) {
    const [name, at] = [...ends].toSorted(([, a], [, b]) => a - b)[0] ?? ['', Number.POSITIVE_INFINITY]
    if (at > until) return { work, served }
    const queue = Number(name.split(' ')[0])
    const kind = kinds[queue]
    one.at(at)
    ends.delete(name)
    one.finish(name)
    work[queue] = (work[queue] ?? 0) + (kind?.seconds ?? 0) * (kind?.seats ?? 0)
    note(at)
  }
}

const shares = (work: readonly number[]): number[] => {
  const total = work.reduce((sum, one) => sum + one, 0)
  return work.map((one) => one / total)
}

describe('deficit round robin', () => {
  const KINDS = [
    { seconds: 0.1, seats: 1 },
    { seconds: 0.4, seats: 1 },
    { seconds: 0.1, seats: 3 },
  ]

  test('shares seats as upstream does where a turn adds a millisecond', () => {
    const bounds = { limit: 6, until: 600 }
    const turns = shares(saturated(roundRobin(0.001), KINDS, bounds).work)
    const upstream = shares(saturated(UPSTREAM_QUEUING, KINDS, bounds).work)
    for (const [queue, share] of turns.entries()) {
      expect(Math.abs(share - (upstream[queue] ?? 0)) / (upstream[queue] ?? 1)).toBeLessThan(0.05)
    }
  })

  test('serves a queue in bursts of the quantum over the cost of a request', () => {
    const { served } = saturated(roundRobin(60), KINDS.slice(0, 1).concat(KINDS.slice(0, 1)), { limit: 1, until: 300 })
    const bursts: number[] = []
    for (const [index, queue] of served.entries()) {
      if (queue === served[index - 1]) bursts[bursts.length - 1] = (bursts.at(-1) ?? 0) + 1
      else bursts.push(1)
    }
    // 60 seat-seconds over 0.1 each; the end cuts the last one.
    for (const burst of bursts.slice(0, -1)) expect(Math.abs(burst - 600)).toBeLessThanOrEqual(1)
    expect(bursts.length).toBeGreaterThan(4)
  })

  test('starts requests one by one as their turns come', () => {
    const one = levelOf(FAIR_ALGORITHMS.drr.queuing, { queues: 2, limit: 1 })
    for (const name of ['a1', 'a2', 'a3']) one.arrive(name, 0)
    for (const name of ['b1', 'b2', 'b3']) one.arrive(name, 1)
    const order: string[] = []
    // The first request of queue 0 takes a second, ten times the assumption: nine turns of queue 1 make up for it.
    for (const at of [1, 1.1, 1.2, 1.3, 1.4, 1.5]) {
      one.at(at)
      const [name = ''] = one.running.keys()
      order.push(name)
      one.finish(name)
    }
    expect(order).toEqual(['a1', 'b1', 'b2', 'b3', 'a2', 'a3'])
    expect(one.queueSet.idle).toBe(true)
  })

  test('skips thousands of turns at once', () => {
    const one = levelOf(roundRobin(1e-6), { queues: 2, limit: 1 })
    for (const name of ['a1', 'a2']) one.arrive(name, 0, 1)
    one.at(100_000)
    one.finish('a1')
    expect(one.state().runs).toBe('a2')
  })
})

describe('max-min fairness', () => {
  /** One queue that uses 2 of 10 seats and two that are always backlogged; later the first one is backlogged, too. */
  function latecomer(rules: QueuingRules) {
    const one = levelOf(rules, { queues: 3, limit: 10, places: 10_000, longestWaitNs: 1e6 * SECOND_NS })
    let made = 0
    const send = (queue: number): void => void one.arrive(`${queue} ${(made += 1)}`, queue)
    for (let i = 0; i < 2; i++) send(0)
    for (let i = 0; i < 30; i++) for (const queue of [1, 2]) send(queue)
    const held = [0, 0, 0]
    for (let round = 1; round <= 300; round++) {
      one.at(round)
      // Those that begin now belong to the next round.
      const ending = [...one.running.keys()]
      for (const name of ending) {
        one.finish(name)
        send(Number(name.split(' ')[0]))
      }
      if (round === 200) for (let i = 0; i < 30; i++) send(0)
      if (round < 210) continue
      for (const name of one.running.keys()) {
        const queue = Number(name.split(' ')[0])
        held[queue] = (held[queue] ?? 0) + 1
      }
    }
    return shares(held)
  }

  test('a queue that used less than its share has saved nothing', () => {
    const [late = 0, second = 0, third = 0] = latecomer(FAIR_ALGORITHMS.maxmin.queuing)
    for (const share of [late, second, third]) expect(Math.abs(share - 1 / 3)).toBeLessThan(0.03)
  })

  test('without the bound, equal shares let it catch up on demand that it never had', () => {
    const [late = 0] = latecomer({ ...UPSTREAM_QUEUING, bounded: false })
    expect(late).toBeGreaterThan(0.6)
  })

  test('splits seats evenly between backlogged queues', () => {
    const kinds = [
      { seconds: 0.1, seats: 1 },
      { seconds: 0.4, seats: 1 },
      { seconds: 0.2, seats: 2 },
    ]
    const { work } = saturated(FAIR_ALGORITHMS.maxmin.queuing, kinds, { limit: 12, until: 600 })
    for (const share of shares(work)) expect(Math.abs(share - 1 / 3)).toBeLessThan(0.02)
  })

  test('serves equals round robin after the queue served last', () => {
    const one = levelOf(FAIR_ALGORITHMS.maxmin.queuing, { queues: 3, limit: 1 })
    one.arrive('first', 1)
    for (const queue of [0, 1, 2]) one.arrive(`of ${queue}`, queue)
    one.finish('first')
    expect(one.state().runs).toBe('of 2')
  })
})
