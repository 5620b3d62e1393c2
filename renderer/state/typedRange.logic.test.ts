import fc from 'fast-check'
import { expect, test } from 'vitest'
import { windowToText, type TimeWindow } from './time.logic.ts'
import { format } from '../theme/format.ts'
import { readInstant, readRange, type Wall } from './typedRange.logic.ts'

const NOW = Date.UTC(2026, 10, 23, 15, 30)
const WALL: Wall = { now: NOW, zone: 'utc' }
const at = (text: string): number => Date.parse(`${text}Z`)
const KNOWN: Wall = { ...WALL, lastAlert: at('2026-11-23T11:03:20') }

test.each([
  ['yesterday 14:00 to 15:00', '2026-11-22T14:00', '2026-11-22T15:00'],
  ['yesterday 14:00-15:00', '2026-11-22T14:00', '2026-11-22T15:00'],
  ['Yesterday 23:00 to 01:00', '2026-11-22T23:00', '2026-11-23T01:00'],
  ['yesterday', '2026-11-22T00:00', '2026-11-23T00:00'],
  ['today', '2026-11-23T00:00', '2026-11-23T15:30'],
  ['2026-11-20 03:00 to 04:00', '2026-11-20T03:00', '2026-11-20T04:00'],
  ['2026-11-20 03:00 – 04:00', '2026-11-20T03:00', '2026-11-20T04:00'],
  ['2026-11-20 03:00 to 2026-11-20 04:00', '2026-11-20T03:00', '2026-11-20T04:00'],
  ['2026-11-20T03:00:00Z to 2026-11-20T05:00:00+01:00', '2026-11-20T03:00', '2026-11-20T04:00'],
  ['2026-11-20T03:01:00Z/2026-11-20T03:05:00Z', '2026-11-20T03:01', '2026-11-20T03:05'],
  ['2026-11-20 03:02:48 + 5m', '2026-11-20T03:02:48', '2026-11-20T03:07:48'],
  ['2026-11-20', '2026-11-20T00:00', '2026-11-21T00:00'],
  ['14:00 to 15:00', '2026-11-23T14:00', '2026-11-23T15:00'],
  ['14:00 to now', '2026-11-23T14:00', '2026-11-23T15:30'],
  ['16:00 to 17:00', '2026-11-22T16:00', '2026-11-22T17:00'],
  ['3:02:48 + 10m', '2026-11-23T03:02:48', '2026-11-23T03:12:48'],
  ['yesterday 23:00 to 24:00', '2026-11-22T23:00', '2026-11-23T00:00'],
  ['2026-11-20 03:00:00 UTC to 2026-11-20 04:00:00 UTC', '2026-11-20T03:00', '2026-11-20T04:00'],
  ['03:00 UTC to 04:00 UTC', '2026-11-23T03:00', '2026-11-23T04:00'],
  ['-6h to -5h', '2026-11-23T09:30', '2026-11-23T10:30'],
  ['last alert + 10m', '2026-11-23T11:03:20', '2026-11-23T11:13:20'],
  ['last alert to now', '2026-11-23T11:03:20', '2026-11-23T15:30'],
])('%s', (text, from, to) => {
  expect(readRange(text, KNOWN)).toEqual({ ok: true, window: { kind: 'absolute', from: at(from), to: at(to) } })
})

test.each([
  ['2m around last alert', '2026-11-23T11:01:20', '2026-11-23T11:05:20'],
  ['last alert', '2026-11-23T10:58:20', '2026-11-23T11:08:20'],
  ['@ last alert', '2026-11-23T10:58:20', '2026-11-23T11:08:20'],
  ['1m around -6h', '2026-11-23T09:29', '2026-11-23T09:31'],
  ['2026-11-22 14:00:00 UTC', '2026-11-22T13:55', '2026-11-22T14:05'],
  ['around the last alert', '2026-11-23T10:58:20', '2026-11-23T11:08:20'],
  ['yesterday 14:00', '2026-11-22T13:55', '2026-11-22T14:05'],
  ['07:12:30', '2026-11-23T07:07:30', '2026-11-23T07:17:30'],
  ['30 s around yesterday 14:00', '2026-11-22T13:59:30', '2026-11-22T14:00:30'],
  ['I1120 03:07:20.123456   12 apf_filter.go:7] at "2026"', '2026-11-20T03:02:20', '2026-11-20T03:12:20'],
  ['E1224 03:07:20.123456   12 apf_filter.go:7] last year', '2025-12-24T03:02:20', '2025-12-24T03:12:20'],
  ['{"ts":"2026-11-20T03:07:20.5+0100","user":"a@b.c"}', '2026-11-20T02:02:20', '2026-11-20T02:12:20'],
  ['2026-11-20 03:07:20,123 WARN 429 Too Many Requests', '2026-11-20T03:02:20', '2026-11-20T03:12:20'],
])('%s', (text, from, to) => {
  const window = { kind: 'absolute', from: at(from), to: at(to) } as const
  // What a time alone means is the time itself, not the end of what is shown around it.
  expect(readRange(text, KNOWN)).toEqual({ ok: true, window, at: (window.from + window.to) / 2 })
})

test.each([
  ['3:02:48 + 10m @ 3:07:20', '2026-11-23T03:02:48', '2026-11-23T03:12:48', '2026-11-23T03:07:20'],
  ['yesterday 23:30 to 00:30 @00:10', '2026-11-22T23:30', '2026-11-23T00:30', '2026-11-23T00:10'],
  ['yesterday 14:00 to 15:00 @ 14:00', '2026-11-22T14:00', '2026-11-22T15:00', '2026-11-22T14:00'],
  ['yesterday @ yesterday 14:00', '2026-11-22T00:00', '2026-11-23T00:00', '2026-11-22T14:00'],
  ['@ 03:07:20', '2026-11-23T03:02:20', '2026-11-23T03:12:20', '2026-11-23T03:07:20'],
])('%s chooses an instant', (text, from, to, chosen) => {
  const window = { kind: 'absolute', from: at(from), to: at(to) }
  expect(readRange(text, WALL)).toEqual({ ok: true, window, at: at(chosen) })
})

test('an instant may be chosen in a range that follows the newest sample', () => {
  const window = { kind: 'relative', seconds: 3_600 }
  expect(readRange('-1h @ 15:00', WALL)).toEqual({ ok: true, window, at: at('2026-11-23T15:00') })
})

test('a time alone that just passed is shown up to now', () => {
  const window = { kind: 'absolute', from: at('2026-11-23T15:24'), to: NOW }
  expect(readRange('15:29', WALL)).toEqual({ ok: true, window, at: at('2026-11-23T15:29') })
})

test.each([
  ['-6h', 21_600],
  ['−90 s', 90],
  ['-1d', 86_400],
  ['last 1 h', 3_600],
])('%s follows the newest sample', (text, seconds) => {
  expect(readRange(text, WALL)).toEqual({ ok: true, window: { kind: 'relative', seconds } })
})

test.each([
  ['2026-11-20 03:00 to 2026-11-20 02:00', 'The range ends before it starts.'],
  ['2026-11-20 03:00 to 2026-11-22 04:00', 'A range is at most 24 h long.'],
  ['-2d', 'A relative range is between 1 min and 24 h long.'],
  ['-5s', 'A relative range is between 1 min and 24 h long.'],
  ['2026-02-30 03:00', /^Write a range as/],
  ['25:00 to 26:00', /^Write a range as/],
  ['soon', /^Write a range as/],
  ['2m around last alert', 'No alert of this source is known.'],
  ['2m around soon', /^Write a range as/],
  ['14:00 to 15:00 @ 16:00', 'The time after “@” is outside the range.'],
  ['14:00 to 15:00 @ soon', /^Write a range as/],
  ['14:00 @ 14:01 @ 14:02', /^Write a range as/],
  ['I1320 03:07:20.1 no such month', /^Write a range as/],
  ['', /^Write a range as/],
])('refuse %s and say why', (text, why) => {
  expect(readRange(text, WALL)).toEqual({ ok: false, why: expect.stringMatching(why) })
})

test.each([
  ['yesterday 14:00', '2026-11-22T14:00'],
  ['03:07:20', '2026-11-23T03:07:20'],
  ['2026-11-20 03:07:20 UTC', '2026-11-20T03:07:20'],
  ['-6h', '2026-11-23T09:30'],
  ['last alert', '2026-11-23T11:03:20'],
  ['I1120 03:07:20.123456   12 apf_filter.go:7] at "2026"', '2026-11-20T03:07:20'],
  ['03:02 + 10m @ 03:07:20', '2026-11-23T03:07:20'],
  ['14:00 to 15:00', '2026-11-23T14:00'],
])('a field for one instant takes %s', (text, instant) => {
  expect(readInstant(text, KNOWN)).toEqual({ ok: true, at: at(instant) })
})

test.each(['', 'later', '14:00 to 15:00 @ soon'])(
  'a field for one instant refuses “%s” as a field for a range',
  (text) => {
    expect(readInstant(text, WALL)).toEqual(readRange(text, WALL))
  },
)

test('a time with the zone of the clock is in that zone', () => {
  const wall: Wall = { now: NOW, zone: 'local' }
  const plain = readRange('2026-11-20 03:00:00 to 2026-11-20 04:00:00', wall)
  expect(plain.ok).toBe(true)
  expect(readRange('2026-11-20 03:00:00 local time to 2026-11-20 04:00:00 local time', wall)).toEqual(plain)
})

/** A run of 1 300 s. */
const RUN: Wall = { now: 1_300_000, zone: 'utc' }

test.each([
  ['0 s to 60 s', 0, 60],
  ['30 s – 40 s', 30, 40],
  ['30 s + 10s', 30, 40],
  ['2 min to 3 min', 120, 180],
  ['1\u202f204 s to 1\u202f234 s', 1_204, 1_234],
  ['−5 s to 60 s', -5, 60],
  ['12.5 s/60.25 s', 12.5, 60.25],
  ['1 290 s to now', 1_290, 1_300],
])('a run counts from 0 s: %s', (text, from, to) => {
  expect(readRange(text, RUN)).toEqual({ ok: true, window: { kind: 'absolute', from: from * 1_000, to: to * 1_000 } })
})

test.each([
  ['12 s', 0, 312, 12],
  ['700 s', 400, 1_000, 700],
  ['1\u202f299 s', 999, 1_300, 1_299],
  ['5 s to 20 s @ 12.345 s', 5, 20, 12.345],
])('an instant of a run: %s', (text, from, to, instant) => {
  const window = { kind: 'absolute', from: from * 1_000, to: to * 1_000 }
  expect(readRange(text, RUN)).toEqual({ ok: true, window, at: instant * 1_000 })
})

test.each(['last 60 s', '-1 min'])('a run has a last part: %s', (text) => {
  expect(readRange(text, RUN)).toEqual({ ok: true, window: { kind: 'relative', seconds: 60 } })
})

test.each(['14:00 to 15:00', 'yesterday', '2026-11-20', 'soon'])('a run has no %s', (text) => {
  expect(readRange(text, RUN)).toEqual({ ok: false, why: expect.stringMatching(/of a run as “30 s to 2 min”/) })
})

test('a field takes what it shows of a run and of a clock', () => {
  const whole = (range: fc.Arbitrary<number>) => fc.tuple(range, fc.integer({ min: 5, max: 86_400 }))
  fc.assert(
    fc.property(
      fc.oneof(whole(fc.integer({ min: -500, max: 8_900_000 })), whole(fc.integer({ min: 1e9, max: 3e9 }))),
      ([first, length]) => {
        const [from, to] = [first * 1_000, (first + length) * 1_000]
        const wall = { now: to, zone: 'utc' } as const
        const window = { kind: 'absolute', from, to }
        expect(readRange(`${format.dateTime(from)} to ${format.dateTime(to)}`, wall)).toEqual({ ok: true, window })
        expect(readRange(`${format.instant(from)} – ${format.instant(to)}`, wall)).toEqual({ ok: true, window })
        // A negative amount alone is a length before the end.
        if (from >= 0) expect(readInstant(format.instant(from), wall)).toEqual({ ok: true, at: from })
      },
    ),
  )
})

const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 19)
const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

test('two clock times of a day are that range, in either zone', () => {
  const starts = fc.integer({ min: 0, max: 86_300 })
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20_000 }),
      starts,
      fc.integer({ min: 60, max: 86_400 }),
      (days, second, length) => {
        const from = days * 86_400_000 + second * 1_000
        const to = Math.min(from + length * 1_000, (days + 1) * 86_400_000 - 1_000)
        fc.pre(to - from >= 5_000)
        const text = `${day(from)} ${clock(from)} to ${clock(to)}`
        expect(readRange(text, WALL)).toEqual({ ok: true, window: { kind: 'absolute', from, to } })
        const local = readRange(text, { now: NOW, zone: 'local' })
        if (local.ok && local.window.kind === 'absolute') {
          const start = new Date(local.window.from)
          expect([start.getHours(), start.getMinutes(), start.getSeconds()].join(':')).toBe(
            clock(from).split(':').map(Number).join(':'),
          )
        }
      },
    ),
  )
})

test('what the console writes it reads again', () => {
  const window = fc.oneof(
    fc.integer({ min: 60, max: 86_400 }).map((seconds): TimeWindow => ({ kind: 'relative', seconds })),
    fc
      .tuple(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: 5_000, max: 86_400_000 }))
      .map(([from, length]): TimeWindow => ({ kind: 'absolute', from, to: from + length })),
  )
  fc.assert(
    fc.property(window, (value) => {
      expect(readRange(windowToText(value), WALL)).toEqual({ ok: true, window: value })
    }),
  )
})

test('no text fails, and what is read is a range that can be shown', () => {
  const words = fc.constantFrom(
    'yesterday',
    'today',
    'now',
    '-6h',
    'to',
    '-',
    '/',
    '+',
    '10m',
    '14:00',
    '99:99',
    '2026-11-20',
    'UTC',
    'last alert',
    '12 s',
    ' ',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(words, { maxLength: 8 }).map((parts) => parts.join(' ')),
      ),
      (text) => {
        for (const [zone, now] of [
          ['utc', NOW],
          ['local', NOW],
          ['utc', RUN.now],
        ] as const) {
          const parsed = readRange(text, { now, zone })
          if (!parsed.ok || parsed.window.kind === 'relative') continue
          const { from, to } = parsed.window
          expect(to - from).toBeGreaterThanOrEqual(5_000)
          expect(to - from).toBeLessThanOrEqual(86_400_000)
        }
      },
    ),
  )
})
