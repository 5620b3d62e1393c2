import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { capturedFrames, capturedSeries } from '../../test/fixtures/captured.ts'
import { allocate, configuredLimits, NO_DEMAND } from '../engine/allocation.ts'
import { createDeriver } from '../frame/derive.ts'
import { expectedAllocation, type ReportedAllocation } from './expected.ts'

/** Shares and percentages of the built-in levels (specification 10.1). */
const BUILT_IN = [
  { name: 'catch-all', shares: 5, lendable: 0 },
  { name: 'exempt', shares: 0, lendable: 0 },
  { name: 'global-default', shares: 20, lendable: 50 },
  { name: 'leader-election', shares: 10, lendable: 0 },
  { name: 'node-high', shares: 40, lendable: 25 },
  { name: 'system', shares: 30, lendable: 33 },
  { name: 'workload-high', shares: 40, lendable: 50 },
  { name: 'workload-low', shares: 100, lendable: 90 },
] as const

type Demands = Readonly<Record<string, { readonly highWatermark: number; readonly smoothed: number }>>
const IDLE = { highWatermark: 0, smoothed: 0 }

/** The report of a server with the built-in levels under these demands, its limits by the engine. */
function report(serverLimit: number, demands: Demands, version = 'v1.36.3'): ReportedAllocation {
  const limits = configuredLimits(
    serverLimit,
    BUILT_IN.map(({ name, shares, lendable }) => ({
      name,
      exempt: name === 'exempt',
      shares,
      lendablePercent: lendable,
      borrowingLimitPercent: undefined,
    })),
  )
  const inputs = BUILT_IN.map(({ name }, i) => ({
    name,
    exempt: name === 'exempt',
    limits: limits[i] ?? { nominal: 0, min: 0, max: 0 },
    demand: { ...NO_DEMAND, ...(demands[name] ?? IDLE) },
    current: 0,
  }))
  const { fairFrac, levels } = allocate(inputs, {
    borrowing: version.startsWith('v1.30') ? 'exempt-in-solver' : 'three-regimes',
    distributeRemaining: false,
  })
  return {
    version,
    seatFairFrac: fairFrac,
    levels: levels.map(({ name, limits: { nominal, min, max }, demand: { highWatermark, smoothed }, current }) => ({
      name,
      limits: { nominal, lower: min, upper: max, current },
      demand: { highWatermark, smoothed },
    })),
  }
}

const known = (reported: ReportedAllocation) => {
  const expected = expectedAllocation(reported)
  if (expected.kind === 'unknown') throw new Error(`missing ${expected.missing.join(', ')}`)
  return expected
}
const verdicts = (reported: ReportedAllocation): Record<string, string> =>
  Object.fromEntries(known(reported).levels.map(({ name, verdict }) => [name, verdict]))

describe.each(capturedSeries)('captured limits of $version, $path', (series) => {
  it('are all as expected, in every page that is not torn', () => {
    const derive = createDeriver('captured')
    let limits = 0
    for (const frame of capturedFrames(series)) {
      const { torn } = derive(frame)
      if (torn) continue
      const { comparison, levels } = known(frame)
      expect(comparison).toEqual({ kind: 'equal' })
      limits += levels.length
    }
    expect(limits).toBeGreaterThanOrEqual(8 * 20)
  })
})

describe('why each limit is what it is', () => {
  it('under one busy level: the others at their floor, that one at p', () => {
    const reported = report(600, { 'workload-low': { highWatermark: 900, smoothed: 900 } })
    const { regime, nominalSum, floorSum, fairFraction, levels } = known(reported)
    expect({ regime, nominalSum, floorSum }).toEqual({ regime: 'solver', nominalSum: 602, floorSum: 479 })
    expect(fairFraction).toBeCloseTo(0.40888888888888886, 14)
    expect(verdicts(reported)).toEqual({
      exempt: 'takes-what-it-uses',
      'workload-low': 'at-p',
      'catch-all': 'raised-to-floor',
      'global-default': 'raised-to-floor',
      'leader-election': 'raised-to-floor',
      'node-high': 'raised-to-floor',
      system: 'raised-to-floor',
      'workload-high': 'raised-to-floor',
    })
    expect(levels.find(({ name }) => name === 'workload-low')).toMatchObject({ floor: 245, target: 900, expected: 368 })
  })

  it('when exempt leaves too little: between min and floor, then at min', () => {
    const busy = Object.fromEntries(
      BUILT_IN.map(({ name }) => [name, { highWatermark: 600, smoothed: 600 }]),
    ) as Demands
    const between = known(report(600, { ...busy, exempt: { highWatermark: 200, smoothed: 200 } }))
    expect(between).toMatchObject({ regime: 'between', remaining: 402, minSum: 258, floorSum: 602, fairFraction: 0 })
    expect(between.interpolation).toBeCloseTo(144 / 344, 14)
    expect(between.comparison).toEqual({ kind: 'equal' })
    const least = known(report(600, { ...busy, exempt: { highWatermark: 400, smoothed: 400 } }))
    expect(least.regime).toBe('min')
    expect(new Set(least.levels.map(({ verdict }) => verdict))).toEqual(new Set(['takes-what-it-uses', 'at-min']))
  })

  it('up to 1.30: exempt shares by the same rule and may fall to 0', () => {
    const { rule, levels } = known(report(600, {}, 'v1.30.14'))
    expect(rule).toBe('exempt-in-solver')
    expect(levels.find(({ exempt }) => exempt)).toMatchObject({ target: 0, expected: 0, agrees: true })
  })

  it('names capped levels', () => {
    const reported = report(600, { 'workload-low': { highWatermark: 900, smoothed: 900 } })
    const levels = reported.levels.map((level) =>
      level.name === 'workload-low' ? { ...level, limits: { ...level.limits, upper: 300, current: 300 } } : level,
    )
    expect(verdicts({ ...reported, levels })['workload-low']).toBe('capped')
  })
})

describe('comparison', () => {
  const reported = report(600, { 'workload-low': { highWatermark: 900, smoothed: 900 } })
  const changed = (name: string, current: number | undefined): ReportedAllocation => ({
    ...reported,
    levels: reported.levels.map((level) =>
      level.name === name ? { ...level, limits: { ...level.limits, current } } : level,
    ),
  })

  it('names what differs', () => {
    expect(known(changed('system', 51)).comparison).toEqual({
      kind: 'differs',
      levels: ['system'],
      fairFraction: false,
    })
    expect(known({ ...reported, seatFairFrac: 0.5 }).comparison).toEqual({
      kind: 'differs',
      levels: [],
      fairFraction: true,
    })
  })

  it('is withheld where limits are not reported', () => {
    expect(known(changed('system', undefined)).comparison).toEqual({ kind: 'not-comparable', why: 'limits-missing' })
  })

  it('needs demand and the configured limits, and says which it lacks', () => {
    const levels = reported.levels.map((level) => ({ ...level, demand: { smoothed: level.demand.smoothed } }))
    expect(expectedAllocation({ ...reported, levels })).toEqual({ kind: 'unknown', missing: ['highWatermark'] })
    expect(expectedAllocation({ levels: [] })).toEqual({ kind: 'unknown', missing: [] })
  })
})

describe('for any demand', () => {
  const demand = fc.record({
    highWatermark: fc.integer({ min: 0, max: 1_500 }),
    smoothed: fc.double({ min: 0, max: 1_500, noNaN: true }),
  })
  const demands = fc.dictionary(fc.constantFrom(...BUILT_IN.map(({ name }) => name)), demand)

  it('a server that allocates as the engine does agrees, and unrounded limits sum to what is divided', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 3_000 }), demands, fc.boolean(), (serverLimit, asked, old) => {
        const found = known(report(serverLimit, asked, old ? 'v1.30.14' : 'v1.36.3'))
        expect(found.comparison).toEqual({ kind: 'equal' })
        fc.pre(found.regime === 'solver')
        const sum = found.levels.reduce((total, { allocation = 0 }) => total + allocation, 0)
        expect(sum).toBeCloseTo(found.nominalSum, 5)
      }),
    )
  })
})
