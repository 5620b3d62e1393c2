import { expect, it } from 'vitest'
import { crowdedBase } from '../sweep/sweep.fixture.ts'
import { namesOf, readGoal, readGuardRail } from './goalText.ts'

const read = (text: string) => readGoal(text, namesOf(crowdedBase()))
const LOW = { kind: 'level', name: 'workload-low' } as const
const LEASES = { kind: 'clients', name: 'leases' } as const

it('reads measures, names, bounds and units', () => {
  expect(read('wait p99 of workload-low < 1 s')).toEqual({ of: LOW, measure: 'waitP99', most: 1_000 })
  expect(read('Wait P99 of workload-low ≤ 1500ms')).toEqual({ of: LOW, measure: 'waitP99', most: 1_500 })
  expect(read('rejected of leases <= 0.5 %')).toEqual({ of: LEASES, measure: 'rejectedPercent', most: 0.5 })
  expect(read('jain of level workload-low >= 0.8')).toEqual({ of: LOW, measure: 'jain', least: 0.8 })
  expect(read('served of clients leases > 9 /s')).toEqual({ of: LEASES, measure: 'servedPerSecond', least: 9 })
  expect(read('waitMax < 20')).toEqual({ of: undefined, measure: 'waitMax', most: 20 })
  expect(read(' leases  never wait ')).toEqual({ of: LEASES, measure: 'waitMax', most: 0 })
  expect(read('workload-low never waits')).toEqual({ of: LOW, measure: 'waitMax', most: 0 })
  expect(read('leases are never rejected')).toEqual({ of: LEASES, measure: 'failedPercent', most: 0 })
})

it('reads guard rails: goals, and what may not rise', () => {
  const rail = (text: string) => readGuardRail(text, namesOf(crowdedBase()))
  expect(rail('rejections of no level may rise')).toEqual({
    of: 'each level',
    measure: 'rejectedPercent',
    mayNotRise: true,
  })
  expect(rail('wait p99 of leases may not rise')).toEqual({ of: LEASES, measure: 'waitP99', mayNotRise: true })
  expect(rail('leases never wait')).toEqual(read('leases never wait'))
  expect(rail('served of leases may not rise')).toBe(
    '“served” cannot be a guard rail of this kind: use rejections, failures or waits.',
  )
  expect(rail('rejection of no level may rise')).toContain('did you mean “rejections”?')
  expect(rail('rejections of lease may not rise')).toContain('did you mean “leases”?')
})

it('says what is wrong, and what is meant', () => {
  expect(read('be quick')).toBe(
    '“be quick” is not a goal: write measure, name and bound, as in “wait p99 of workload-high < 1 s” or “leases never wait”.',
  )
  expect(read('wait p98 of leases < 1 s')).toContain('There is no measure “wait p98”: did you mean “wait p9')
  expect(read('wait p99 of workload-lo < 1 s')).toBe(
    'There is no level and no group of clients “workload-lo”: did you mean “workload-low”?',
  )
  expect(read('wait p99 of leases < 1 %')).toContain('waitP99 is in ms or s, not “%”.')
  expect(read('wait p99 of leases < 1.2.3 s')).toContain('waitP99 is in ms or s')
  expect(readGoal('workload-low never waits', { levels: ['workload-low'], clients: ['workload-low'] })).toBe(
    '“workload-low” is a level and a group of clients: write “level workload-low” or “clients workload-low”.',
  )
})
