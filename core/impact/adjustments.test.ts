import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { capturedFrames, capturedSeries } from '../../test/fixtures/captured.ts'
import { levelFrame, schemaFrame, serverFrame, START_MS } from '../../test/fixtures/frames.ts'
import type { AdjustmentStep } from '../frame/derived.ts'
import { createDeriver, sameAdjustment } from '../frame/derive.ts'
import { classifyingConfiguration } from '../classify/configuration.ts'
import { builtInObjects } from '../config/builtIn.ts'
import type { ObjectSet, PriorityLevelConfiguration } from '../config/objects.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { adjustmentLedger } from './adjustmentLedger.ts'
import { createAdjustments, withoutDeleted } from './adjustments.ts'
import { expectedAllocation } from './expected.ts'
import { differenceCause } from './serverLimit.ts'
import { nominalSurplus } from './reportedLimit.ts'

/** The steps that a session would store for these frames. */
function stepsOf(frames: readonly ServerFrame[], capacity?: number): readonly AdjustmentStep[] {
  const derive = createDeriver('x')
  const adjustments = createAdjustments(capacity)
  for (const frame of frames) adjustments.append(frame, derive(frame))
  return adjustments.steps(0, Number.POSITIVE_INFINITY)
}

const agreed = (step: AdjustmentStep): boolean => {
  const expected = expectedAllocation(step)
  return expected.kind === 'known' && expected.comparison.kind === 'equal'
}

/** A level alone on its server; `smoothed` is its demand, so its limit is all available seats. */
const alone = (seconds: number, smoothed: number, over: Partial<Omit<ServerFrame, 'levels'>> = {}): ServerFrame =>
  serverFrame(
    seconds,
    [
      levelFrame('workload-low', [schemaFrame('s', { seats: { executing: 4, queued: 0 } })], {
        limits: { nominal: 10, lower: 5, upper: 40, current: 10 },
        demand: { highWatermark: 5, average: smoothed, stdev: 0, smoothed, target: Math.max(5, smoothed) },
      }),
    ],
    { seatFairFrac: 10 / Math.max(5, smoothed), ...over },
  )

describe.each(capturedSeries)('steps of $version, $path', (series) => {
  const frames = capturedFrames(series)
  const steps = stepsOf(frames)

  it('are one per recomputation, numbered, about ten seconds apart', () => {
    expect(steps.length).toBeGreaterThanOrEqual(3)
    expect(steps.map(({ number }) => number)).toEqual(steps.map((_, i) => i + 1))
    // The start of the first one was not observed.
    for (const { at, since } of steps.slice(2)) expect((at - (since ?? 0)) / 1_000).toBeCloseTo(10, -1)
    expect(steps.at(-1)?.levels.map(({ limits }) => limits)).toEqual(frames.at(-1)?.levels.map(({ limits }) => limits))
  })

  it('agree with the expected limits, all of them', () => {
    expect(steps.filter((step) => !agreed(step))).toEqual([])
  })

  it('follow one another, with the values before as the step before had them', () => {
    for (const [i, step] of steps.entries()) {
      const before = steps[i - 1]
      expect(step.follows).toBe(i > 0)
      for (const [j, level] of step.levels.entries()) {
        expect(level.before?.current).toBe(before?.levels[j]?.limits.current)
        expect(level.before?.smoothed).toBe(before?.levels[j]?.demand.smoothed)
      }
    }
  })

  it('account for every seat', () => {
    for (const step of steps) {
      const expected = expectedAllocation(step)
      if (expected.kind === 'unknown') throw new Error('incomplete')
      const ledger = adjustmentLedger(step.levels, expected.rule)
      expect(ledger.nominal).toBe(expected.nominalSum)
      // The share of exempt in cases 1 and 2, and the remainder from rounding: at most half a seat per level.
      const withheld =
        expected.regime === 'solver' ? 0 : expected.nominalSum - Math.max(expected.remaining, expected.minSum)
      expect(Math.abs(ledger.undistributed - withheld)).toBeLessThanOrEqual(step.levels.length / 2)
    }
  })

  it('are the same when a page in the middle of a recomputation is torn', () => {
    const at = frames.findIndex((frame, i) => i > 5 && !sameAdjustment(frame, frames[i - 1] ?? frame))
    const [before, after] = [frames[at - 1], frames[at]]
    if (before === undefined || after === undefined) throw new Error('no recomputation')
    const levels = after.levels.map((level, i) => ({
      ...level,
      limits: { ...level.limits, current: before.levels[i]?.limits.current },
    }))
    const torn = stepsOf(frames.with(at, { ...after, seatFairFrac: before.seatFairFrac, levels }))
    expect(torn.map(({ levels: all }) => all.map(({ limits }) => limits))).toEqual(
      steps.map(({ levels: all }) => all.map(({ limits }) => limits)),
    )
    expect(torn.map((step) => step.at)).toEqual(steps.map((step) => step.at))
  })
})

describe('steps', () => {
  it('keep the instants between which the server recomputed', () => {
    const [first, second] = stepsOf([alone(0, 8), alone(1, 8), alone(2, 9), alone(3, 9)])
    expect(first).toMatchObject({ number: 1, at: START_MS, after: undefined, follows: false })
    expect(second).toMatchObject({ number: 2, at: START_MS + 2_000, after: START_MS + 1_000, since: START_MS })
    expect(second?.levels[0]).toMatchObject({ executing: 4, before: { current: 10, smoothed: 8 } })
  })

  it('say when recomputations were missed in between', () => {
    const steps = stepsOf([alone(0, 9), alone(60, 5)])
    expect(steps.map(({ follows }) => follows)).toEqual([false, false])
  })

  it('start anew after a restart, and forget what the clock takes back', () => {
    const restarted = stepsOf([alone(0, 8), alone(1, 9, { startedAt: START_MS / 1_000 })])
    expect(restarted[1]).toMatchObject({ number: 2, after: undefined, since: undefined })
    expect(stepsOf([alone(0, 8), alone(20, 9), alone(10, 12)]).map(({ at }) => at - START_MS)).toEqual([0, 10_000])
  })

  const causes = (frames: readonly ServerFrame[]) => {
    const steps = stepsOf(frames)
    return steps.map((step, i) => differenceCause(step, steps[i - 1])?.kind)
  }
  /** Twice the same page: a single one may be torn. */
  const shown = (seconds: number, smoothed: number, over: Partial<Omit<ServerFrame, 'levels'>> = {}) => [
    alone(seconds, smoothed, over),
    alone(seconds + 1, smoothed, over),
  ]

  it('blame no server for what a restart makes of them', () => {
    const startedAt = START_MS / 1_000
    const [first, restarted, next] = causes([
      ...shown(0, 8),
      ...shown(10, 9, { startedAt, version: 'v1.36.3' }),
      ...shown(20, 10, { startedAt, version: 'v1.36.3' }),
    ])
    expect([first, restarted]).toEqual(['first-step', 'first-step'])
    expect(next).not.toBe('first-step')
  })

  it('blame no server for clocks that disagree', () => {
    // The clock of the server steps back: earlier steps are dropped, and the next step is the first one again.
    expect(causes([...shown(0, 8), ...shown(20, 9), ...shown(10, 12)])).toEqual(['first-step', 'first-step'])
    // It jumps ahead: recomputations seem to have been missed, because their demand does not follow.
    expect(causes([...shown(0, 9), ...shown(3_600, 5)])).toEqual(['first-step', 'missed-steps'])
  })

  it('are at most as many as there is room for, and none without limits', () => {
    const frames = Array.from({ length: 9 }, (_, i) => alone(i * 10, 8 + i))
    expect(stepsOf(frames, 4).map(({ number }) => number)).toEqual([6, 7, 8, 9])
    expect(stepsOf([serverFrame(0, [])])).toEqual([])
  })
})

describe('the borrow ledger', () => {
  const seats = fc.integer({ min: 0, max: 1_000 })
  const level = fc.record({
    name: fc.string({ minLength: 1 }),
    limits: fc.record({ nominal: seats, current: seats }),
    executing: fc.option(seats, { nil: undefined }),
  })
  const levels = fc.uniqueArray(
    fc.oneof(
      level,
      fc.record({
        name: fc.constant('exempt'),
        limits: fc.record({ nominal: seats, current: seats }),
        executing: seats,
      }),
    ),
    { selector: ({ name }) => name },
  )

  it('accounts for every seat of every level, and of the pool', () => {
    fc.assert(
      fc.property(levels, fc.constantFrom('three-regimes', 'exempt-in-solver'), (given, rule) => {
        const ledger = adjustmentLedger(given, rule)
        for (const { nominal, current, lent, borrowed, used, idle, over } of ledger.entries) {
          expect(nominal - lent + borrowed).toBe(current)
          expect(Math.min(lent, borrowed)).toBe(0)
          if (used !== undefined && idle !== undefined) expect(used + idle).toBe(current)
          expect(over ?? 0).toBeGreaterThanOrEqual(0)
        }
        expect(ledger.lent + ledger.exemptNominal).toBe(ledger.borrowed + ledger.exemptShare + ledger.undistributed)
        expect(ledger.nominal).toBe(ledger.current + ledger.exemptShare + ledger.undistributed)
        expect(ledger.nominal).toBe(given.reduce((sum, { limits }) => sum + limits.nominal, 0))
      }),
    )
  })

  it('lists levels whose limits are not reported', () => {
    const ledger = adjustmentLedger([{ name: 'a', limits: { nominal: 3 } }], 'three-regimes')
    expect(ledger).toMatchObject({ entries: [], unknown: ['a'], used: 0 })
  })
})

const OBJECTS: ObjectSet = builtInObjects('v1.36.3')
const extra = (shares: number): PriorityLevelConfiguration => ({
  metadata: { name: 'batch' },
  spec: {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: shares,
      lendablePercent: 0,
      limitResponse: { type: 'Queue', queuing: { queues: 8, handSize: 4, queueLengthLimit: 10 } },
    },
  },
})
const withBatch = (shares: number): ObjectSet => ({ ...OBJECTS, levels: [...OBJECTS.levels, extra(shares)] })

/** The report of a server with these objects. */
function pageOf(objects: ObjectSet, serverLimit = 120): ServerFrame {
  const { levels } = classifyingConfiguration(objects, serverLimit)
  return serverFrame(
    0,
    [...levels].map(([name, { limits }]) =>
      levelFrame(name, [], {
        limits: { nominal: limits.nominal, lower: limits.min, upper: limits.max, current: limits.nominal },
        seats: { executing: 0, queued: 0 },
        requests: { executing: 0, queued: 0 },
      }),
    ),
  )
}
const levelOf = (frame: ServerFrame, name: string) => frame.levels.filter((level) => level.name === name)
const names = (frame: ServerFrame) => frame.levels.map(({ name }) => name)

/** The page of a server whose level `batch` was deleted and removed: its last series remain. */
function pageAfterDeletion(shares: number): ServerFrame {
  const now = pageOf(OBJECTS)
  return { ...now, levels: [...now.levels, ...levelOf(pageOf(withBatch(shares)), 'batch')] }
}

describe('a level whose object was deleted', () => {
  it('is counted nowhere, once the server has given its seats to the others', () => {
    const page = pageAfterDeletion(50)
    expect(nominalSurplus(page)).toBeGreaterThan(0)
    const shown = withoutDeleted(page, OBJECTS)
    expect(names(shown)).toEqual(names(pageOf(OBJECTS)))
    expect(shown.deleted).toEqual(['batch'])
    expect(nominalSurplus(shown)).toBe(0)
  })

  it('counts while it drains: its requests still run, and its shares still count', () => {
    const page = pageAfterDeletion(50)
    const busy = (seats: number): ServerFrame => ({
      ...page,
      levels: page.levels.map((level) =>
        level.name === 'batch' ? { ...level, seats: { executing: seats, queued: 0 } } : level,
      ),
    })
    expect(withoutDeleted(busy(3), OBJECTS).deleted).toBeUndefined()
    expect(withoutDeleted(busy(0), OBJECTS).deleted).toEqual(['batch'])
    const draining = pageOf(withBatch(50))
    expect(withoutDeleted(draining, OBJECTS)).toBe(draining)
  })

  it('is not mistaken for one that was created before its object was heard of, whatever its shares', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 500 }), fc.integer({ min: 100, max: 1_000 }), (shares, serverLimit) => {
        const page = pageOf(withBatch(shares), serverLimit)
        expect(withoutDeleted(page, OBJECTS)).toBe(page)
        expect(withoutDeleted(page, withBatch(shares))).toBe(page)
        expect(nominalSurplus(page)).toBe(0)
      }),
    )
  })

  it('stays where the server does not show what proves it', () => {
    const page = pageAfterDeletion(50)
    const blind = { ...page, levels: page.levels.map((level) => ({ ...level, limits: {} })) }
    expect(withoutDeleted(blind, OBJECTS)).toBe(blind)
    expect(nominalSurplus(blind)).toBe(0)
    expect(withoutDeleted(page, { levels: [], schemas: [] })).toBe(page)
  })
})
