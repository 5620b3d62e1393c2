import { describe, expect, it } from 'vitest'
import { capturedFrames, capturedSeries } from '../../test/fixtures/captured.ts'
import { builtInObjects } from '../config/builtInByVersion.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { AdjustmentStep } from '../frame/adjustmentStep.ts'
import { createDeriver } from '../frame/derive.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { createAdjustments } from './adjustments.ts'
import { demandOf } from './demand.ts'
import { limitsOverSteps } from './limitsOverSteps.ts'
import { reportedServerLimit } from './serverLimit.ts'

/** The recomputations that a session would keep of these frames. */
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
