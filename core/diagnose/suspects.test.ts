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
    now: ledgerOf(dumps.slice(5)),
    before: ledgerOf(dumps.slice(0, 5)),
    dumps,
  })
  expect(suspect).toMatchObject({ name: 'flood', since: START + 20_000, notBefore: START + 16_000 })
})

it('does not suspect whoever was sent to the level and wants as much more than before as the others', () => {
  const dumps = dumpsOf([5, 5, 5, 5, 5, 8, 8, 8, 8], 5, (dump) => (dump < 5 ? 'large' : 'small'))
  const [before, now] = [ledgerOf(dumps.slice(0, 5)), ledgerOf(dumps.slice(5))]
  expect(suspectsOf({ level: 'small', limit: 2, factor: 1, now, before, dumps })).toEqual([])
})

it('suspects none of a crowd for its part of the few seats of a level', () => {
  const dumps = dumpsOf([0, 0, 0, 0, 0, 6, 6, 6, 6], 5).map((dump, i) => (i < 5 ? { ...dump, requests: [] } : dump))
  const holding = dumps.map(({ requests = [], ...dump }) => ({
    ...dump,
    requests: requests.map((row, i) => (row.user === 'flood' && i < 2 ? { ...row, startedAt: row.arrivedAt } : row)),
  }))
  const [before, now] = [ledgerOf(holding.slice(0, 5)), ledgerOf(holding.slice(5))]
  expect(suspectsOf({ level: 'small', limit: 4, factor: 1, now, before, dumps: holding })).toEqual([])
})
