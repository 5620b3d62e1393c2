import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SeenIds } from './seenIds.ts'
import { Timeline } from './timeline.ts'

describe('what is held back', () => {
  it('comes out in the order of time, order and id, whatever came first', () => {
    const happening = fc.record({ atMs: fc.nat(50), order: fc.nat(1), id: fc.string({ maxLength: 2 }) })
    const key = ({ atMs, order, id }: { atMs: number; order: number; id: string }): string => `${atMs}/${order}/${id}`
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 200 }), fc.nat(50), (all, until) => {
        const timeline = new Timeline<{ atMs: number; order: number; id: string }>()
        for (const one of all) timeline.put(one)
        const out: string[] = []
        for (let one = timeline.take(until); one; one = timeline.take(until)) out.push(key(one))
        const sorted = all
          .filter(({ atMs }) => atMs <= until)
          .toSorted((a, b) => a.atMs - b.atMs || a.order - b.order || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
        expect(out).toEqual(sorted.map(key))
        expect(timeline.size).toBe(all.length - out.length)
      }),
    )
  })

  it('is let go of', () => {
    const timeline = new Timeline<{ atMs: number; order: number; id: string }>()
    for (let i = 0; i < 20_000; i++) {
      timeline.put({ atMs: i, order: 0, id: '' })
      if (i % 2 === 1) expect(timeline.take(i)?.atMs).toBe((i - 1) / 2)
    }
    expect(timeline.size).toBe(10_000)
  })
})

describe('ids that were seen', () => {
  it('are remembered up to a number, and forgotten after twice as many', () => {
    const seen = new SeenIds(10)
    for (let i = 0; i < 100; i++) {
      seen.add(`${i}`)
      for (let j = 0; j < 10 && j <= i; j++) expect(seen.has(`${i - j}`)).toBe(true)
      expect(seen.has(`${i - 20}`)).toBe(false)
    }
  })
})
