import { expect, it } from 'vitest'
import type { DumpFrame } from '../frame/dump.ts'
import { createLedger } from '../verdict/ledger.ts'
import { suspectsOf } from './suspects.ts'

const START = Date.UTC(2026, 10, 20, 3)

/** A dump every four seconds: so many requests of the flood, and `each` of five others or more. */
const dumpsOf = (counts: readonly number[], each = 1, levelOf = (_dump: number) => 'small'): readonly DumpFrame[] =>
  counts.map((count, i) => {
    const at = START + i * 4_000
    const row = (user: string, queue: number) => ({
      level: levelOf(i),
      schema: 's',
      queue,
      position: queue,
      flow: user,
      arrivedAt: at - 1_000,
      ...(queue < 0 && { startedAt: at - 500 }),
      initialSeats: 1,
      finalSeats: 0,
      additionalLatencyMs: 0,
      user,
    })
    const requests = [
      ...Array.from({ length: count }, () => row('flood', 0)),
      ...Array.from({ length: Math.max(10, 5 * each) }, (_, other) => row(`other-${Math.floor(other / each)}`, -1)),
    ]
    return { server: 'a', at: new Date(at).toISOString(), costMs: 1, bytes: 1, errors: [], requests }
  })

const ledgerOf = (dumps: readonly DumpFrame[]) => {
  const ledger = createLedger()
  for (const dump of dumps) ledger.dump(dump)
  return ledger.finish(4 * dumps.length)
}

it.each([
  ['goes on', [0, 0, 0, 0, 0, 90, 90, 90, 90, 90, 90]],
  ['has fewer requests in the last dumps', [0, 0, 0, 0, 0, 90, 90, 90, 90, 20, 10]],
  ['pauses for a moment', [0, 0, 0, 0, 0, 90, 90, 10, 10, 90, 90]],
])('dates a flood by its beginning: one that %s', (_, counts) => {
  const dumps = dumpsOf(counts)
  const [suspect] = suspectsOf({
    level: 'small',
    limit: 20,
    factor: 1,
    areFewer: false,
    now: ledgerOf(dumps.slice(5)),
    before: ledgerOf(dumps.slice(0, 5)),
    dumps,
  })
  expect(suspect).toMatchObject({ name: 'flood', since: START + 20_000, notBefore: START + 16_000 })
})

it('does not suspect whoever was sent to the level and wants as much more than before as the others', () => {
  const dumps = dumpsOf([5, 5, 5, 5, 5, 8, 8, 8, 8], 5, (dump) => (dump < 5 ? 'large' : 'small'))
  const [before, now] = [ledgerOf(dumps.slice(0, 5)), ledgerOf(dumps.slice(5))]
  expect(suspectsOf({ level: 'small', limit: 2, factor: 1, areFewer: false, now, before, dumps })).toEqual([])
})

it('suspects none of a crowd for its part of the few seats of a level', () => {
  const dumps = dumpsOf([0, 0, 0, 0, 0, 6, 6, 6, 6], 5).map((dump, i) => (i < 5 ? { ...dump, requests: [] } : dump))
  const holding = dumps.map(({ requests = [], ...dump }) => ({
    ...dump,
    requests: requests.map((row, i) => (row.user === 'flood' && i < 2 ? { ...row, startedAt: row.arrivedAt } : row)),
  }))
  const [before, now] = [ledgerOf(holding.slice(0, 5)), ledgerOf(holding.slice(5))]
  expect(suspectsOf({ level: 'small', limit: 4, factor: 1, areFewer: false, now, before, dumps: holding })).toEqual([])
})

it('suspects who holds much of a level in a jam, though others have as many requests by the first dump with it', () => {
  const dumps = dumpsOf([0, 0, 0, 0, 0, 9, 9, 9, 9]).map(({ requests = [], ...dump }, i) => ({
    ...dump,
    requests: requests.flatMap((row) => {
      if (row.user === 'flood') return [{ ...row, startedAt: row.arrivedAt - 9_000 }]
      const { startedAt: _, ...waiting } = row
      return i < 5 ? [row] : [row, ...Array.from({ length: 6 }, () => waiting)]
    }),
  }))
  const [before, now] = [ledgerOf(dumps.slice(0, 5)), ledgerOf(dumps.slice(5))]
  const found = suspectsOf({ level: 'small', limit: 15, factor: 1, areFewer: false, now, before, dumps })
  expect(found.map(({ name, cause }) => [name, cause])).toEqual([['flood', 'slow-reader']])
})

it('does not suspect the largest client of a level whose requests take long for all, or that an edit sent elsewhere', () => {
  const dumps = dumpsOf([6, 6, 6, 6, 6, 60, 60, 60, 60], 1)
  const slower = dumps.map(({ requests = [], ...dump }, i) => ({
    ...dump,
    requests: requests.map((row) => ({
      ...row,
      ...(i >= 5 && row.startedAt !== undefined && { startedAt: row.startedAt - 9_500 }),
    })),
  }))
  const suspectsIn = (all: readonly DumpFrame[]) =>
    suspectsOf({
      level: 'small',
      limit: 20,
      factor: 1,
      areFewer: false,
      now: ledgerOf(all.slice(5)),
      before: ledgerOf(all.slice(0, 5)),
      dumps: all,
    }).map(({ name }) => name)
  expect(suspectsIn(dumps)).toEqual(['flood'])
  expect(suspectsIn(slower)).toEqual([])
  const sent = dumpsOf([30, 30, 30, 30, 30, 60, 60, 60, 60], 1, (dump) => (dump < 5 ? 'large' : 'small'))
  expect(suspectsIn(sent)).toEqual([])
})

it('suspects whoever came, beside more clients whose requests only became longer than are named', () => {
  const old = ['a', 'b', 'c', 'd']
  /** Six dumps in which each client has so many requests that execute. */
  const dumpsWith = (counts: Readonly<Record<string, number>>, first: number): readonly DumpFrame[] =>
    dumpsOf(Array.from({ length: first + 6 }, () => 0))
      .slice(first)
      .map(({ requests: [like] = [], ...dump }) => ({
        ...dump,
        requests: Object.entries(counts).flatMap(([user, count]) =>
          like === undefined ? [] : Array.from({ length: count }, () => ({ ...like, user, flow: user })),
        ),
      }))
  const others = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`other-${i}`, 1]))
  const were = dumpsWith({ ...others, ...Object.fromEntries(old.map((name) => [name, 10])) }, 0)
  const are = dumpsWith({ ...others, ...Object.fromEntries(old.map((name) => [name, 30])), flood: 25 }, 6)
  const found = suspectsOf({
    level: 'small',
    limit: 20,
    factor: 4,
    areFewer: true,
    now: ledgerOf(are),
    before: ledgerOf(were),
    dumps: [...were, ...are],
  })
  expect(found.map(({ name }) => name)).toEqual(['flood'])
})
