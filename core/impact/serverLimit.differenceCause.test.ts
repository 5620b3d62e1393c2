import { describe, expect, it } from 'vitest'
import type { AdjustmentStep } from '../frame/derived.ts'
import { differenceCause } from './serverLimit.ts'

const level = (name: string, nominal: number, upper = nominal + 100): AdjustmentStep['levels'][number] => ({
  name,
  limits: { nominal, lower: 0, upper, current: nominal },
  demand: {},
  before: { current: nominal, smoothed: 1 },
})
const STEP: AdjustmentStep = {
  number: 7,
  at: 70_000,
  after: 69_000,
  since: 60_000,
  follows: true,
  version: 'v1.36.3',
  levels: [level('exempt', 0, 100), level('low', 60), level('high', 40)],
}
const causeOf = (over: Partial<AdjustmentStep>, before: AdjustmentStep = { ...STEP, number: 6 }) =>
  differenceCause({ ...STEP, ...over }, before)

describe('a difference that the server did not make', () => {
  it('is found, each kind', () => {
    expect(causeOf({ onePage: true })).toEqual({ kind: 'one-page' })
    const { since: _, ...first } = STEP
    expect(differenceCause(first, undefined)).toEqual({ kind: 'first-step' })
    expect(causeOf({ levels: [...STEP.levels, level('batch', 26)] })).toEqual({ kind: 'deleted-level', seats: 26 })
    const { before: __, ...fresh } = level('batch', 2)
    expect(causeOf({ levels: [...STEP.levels, fresh] })).toEqual({ kind: 'new-level', levels: ['batch'] })
    expect(causeOf({}, { ...STEP, levels: [...STEP.levels, level('batch', 2)] })).toEqual({
      kind: 'gone-level',
      levels: ['batch'],
    })
    const reconfigured = { ...level('low', 60), before: { current: 50, smoothed: 1, reconfigured: true } }
    expect(causeOf({ levels: [level('exempt', 0, 100), reconfigured, level('high', 40)] })).toEqual({
      kind: 'reconfigured',
      levels: ['low'],
    })
    expect(causeOf({ follows: false })).toEqual({ kind: 'missed-steps' })
    for (const version of [undefined, 'v1.99.0', 'custom']) expect(causeOf({ version })).toEqual({ kind: 'version' })
  })

  it('is not made up', () => {
    expect(causeOf({})).toBeUndefined()
    expect(causeOf({ version: 'v1.30.14' })).toBeUndefined()
  })
})
