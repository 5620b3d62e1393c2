import { describe, expect, it } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { capturedFrames, capturedSeries } from '../../test/fixtures/captured.ts'
import type { ObjectSet, PriorityLevelConfiguration } from '../config/objects.ts'
import { builtInObjects } from '../config/builtIn.ts'
import type { AdjustmentStep } from '../frame/derived.ts'
import { createDeriver } from '../frame/derive.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { type ImpactQuestion, type ImpactRow, assumedIdleSentence, seatImpact, limitsOverSteps } from './seatImpact.ts'
import { createAdjustments } from './adjustments.ts'
import { demandOf } from './effectiveLevels.ts'
import { presentImpact } from './present.ts'
import { reportedServerLimit } from './reportedLimit.ts'
import type { Row } from '../answer/answer.ts'

const builtIn = builtInObjects('v1.36.3')

const limited = (
  name: string,
  shares: number,
  more: Partial<NonNullable<PriorityLevelConfiguration['spec']['limited']>> = {},
): PriorityLevelConfiguration => ({
  metadata: { name },
  spec: {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: shares,
      limitResponse: { type: 'Queue', queuing: { queues: 32, handSize: 4, queueLengthLimit: 100 } },
      ...more,
    },
  },
})

const withLevels = (...levels: readonly PriorityLevelConfiguration[]): ObjectSet => {
  const names = new Set(levels.map(({ metadata }) => metadata.name))
  return { ...builtIn, levels: [...builtIn.levels.filter(({ metadata }) => !names.has(metadata.name)), ...levels] }
}
const without = (name: string): ObjectSet => ({
  ...builtIn,
  levels: builtIn.levels.filter(({ metadata }) => metadata.name !== name),
})

const impactOf = (after: ObjectSet, more: Partial<ImpactQuestion> = {}) =>
  seatImpact({ before: builtIn, after, serverLimit: 600, ...more })
const rowOf = (rows: readonly ImpactRow[], name: string): ImpactRow => {
  const row = rows.find((one) => one.name === name)
  if (row === undefined) throw new Error(`no row ${name}`)
  return row
}

describe('seatImpact', () => {
  it('gives the default table of the specification (6.1)', () => {
    const { rows, sums } = impactOf(builtIn)
    expect(
      rows.map(({ name, after }) => [
        name,
        after?.shares,
        after?.nominal,
        after?.lower,
        after?.upper,
        after?.maxSeatsPerRequest,
      ]),
    ).toEqual([
      ['catch-all', 5, 13, 13, 613, 0],
      ['exempt', 0, 0, 0, 600, 0],
      ['global-default', 20, 49, 24, 649, 8],
      ['leader-election', 10, 25, 25, 625, 4],
      ['node-high', 40, 98, 73, 698, 15],
      ['system', 30, 74, 50, 674, 12],
      ['workload-high', 40, 98, 49, 698, 15],
      ['workload-low', 100, 245, 24, 845, 37],
    ])
    expect(rows.every(({ change }) => change === 'unchanged')).toBe(true)
    expect(sums.after).toEqual({ shares: 245, nominal: 602, lower: 258, surplus: 2 })
  })

  it('computes the limits of an idle server and of the documented demands (6.5)', () => {
    const currents = (demand: ImpactQuestion['demand']) =>
      impactOf(builtIn, { demand }).rows.map(({ limitAfter }) => limitAfter?.current)
    expect(currents(new Map())).toEqual([30, 0, 56, 58, 170, 117, 114, 56])
    const low = { highWatermark: 900, smoothed: 900 }
    expect(currents(new Map([['workload-low', low]]))).toEqual([13, 0, 24, 25, 73, 50, 49, 368])
    const busy = impactOf(builtIn, {
      demand: new Map([
        ['workload-low', low],
        ['global-default', { highWatermark: 100, smoothed: 80 }],
        ['exempt', { highWatermark: 20, smoothed: 0 }],
      ]),
    })
    expect(busy.rows.map(({ limitAfter }) => limitAfter?.current)).toEqual([13, 20, 49, 25, 73, 50, 49, 343])
    expect(busy.allocation?.after).toEqual({ regime: 'solver', fairFraction: 0.38111111111111107, currentSum: 602 })
  })

  it('marks limits that assume an idle level, because nothing reports its demand', () => {
    const demand = new Map(builtIn.levels.map(({ metadata }) => [metadata.name, { highWatermark: 1, smoothed: 1 }]))
    const known = impactOf(builtIn, { demand })
    expect(known.rows.some(({ assumedIdle }) => assumedIdle)).toBe(false)
    expect(assumedIdleSentence(known)).toBeUndefined()
    const added = impactOf(withLevels(limited('batch-scan', 10)), { demand })
    expect(added.rows.filter(({ assumedIdle }) => assumedIdle).map(({ name }) => name)).toEqual(['batch-scan'])
    expect(assumedIdleSentence(added)).toBe(
      'The demand of batch-scan is unknown and counts as 0. The limits will differ once it serves requests.',
    )
    demand.delete('system')
    expect(assumedIdleSentence(impactOf(withLevels(limited('batch-scan', 10)), { demand }))).toBe(
      'The demand of batch-scan, system is unknown and counts as 0. The limits will differ once they serve requests.',
    )
    // Without any demand no limits are predicted, and none are marked as uncertain.
    expect(assumedIdleSentence(impactOf(withLevels(limited('batch-scan', 10))))).toBeUndefined()
  })

  it('shows what a new level takes from all others', () => {
    const { rows, sums } = impactOf(
      withLevels(limited('batch-scan', 10, { lendablePercent: 50, borrowingLimitPercent: 0 })),
    )
    expect(rowOf(rows, 'batch-scan')).toMatchObject({
      change: 'added',
      before: null,
      after: { nominal: 24, lower: 12, upper: 24, maxSeatsPerRequest: 4, queues: { total: 3_200, perFlow: 400 } },
    })
    expect(rowOf(rows, 'workload-low')).toMatchObject({ change: 'moved', after: { nominal: 236 } })
    expect(sums.after).toMatchObject({ shares: 255, nominal: 605, surplus: 5 })
  })

  it('fills in defaults', () => {
    const bare = {
      metadata: { name: 'bare' },
      spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
    }
    expect(rowOf(impactOf(withLevels(bare)).rows, 'bare').after).toMatchObject({ type: 'Reject', shares: 30 })
  })

  it('keeps the cap of a level that changes from Queue to Reject (trap T46)', () => {
    const { rows } = impactOf(withLevels(limited('workload-low', 100, { limitResponse: { type: 'Reject' } })))
    const { before, after, change } = rowOf(rows, 'workload-low')
    expect(change).toBe('changed')
    expect(before).toMatchObject({ maxSeatsPerRequest: 37, widestRequest: 37 })
    expect(after).toMatchObject({ type: 'Reject', maxSeatsPerRequest: 37, widestRequest: 37 })
    expect(after?.queues).toBeUndefined()
  })

  it('gives seats after a restart with other flags, where no cap is remembered', () => {
    const rejecting = withLevels(limited('workload-low', 100, { limitResponse: { type: 'Reject' } }))
    const { rows, sums } = impactOf(rejecting, { newServerLimit: 300 })
    const fresh = seatImpact({ before: rejecting, after: rejecting, serverLimit: 300 })
    expect(rows.map(({ name, after }) => [name, after])).toEqual(fresh.rows.map(({ name, after }) => [name, after]))
    expect(rows.map(({ before }) => before)).toEqual(impactOf(rejecting).rows.map(({ before }) => before))
    expect(rowOf(rows, 'workload-low').after).toMatchObject({ nominal: 123, maxSeatsPerRequest: 0 })
    expect(sums.after.surplus).toBe(fresh.sums.after.surplus)
    expect(rowOf(impactOf(builtIn, { newServerLimit: 300 }).rows, 'workload-low').change).toBe('moved')
  })

  it('bounds lists as the version does', () => {
    const widest = (version: string) => rowOf(impactOf(builtIn, { version }).rows, 'workload-low').after?.widestRequest
    expect(widest('v1.36.3')).toBe(37)
    expect(widest('v1.33.13')).toBe(10)
    expect(rowOf(impactOf(builtIn, { version: 'v1.36.3' }).rows, 'catch-all').after?.widestRequest).toBe(100)
  })

  it('takes a removed level out', () => {
    const gone = impactOf(without('workload-low'))
    expect(rowOf(gone.rows, 'workload-low')).toMatchObject({ change: 'removed', after: null })
    expect(gone.sums.after.shares).toBe(145)
  })

  it('imagines mandatory levels and leaves out what the engine refuses (7.2, 7.5)', () => {
    expect(rowOf(impactOf(without('catch-all')).rows, 'catch-all')).toMatchObject({
      change: 'unchanged',
      after: { imagined: true, nominal: 13 },
    })
    const broken = limited('system', 30, {
      limitResponse: { type: 'Reject', queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } },
    })
    const { rows, refused } = impactOf(withLevels(broken))
    expect(rowOf(rows, 'system')).toMatchObject({ change: 'removed', after: null })
    expect(refused).toEqual([{ name: 'system', why: 'queuing must be set for limit response Queue, and for no other' }])
  })
})

interface VectorLevel {
  readonly name: string
  readonly type: 'Exempt' | 'Queue' | 'Reject'
  readonly nominalConcurrencyShares?: number
  readonly lendablePercent?: number
  readonly borrowingLimitPercent?: number
  readonly queues?: number
  readonly handSize?: number
  readonly queueLengthLimit?: number
}
interface LimitsIn {
  readonly serverConcurrencyLimit: number
  readonly priorityLevels: readonly VectorLevel[]
}
interface LimitsOut {
  readonly regime: number
  readonly fairFrac: number
  readonly solverError?: boolean
  readonly levels: readonly {
    readonly name: string
    readonly nominal: number
    readonly min: number
    readonly max: number
    readonly current: number
    readonly maxSeats: string
  }[]
}

const objectOf = ({
  name,
  type,
  queues = 0,
  handSize = 0,
  queueLengthLimit = 0,
  ...limits
}: VectorLevel): PriorityLevelConfiguration => {
  const { borrowingLimitPercent, ...shared } = limits
  if (type === 'Exempt') return { metadata: { name }, spec: { type, exempt: shared } }
  const limitResponse = type === 'Queue' ? { type, queuing: { queues, handSize, queueLengthLimit } } : { type }
  const borrowing = borrowingLimitPercent === undefined ? {} : { borrowingLimitPercent }
  return { metadata: { name }, spec: { type: 'Limited', limited: { ...shared, ...borrowing, limitResponse } } }
}

describe('golden vectors limits.json', () => {
  it('has the limits that upstream computes for every configuration at rest', () => {
    for (const { in: question, out } of readVectors<LimitsIn, LimitsOut>('limits')) {
      const objects = { levels: question.priorityLevels.map(objectOf), schemas: [] }
      const { rows, allocation } = seatImpact({
        before: { levels: [], schemas: [] },
        after: objects,
        serverLimit: question.serverConcurrencyLimit,
        demand: new Map(),
      })
      const told = rows.map(({ name, after, limitAfter }) => ({
        name,
        nominal: after?.nominal,
        min: after?.lower,
        max: after?.upper,
        maxSeats: String(after?.maxSeatsPerRequest),
        ...(out.solverError !== true && { current: limitAfter?.current }),
      }))
      expect(told).toEqual(
        out.levels.map(({ name, nominal, min, max, maxSeats, current }) => ({
          name,
          nominal,
          min,
          max,
          maxSeats,
          ...(out.solverError !== true && { current }),
        })),
      )
      expect(allocation?.after.fairFraction).toBeCloseTo(out.fairFrac, 9)
    }
  })
})

/** The recomputations that a session would store for these frames. */
function stepsOf(frames: readonly ServerFrame[]): readonly AdjustmentStep[] {
  const derive = createDeriver('x')
  const adjustments = createAdjustments()
  for (const frame of frames) adjustments.append(frame, derive(frame))
  return adjustments.steps(0, Number.POSITIVE_INFINITY)
}

const withShares = ({ levels, schemas }: ObjectSet, name: string, shares: number): ObjectSet => ({
  levels: levels.map((level) =>
    level.metadata.name === name && level.spec.limited !== undefined
      ? { ...level, spec: { ...level.spec, limited: { ...level.spec.limited, nominalConcurrencyShares: shares } } }
      : level,
  ),
  schemas,
})

describe.each(capturedSeries)('on the real server $version, $path', ({ version, path }) => {
  const frames = capturedFrames({ version, path })
  const steps = stepsOf(frames)
  const before = builtInObjects(version)
  const serverLimit = reportedServerLimit(frames[0] ?? { levels: [] }) ?? 0

  it('knows the seats of the server from its page', () => {
    expect(serverLimit).toBe(30)
  })

  it('computes from the objects and the demand exactly the limits that the server reported', () => {
    expect(steps.length).toBeGreaterThan(2)
    for (const step of steps) {
      const { rows, steps: computed } = limitsOverSteps({ before, after: before, serverLimit, version }, [step])
      expect(computed).toBe(1)
      expect(rows.map(({ name, before: span }) => [name, span?.last])).toEqual(
        step.levels.map(({ name, limits }) => [name, limits.current]),
      )
    }
  })

  it('spans what the recomputations give, and what they would have given', () => {
    const after = withShares(before, 'workload-low', 10)
    const { rows, regimes } = limitsOverSteps({ before, after, serverLimit, version }, steps)
    for (const { name, before: span } of rows) {
      const reported = steps.map(({ levels }) => levels.find((level) => level.name === name)?.limits.current ?? 0)
      expect(span).toEqual({ least: Math.min(...reported), most: Math.max(...reported), last: reported.at(-1) })
    }
    const low = rows.find(({ name }) => name === 'workload-low')
    expect(low?.after?.most).toBeLessThan(low?.before?.most ?? 0)
    const count = (counts: object): number => Object.values(counts).reduce((sum: number, one: number) => sum + one, 0)
    expect([count(regimes.before), count(regimes.after)]).toEqual([steps.length, steps.length])
  })
})

describe('presentImpact', () => {
  it('sums what changes from level to level, so that no seat is put down to rounding', () => {
    const answer = presentImpact(impactOf(withLevels(limited('workload-low', 200))))
    const [{ columns, rows, sums = [] } = { columns: [], rows: [] }] = answer.tables
    const place = columns.findIndex(({ label }) => label === 'Change')
    const valueOf = (row: Row): unknown => Object(row[place]).value
    expect(rows.some((row) => valueOf(row) !== 0)).toBe(true)
    expect(valueOf(sums)).toBe(rows.reduce((sum, row) => sum + Number(valueOf(row)), 0))
    expect(JSON.stringify(answer)).not.toMatch(/rounding/)
  })
})

describe('limitsOverSteps', () => {
  const before = builtInObjects('v1.36.3')
  const idle = (name: string) => ({ name, limits: {}, demand: { highWatermark: 0, smoothed: 0 } })

  it('leaves out recomputations that do not tell of every level', () => {
    const untold = { levels: [idle('exempt'), { name: 'catch-all', limits: {}, demand: { highWatermark: 1 } }] }
    expect(demandOf(untold)).toBeUndefined()
    expect(demandOf({ levels: [] })).toBeUndefined()
    const { steps, rows } = limitsOverSteps({ before, after: before, serverLimit: 600 }, [untold])
    expect({ steps, rows }).toEqual({ steps: 0, rows: [] })
  })

  it('has no span before for a level that is new', () => {
    const level = {
      metadata: { name: 'new' },
      spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, nominalConcurrencyShares: 5 } },
    }
    const after = { ...before, levels: [...before.levels, level] }
    const { rows } = limitsOverSteps({ before, after, serverLimit: 600 }, [{ levels: [idle('exempt')] }])
    const row = rows.find(({ name }) => name === 'new')
    expect(row?.before).toBeUndefined()
    expect(row?.after?.last).toBeGreaterThan(0)
  })
})
