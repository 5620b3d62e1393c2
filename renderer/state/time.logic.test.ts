import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { absolute, bounds, panned, textToWindow, windowToText, zoomed, type TimeWindow } from './time.logic.ts'

describe('time windows', () => {
  it('follow the newest sample, or stay', () => {
    expect(bounds({ kind: 'relative', seconds: 60 }, 100_000)).toEqual({ from: 40_000, to: 100_000 })
    expect(bounds({ kind: 'absolute', from: 1, to: 2 }, 100_000)).toEqual({ from: 1, to: 2 })
  })

  it('may be drawn in either direction and are never shorter than five seconds', () => {
    expect(absolute(60_000, 10_000)).toEqual({ kind: 'absolute', from: 10_000, to: 60_000 })
    expect(absolute(1_000, 1_001)).toEqual({ kind: 'absolute', from: 1_000, to: 6_000 })
  })

  it('keep the instant under the cursor in place while zooming', () => {
    const window = zoomed(0, 100_000, 25_000, 0.5)
    expect(window).toEqual({ kind: 'absolute', from: 12_500, to: 62_500 })
  })

  it('move by a share of their length', () => {
    expect(panned(0, 100_000, -0.5)).toEqual({ kind: 'absolute', from: -50_000, to: 50_000 })
  })

  it('of a run are written in seconds since its start', () => {
    expect(windowToText({ kind: 'absolute', from: 0, to: 61_500 })).toBe('0 s/61.5 s')
    expect(textToWindow('0 s/61.5 s')).toEqual({ ok: true, window: { kind: 'absolute', from: 0, to: 61_500 } })
  })

  it('survive being written and read', () => {
    const window = fc.oneof(
      fc.integer({ min: 60, max: 86_400 }).map((seconds): TimeWindow => ({ kind: 'relative', seconds })),
      fc
        .tuple(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: 5_000, max: 86_400_000 }))
        .map(([from, length]): TimeWindow => ({ kind: 'absolute', from, to: from + length })),
    )
    fc.assert(
      fc.property(window, (value) => {
        expect(textToWindow(windowToText(value))).toEqual({ ok: true, window: value })
      }),
    )
  })

  it.each([
    ['5 m', 300],
    ['last 1 h', 3_600],
    ['90s', 90],
  ])('read %s', (text, seconds) => {
    expect(textToWindow(text)).toEqual({ ok: true, window: { kind: 'relative', seconds } })
  })

  it.each([
    ['2026-01-01T00:01:00Z/2026-01-01T00:00:00Z', 'The range ends before it starts.'],
    ['2026-01-01T00:00:00Z/2026-01-03T00:00:00Z', 'A range is at most 24 h long.'],
    ['2 s', 'A relative range is between 1 min and 24 h long.'],
    ['soon', 'Write a range as “last 600 s” or as two times with a slash between them.'],
  ])('refuse %s and say why', (text, why) => {
    expect(textToWindow(text)).toEqual({ ok: false, why })
  })

  it('never fail on any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parsed = textToWindow(text)
        if (parsed.ok && parsed.window.kind === 'absolute') expect(parsed.window.to).toBeGreaterThan(parsed.window.from)
      }),
    )
  })
})
