import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { level, scannerFlood, server } from '../../core/verdict/levels.fixture.ts'
import { BUILT_IN_ORDER } from '../../core/text/levelSlots.ts'
import {
  differenceNote,
  ledgerOf,
  entrySentence,
  ledgerSentence,
  nominalNote,
  layoutEquation,
  layoutLedger,
  ledgerTicks,
  ribbonPath,
} from './seatLedger.data.ts'

describe('the account of every seat', () => {
  test('of the scanner flood: 72 lent, 72 borrowed, nothing left over', () => {
    const ledger = ledgerOf(scannerFlood(), BUILT_IN_ORDER)
    expect(ledger).toMatchObject({
      nominal: 602,
      current: 602,
      lent: 72,
      borrowed: 72,
      executing: 488,
      free: 114,
      difference: 0,
      regime: 'shared',
      exempt: { executing: 3, current: 5 },
    })
    expect(ledger.entries.map((entry) => entry.name)).toEqual(BUILT_IN_ORDER.slice(1))
    expect(nominalNote(ledger)).toBe('602 nominal seats, at most 6 of them by rounding; exempt runs 3 seats more')
    expect(differenceNote(ledger)).toBeUndefined()
    expect(ledgerSentence(ledger)).toBe(
      'Seat ledger: 488 of 602 seats are taken, 114 are free; 72 lent, 72 borrowed; nominal limits sum to 602',
    )
  })

  test('a rounding difference of the current limits is said, not hidden', () => {
    const levels = ['a', 'b', 'c', 'd'].map((name) => level({ name, nominal: 10, current: 10 }))
    const more = ledgerOf(server({ levels: [...levels, level({ name: 'e', nominal: 10, current: 12 })] }), [])
    expect(differenceNote(more)).toBe('current limits sum to 52, 2 more: each is rounded.')
  })

  test('up to 1.30 exempt holds nominal seats; otherwise a large difference is not explained away', () => {
    const one = level({ name: 'a', nominal: 100, current: 80 })
    const exempt = level({ name: 'exempt', nominal: 0, current: 20 })
    expect(differenceNote(ledgerOf(server({ levels: [one, exempt] }), []))).toMatch(/exempt holds 20/)
    expect(differenceNote(ledgerOf(server({ levels: [one] }), []))).toMatch(
      /20 fewer than nominal: the scrape may straddle/,
    )
  })

  test('without room for all floors there is no pool', () => {
    const levels = [level({ name: 'a', nominal: 240, current: 180 }), level({ name: 'b', nominal: 30, current: 30 })]
    const ledger = ledgerOf(server({ levels, seatFairFrac: 0 }), [])
    expect(ledger.regime).toBe('short')
    expect(differenceNote(ledger)).toMatch(/no pool.*60 seats are withheld/)
    expect(layoutLedger(ledger, 0, 300).pool).toBeUndefined()
    expect(ledgerSentence(ledger)).toContain('0 lent, 0 borrowed')
    expect(ledger.entries.map((entry) => entrySentence(entry)).join('\n')).not.toContain('lent')
  })

  test('numbers are grouped, and one seat is one', () => {
    const many = ledgerOf(
      server({ levels: [level({ name: 'a', nominal: 12_000, current: 12_000, executing: 1_500 })] }),
      [],
    )
    expect(nominalNote(many)).toBe('12\u202f000 nominal seats')
    expect(ledgerSentence(many)).toContain('1\u202f500 of 12\u202f000 seats are taken, 10\u202f500 are free')
    const [entry] = many.entries
    if (entry === undefined) throw new Error('there is one level')
    expect(entrySentence(entry)).toBe('a: 1\u202f500 of 12\u202f000 seats executing, nominal 12\u202f000')
    const one = ledgerOf(server({ levels: [level({ name: 'a', nominal: 31, current: 30 })], seatFairFrac: 0 }), [])
    expect(differenceNote(one)).toMatch(/; 1 seat is withheld\.$/)
  })

  test('a server that never moves limits withholds none, and exempt is not to blame', () => {
    const levels = [level({ name: 'a', nominal: 240, current: 240 }), level({ name: 'exempt', executing: 0 })]
    expect(differenceNote(ledgerOf(server({ levels, seatFairFrac: 0 }), []))).toBeUndefined()
  })

  test('a level without limits is named as unaccounted, one without occupancy makes sums unknown', () => {
    const blind = { ...level({ name: 'blind' }), limits: { nominal: 5, current: undefined, lower: 0, upper: 0 } }
    const mute = { ...level({ name: 'mute' }), seats: { executing: undefined, queued: 0 } }
    const ledger = ledgerOf(server({ levels: [blind, mute, level({ name: 'ok', executing: 1 })] }), [])
    expect(ledger.unknown).toEqual(['blind'])
    expect(ledger.executing).toBeUndefined()
    expect(ledger.free).toBeUndefined()
    expect(ledgerOf(server({ levels: [], seatFairFrac: undefined }), []).regime).toBe('unknown')
  })
})

describe('layout of the ledger', () => {
  test('segments follow each other without gap; lent and pool parts have equal width', () => {
    const layout = layoutLedger(ledgerOf(scannerFlood(), BUILT_IN_ORDER), 100, 602)
    const [high] = layout.groups
    expect(layout.perSeat).toBe(1)
    expect(high?.nominal).toEqual({ x: 100, width: 98 })
    expect(high?.lent).toEqual({ x: 173, width: 25 })
    expect(high?.pool?.width).toBe(25)
    expect(layout.pool?.width).toBe(72)
    const low = layout.groups.find((group) => group.entry.name === 'workload-low')
    expect(low?.executing?.width).toBe(245)
    expect(low?.borrowed?.width).toBe(62)
  })

  test('many narrow neighbours become one segment that keeps their sum', () => {
    const levels = Array.from({ length: 80 }, (_, i) => level({ name: `l${i}`, nominal: i === 40 ? 900 : 1 }))
    const layout = layoutLedger(ledgerOf(server({ levels }), []), 0, 500)
    expect(layout.groups.length).toBeLessThan(5)
    expect(layout.groups.flatMap((group) => group.names)).toHaveLength(80)
  })

  test('everything stays inside, and the sums of widths are the sums of seats', () => {
    const seats = fc.record({ nominal: fc.nat(500), current: fc.nat(500), executing: fc.nat(600) })
    fc.assert(
      fc.property(fc.array(seats, { minLength: 1, maxLength: 90 }), (wishes) => {
        const levels = wishes.map((wish, i) => level({ name: `level-${i}`, ...wish }))
        const ledger = ledgerOf(server({ levels }), [])
        const layout = layoutLedger(ledger, 50, 800)
        const width = layout.groups.reduce((n, group) => n + group.nominal.width, 0)
        expect(width).toBeCloseTo(ledger.nominal * layout.perSeat, 6)
        for (const group of layout.groups) {
          for (const span of [group.nominal, group.current, group.lent, group.executing, group.borrowed]) {
            if (span === undefined) continue
            expect(span.x).toBeGreaterThanOrEqual(50 - 1e-6)
            expect(span.x + span.width).toBeLessThanOrEqual(850 + 1e-6)
          }
        }
        expect(ledger.borrowed - ledger.lent).toBe(ledger.difference)
      }),
    )
  })

  test('the equation keeps the largest terms and counts those without room', () => {
    const ledger = ledgerOf(scannerFlood(), BUILT_IN_ORDER)
    const wide = layoutEquation(ledger, 0, 1200, 1)
    expect(wide.lenders.map((term) => [term.name, term.seats])).toEqual([
      ['node-high', -25],
      ['system', -24],
      ['workload-high', -23],
    ])
    expect(wide.borrowers.map((term) => term.seats)).toEqual([62, 10])
    const narrow = layoutEquation(ledger, 0, 350, 1)
    expect(narrow.borrowers.map((term) => term.name)).toEqual(['workload-low'])
    expect(narrow.hidden).toBe(5 - narrow.lenders.length - 1)
  })

  test('ticks are round and a ribbon is a closed path', () => {
    expect(ledgerTicks(602, 8)).toEqual([0, 100, 200, 300, 400, 500, 600])
    expect(ledgerTicks(33, 8)).toEqual([0, 5, 10, 15, 20, 25, 30])
    expect(ledgerTicks(1, 8)).toEqual([0, 1])
    expect(ribbonPath({ x: 0, width: 10 }, { x: 50, width: 10 }, 0, 20)).toBe(
      'M0 0C0 10 50 10 50 20H60C60 10 10 10 10 0Z',
    )
  })
})
