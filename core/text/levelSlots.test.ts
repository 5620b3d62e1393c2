import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assignSlots, BUILT_IN_ORDER, codesOf, levelOrder, slotLook } from './levelSlots.ts'

const name = fc.stringMatching(/^[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,8}){0,2}$/)

describe('slots of levels', () => {
  it('gives built-in levels their own token and no slot', () => {
    expect(slotLook('workload-low', {})).toEqual({ token: '--lv-workload-low', turn: 1 })
    expect(assignSlots({}, BUILT_IN_ORDER)).toBeUndefined()
  })

  it('deals slots by first sight and never moves one', () => {
    const first = assignSlots({}, ['team-b', 'system', 'team-a'])
    expect(first).toEqual({ 'team-b': 1, 'team-a': 2 })
    expect(assignSlots(first ?? {}, ['team-a', 'team-c'])).toEqual({ 'team-b': 1, 'team-a': 2, 'team-c': 3 })
    expect(assignSlots(first ?? {}, ['team-a'])).toBeUndefined()
  })

  it('marks the second and third turn through the tokens', () => {
    expect(slotLook('a', { a: 8 })).toEqual({ token: '--lv-x8', turn: 1 })
    expect(slotLook('a', { a: 9 })).toEqual({ token: '--lv-x1', turn: 2 })
    expect(slotLook('a', { a: 17 })).toEqual({ token: '--lv-x1', turn: 3 })
  })

  it('is not misled by names of object properties', () => {
    expect(slotLook('constructor', { constructor: 3 }).token).toBe('--lv-x3')
  })
})

describe('codes of levels', () => {
  it('takes word initials, then letters', () => {
    const codes = codesOf({ 'batch-scan': 1, 'batch-sync': 2, billing: 3 })
    expect([...codes.values()]).toEqual(['BS', 'BA', 'BI'])
  })

  it('is unique, and stays when later levels come', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 60 }), name, (names, late) => {
        const slots = assignSlots({}, names) ?? {}
        const codes = codesOf(slots)
        expect(new Set(codes.values()).size).toBe(codes.size)
        const later = codesOf(assignSlots(slots, [late]) ?? slots)
        for (const [level, code] of codes) expect(later.get(level)).toBe(code)
        for (const code of codes.values()) expect(code).toMatch(/^[A-Z0-9]{2}$/)
      }),
    )
  })

  it('does not run out', () => {
    const names = Array.from({ length: 400 }, (_, index) => `z${index}`)
    const codes = codesOf(assignSlots({}, names) ?? {})
    expect(new Set(codes.values()).size).toBe(400)
  })
})

describe('order of levels', () => {
  it('is built-in first, then by slot, then by name', () => {
    const order = levelOrder({ zebra: 1, ant: 2 })
    expect(['new', 'ant', 'zebra', 'catch-all', 'exempt'].toSorted(order)).toEqual([
      'exempt',
      'catch-all',
      'zebra',
      'ant',
      'new',
    ])
  })
})
