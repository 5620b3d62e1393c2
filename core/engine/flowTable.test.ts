import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashFromBigInt, hashToBigInt } from '../request/match.ts'
import { FlowTable } from './flowTable.ts'

const hashes = new Map<string, bigint>()
/** Any hash that differs from name to name, all 64 bits in use. */
const hashOf = (name: string): bigint => {
  const known = hashes.get(name) ?? BigInt.asUintN(64, BigInt(hashes.size + 1) * 0x9e3779b97f4a7c15n)
  hashes.set(name, known)
  return known
}

/** A table that records which hashes were computed. */
function recorded(capacity: number) {
  const table = new FlowTable(capacity)
  const computed: string[] = []
  const ask = (name: string): bigint => {
    const flow = table.flow(name, {
      hashOf(distinguisher) {
        computed.push(distinguisher)
        return hashFromBigInt(hashOf(distinguisher))
      },
    })
    expect(flow.distinguisher).toBe(name)
    return hashToBigInt(flow.hash)
  }
  return { table, computed, ask }
}

describe('cached flows', () => {
  it('have the hash that was computed for them, in any order of lookups', () => {
    const name = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('', 'a', 'aa', 'system:node:node-1'))
    fc.assert(
      fc.property(fc.array(name, { maxLength: 300 }), fc.integer({ min: 1, max: 40 }), (names, capacity) => {
        const { table, ask } = recorded(capacity)
        for (const each of names) expect(ask(each)).toBe(hashOf(each))
        expect(table.size).toBeLessThanOrEqual(2 * capacity)
      }),
    )
  })

  it('are computed once while they fit', () => {
    const { table, computed, ask } = recorded(5_000)
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 5_000; i++) expect(ask(`user-${i}`)).toBe(hashOf(`user-${i}`))
    }
    expect(computed).toHaveLength(5_000)
    expect(table.size).toBe(5_000)
  })

  it('survive the turn of the generations when they were used recently', () => {
    const { computed, ask } = recorded(10)
    for (let i = 0; i < 1_000; i++) {
      ask('steady')
      ask(`passing-${i}`)
    }
    expect(computed.filter((name) => name === 'steady')).toHaveLength(1)
  })

  it('are dropped when they were not', () => {
    const { computed, ask } = recorded(10)
    ask('once')
    for (let i = 0; i < 20; i++) ask(`passing-${i}`)
    ask('once')
    expect(computed.filter((name) => name === 'once')).toHaveLength(2)
  })
})
