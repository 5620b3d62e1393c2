import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { sentenceText } from '../answer/answer.ts'
import { EffectSchema, type Effect } from '../contract/effect.ts'
import type { ForecastReport } from '../contract/forecast.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { createPicture } from '../source/picture.ts'
import { plain } from '../text/format.ts'
import { MS_PER_SECOND, rfc3339, unixMsOf } from '../units.ts'
import { beforeEdit, likeSpans, measureEffect, watchedUntil, type EffectSource } from './effect.ts'
import { earlierOf, judgedOf, scoreOf, worstMiss } from './judge.ts'
import { presentEffect, scoreText } from './present.ts'
import { CALLS, clients, pagesOf, withLow, workloadOf } from './twin.fixture.ts'

const calm = workloadOf(
  clients('few', 4, { kind: 'open', arrivals: { kind: 'poisson', perSecond: 5 }, calls: CALLS, onRejection: 'next' }),
)
const EDIT_SECONDS = 120
let pages: readonly ServerFrame[]
let start = 0

beforeAll(() => {
  const edit = { at: EDIT_SECONDS, objects: withLow({ nominalConcurrencyShares: 30 }) }
  pages = pagesOf(calm, { from: 60, until: 760, edit }).filter((_, second) => second % 5 === 0)
  start = unixMsOf(pages[0]?.at ?? '') - 60 * MS_PER_SECOND
})

const msOf = (seconds: number): number => start + seconds * MS_PER_SECOND
const until = (seconds: number): readonly ServerFrame[] => pages.filter(({ at }) => unixMsOf(at) <= msOf(seconds))

function sourceOf(frames: readonly ServerFrame[], atMs = msOf(EDIT_SECONDS)): EffectSource {
  const picture = createPicture()
  for (const frame of frames) picture.take({ kind: 'frame', frame })
  const { history } = picture.server('server') ?? {}
  if (history === undefined) throw new Error('no pages')
  const series: EffectSource['series'] = (from, to) => history.series({ from, to, maxPoints: 1_000 })
  return { frames, series, before: beforeEdit(atMs, series) }
}

const forecast = (seats: readonly [number, number]): ForecastReport => ({
  server: 'server',
  fromMs: 0,
  untilMs: 1,
  levels: [
    {
      level: 'workload-low',
      now: { arrivalsPerSecond: 20, rejectedPerSecond: 0 },
      bands: {
        seats: { low: seats[0], point: (seats[0] + seats[1]) / 2, high: seats[1] },
        rejectedPerSecond: { low: 0, point: 0, high: 0.1 },
      },
    },
  ],
  fit: [],
  runs: 12,
  seconds: 60,
  notes: [],
})
const effect = (more: Partial<Effect> = {}): Effect => ({
  id: '1',
  label: 'Change',
  server: 'server',
  atMs: msOf(EDIT_SECONDS),
  ...more,
})

describe('the effect of an edit', () => {
  test('is measured once what settles it has passed, and until ten minutes are over', () => {
    const early = measureEffect(effect(), sourceOf(until(160)))
    expect(early).toEqual(effect())
    const some = measureEffect(effect(), sourceOf(until(200)))
    expect(some.ended).toBeUndefined()
    expect(some.measured).toMatchObject({ fromMs: msOf(150), untilMs: msOf(200) })
    const whole = measureEffect(some, sourceOf(pages))
    expect(whole).toMatchObject({ ended: 'complete', measured: { fromMs: msOf(150), untilMs: msOf(750) } })
    expect(EffectSchema.parse(JSON.parse(JSON.stringify(whole)))).toEqual(JSON.parse(JSON.stringify(whole)))
    const low = whole.measured?.compared.find(({ name }) => name === 'workload-low')
    expect(low?.numbers.dispatched.a).toBeGreaterThan(15)
    expect(low?.numbers.dispatched.b).toBeGreaterThan(15)
    expect(low?.numbers.limit.change).toBeLessThan(0)
  })

  test('ends with other limits and with the process, and keeps what was measured until then', () => {
    const changed = until(300).map((page): ServerFrame =>
      unixMsOf(page.at) < msOf(250)
        ? page
        : { ...page, levels: page.levels.map((level) => ({ ...level, limits: { ...level.limits, nominal: 1 } })) },
    )
    expect(measureEffect(effect(), sourceOf(changed))).toMatchObject({
      ended: 'changed',
      measured: { untilMs: msOf(245) },
    })
    const restarted = until(300).map((page): ServerFrame =>
      unixMsOf(page.at) < msOf(250) ? page : { ...page, startedAt: msOf(250) / MS_PER_SECOND },
    )
    const withStart = restarted.map((page) => ({ ...page, startedAt: page.startedAt ?? 1 }))
    expect(measureEffect(effect(), sourceOf(withStart))).toMatchObject({ ended: 'restarted' })
  })

  test('keeps what an earlier console measured where this one came later', () => {
    const before = measureEffect(effect(), sourceOf(until(400)))
    const late = pages.filter(({ at }) => unixMsOf(at) >= msOf(600))
    const after = measureEffect(before, sourceOf(late))
    expect(after).toEqual({ ...before, ended: 'interrupted' })
    const other: ServerFrame[] = late.map((page) => ({ ...page, at: rfc3339(unixMsOf(page.at) + 3_600_000) }))
    expect(measureEffect(effect(), sourceOf(other))).toEqual(effect({ ended: 'interrupted' }))
    expect(watchedUntil(msOf(0))).toBe(msOf(630))
  })

  test('compares like phases of a load that comes in waves, and says which', () => {
    const waves = { firstMs: 10_000, activeMs: 16_000, periodMs: 40_000 }
    const workload = workloadOf(
      clients('wave', 4, {
        kind: 'open',
        arrivals: { kind: 'poisson', perSecond: 30, waves },
        calls: CALLS,
        onRejection: 'next',
      }),
    )
    const editSeconds = 220
    const edit = { at: editSeconds, objects: withLow({ nominalConcurrencyShares: 90 }) }
    const waved = pagesOf(workload, { from: 60, until: 340, edit }).filter((_, second) => second % 2 === 0)
    const began = unixMsOf(waved[0]?.at ?? '') - 60 * MS_PER_SECOND
    const atMs = began + editSeconds * MS_PER_SECOND
    const at = (seconds: number): Effect =>
      measureEffect(
        effect({ atMs }),
        sourceOf(
          waved.filter((page) => unixMsOf(page.at) <= began + seconds * MS_PER_SECOND),
          atMs,
        ),
      )
    const said = (one: Effect): readonly string[] =>
      presentEffect(one, null).evidence.map((sentence) => sentenceText(sentence, plain))
    for (const [seconds, text] of [
      [272, '22 s after the edit, and the same part of a wave 80 s earlier.'],
      [338, '2 whole waves before the edit, and as many after it.'],
    ] as const) {
      const found = at(seconds)
      expect(Math.abs((found.measured?.periodMs ?? 0) / MS_PER_SECOND - 40)).toBeLessThan(0.5)
      expect(said(found).at(-1)).toBe(`The load comes in waves of 40 s. Compared: ${text}`)
      // The edit leaves the arrivals as they were, in a lull and in a wave.
      const low = found.measured?.compared.find(({ name }) => name === 'workload-low')?.numbers.dispatched
      expect(Math.abs((low?.b ?? 0) - (low?.a ?? 0))).toBeLessThan(0.2 * Math.max(10, low?.a ?? 0))
    }
    expect(said(measureEffect(effect(), sourceOf(until(200)))).at(-1)).toBe(
      'Compared: the 50 s before the edit, and 50 s after its limits settled.',
    )
  })

  test('compares equally long times of equal phase, that before the edit, or none', () => {
    const ms = (min: number, max: number) => fc.integer({ min, max })
    fc.assert(
      fc.property(
        ms(0, 600_000),
        ms(20_000, 600_000),
        fc.option(ms(10_000, 200_000), { nil: undefined }),
        (past, length, periodMs) => {
          const spans = likeSpans({ from: -past, to: 0 }, { fromMs: 30_000, untilMs: 30_000 + length }, periodMs)
          expect(spans !== undefined || past < (periodMs ?? 0) + 30_000 + length).toBe(true)
          const { a, b } = spans ?? { a: { from: 0, to: 0 }, b: { from: 30_000, to: 30_000 } }
          expect(a.from).toBeGreaterThanOrEqual(-past)
          expect(a.to).toBeLessThanOrEqual(0)
          expect(b.from).toBeGreaterThanOrEqual(30_000)
          const [before, after] = [a.to - a.from, b.to - b.from]
          const off = (span: number): number => Math.abs(span / (periodMs ?? 1) - Math.round(span / (periodMs ?? 1)))
          if (periodMs === undefined) expect([a.to + 0, before]).toEqual([0, Math.min(past, length) * (spans ? 1 : 0)])
          else expect(spans === undefined || Math.min(off(after), off(b.from - a.from)) < 1e-6).toBe(true)
          expect(periodMs === undefined || Math.abs(before - after) < 1e-3).toBe(true)
        },
      ),
    )
  })

  test('counts the numbers that matter, and nothing without evidence', () => {
    const seats = measureEffect(effect({ forecast: forecast([1, 100]) }), sourceOf(until(400)))
    expect(judgedOf(seats).map(({ quantity, right }) => [quantity, right])).toEqual([['seats', true]])
    const wrong = measureEffect(effect({ forecast: forecast([80, 100]) }), sourceOf(until(400)))
    expect(worstMiss(judgedOf(seats))).toBeUndefined()
    expect(worstMiss(judgedOf(wrong))).toMatchObject({ quantity: 'seats', right: false })
    const counted = { numbers: 2, inside: 1, directions: 0, rightDirections: 0 }
    expect(scoreOf([seats, wrong])).toEqual({ edits: 2, quantities: [{ quantity: 'seats', ...counted }] })
    const young = measureEffect(effect({ forecast: forecast([1, 100]) }), sourceOf(until(180)))
    expect(scoreOf([effect(), young])).toBeUndefined()
    expect(scoreOf(Array.from({ length: 9 }, () => seats))).toMatchObject({ edits: 5 })
    // Ten numbers at least; half a band to each side is one.
    const shown = judgedOf(wrong)[0]?.measured ?? 0
    const twice = { ...wrong, forecast: forecast([shown + 5, shown + 15]) }
    const many = Array.from({ length: 10 }, () => twice)
    expect(earlierOf(many.slice(1))).toEqual({})
    expect(earlierOf(many).seats).toMatchObject({ numbers: 10, inside: 0 })
    expect(earlierOf(many).seats?.widening).toBeCloseTo(2)
    const widened = many.map((one) => ({ ...one, forecast: { ...one.forecast, widened: { seats: 1.4 } } }))
    expect(earlierOf(widened).seats?.widening).toBeCloseTo(2.8)
  })

  test('counts directions where there was no band', () => {
    const stated = forecast([1, 100])
    const [level] = stated.levels
    if (level === undefined) throw new Error('no level')
    const unsure = (to: 'rises' | 'falls') => ({
      ...stated,
      levels: [{ ...level, now: { ...level.now!, seats: 1 }, bands: {}, unsure: { seats: { to, why: '' } } }],
    })
    const [rises, falls] = (['rises', 'falls'] as const).map((to) =>
      measureEffect(effect({ forecast: unsure(to) }), sourceOf(until(400))),
    )
    const counted = { numbers: 0, inside: 0, directions: 2, rightDirections: 1 }
    expect(scoreOf([rises!, falls!])).toEqual({ edits: 2, quantities: [{ quantity: 'seats', ...counted }] })
  })

  test('the score is said by quantity', () => {
    const none = { numbers: 0, inside: 0, directions: 0, rightDirections: 0 }
    expect(scoreText({ edits: 1, quantities: [{ ...none, quantity: 'seats', numbers: 1 }] })).toBe(
      'seats 0 of 1 in their bands; over the last edit',
    )
    const [p50, p99] = [
      { ...none, quantity: 'waitP50' as const, numbers: 9, inside: 7 },
      { ...none, quantity: 'waitP99' as const, directions: 2, rightDirections: 2 },
    ]
    expect(scoreText({ edits: 5, quantities: [p50, p99] })).toBe(
      'wait p50 7 of 9 in their bands; wait p99 2 of 2 in the stated direction; over the last 5 edits',
    )
  })
})
