import { describe, expect, it } from 'vitest'
import { runBase } from '../sweep/points.ts'
import { crowdedBase } from '../sweep/sweep.fixture.ts'
import { missedBy, withChoice } from './judge.ts'
import { planOf, readTune } from './read.ts'
import { bestOf, type TuneReport, tuneReport } from './report.ts'
import { ISLANDS, searchIsland } from './search.ts'
import { better, type TunePlan } from './tune.ts'

const FILE = `name: faster
base: { scenario: crowded.yaml }
goals: ['wait p99 of workload-low < 1500 ms']
guardRails: [leases never wait]
evaluations: 40
`

const base = crowdedBase()
function planFrom(text: string): TunePlan {
  const { value, findings } = readTune(text, 't.yaml')
  expect(findings).toEqual([])
  if (value === undefined) throw new Error('not a tuning')
  const { plan, findings: misfits } = planOf(value, base, new Set(['workload-low', 'node-high']))
  expect(misfits).toEqual([])
  return plan
}
const PLAN = planFrom(FILE)

function tuned(plan: TunePlan): TuneReport {
  const islands = Array.from({ length: ISLANDS }, (_, island) => searchIsland(plan, base, island))
  const found = islands.flatMap((island) => (island === undefined ? [] : [island]))
  const evaluations = found.reduce((sum, { runs }) => sum + runs, 0)
  const report = tuneReport(plan, base, { choices: bestOf(found.map(({ best }) => best)), evaluations })
  if (report === undefined) throw new Error('nobody ended it')
  return report
}

describe('tuning', () => {
  it('finds an edit that meets the goal, the same each time, with its evidence', () => {
    const report = tuned(PLAN)
    const { answer, runnerUp } = report
    expect(answer.met).toBe(true)
    expect(answer.goals).toMatchObject([
      { goal: 'wait p99 of level workload-low ≤ 1500 ms', metBefore: false, metAfter: true },
    ])
    expect(answer.guardRails).toMatchObject([{ goal: 'longest wait of leases ≤ 0 ms', metAfter: true }])
    expect(answer.objects.map(({ name }) => name)).toContain('workload-low')
    expect(answer.levels.find(({ level }) => level === 'workload-low')?.before.served).toBeGreaterThan(0)
    expect([...answer.seeds.met, ...answer.seeds.missed].toSorted((a, b) => a - b)).toEqual([1, 101, 102])
    expect(runnerUp?.changes.map(({ setting }) => setting)).not.toEqual(answer.changes.map(({ setting }) => setting))
    expect(report.evaluations).toBeLessThanOrEqual(40)
    expect(tuned(PLAN)).toEqual(report)
  })

  it('takes changed levels out of the hands of the API server', () => {
    const { answer } = tuned(PLAN)
    for (const { to } of answer.objects) {
      expect(to).toMatchObject({ metadata: { annotations: { 'apf.kubernetes.io/autoupdate-spec': 'false' } } })
    }
    expect(answer.findings.filter(({ code }) => code.startsWith('reconciler/put-back'))).toEqual([])
  })

  it('changes nothing when the goals are met already', () => {
    const { answer } = tuned(planFrom(FILE.replace('1500 ms', '60 s')))
    expect(answer).toMatchObject({ changes: [], objects: [], met: true, costs: [] })
  })

  it('says that a goal cannot be met, and comes as close as it can', () => {
    const { answer } = tuned(planFrom(FILE.replace('wait p99 of workload-low < 1500 ms', 'workload-low never waits')))
    expect(answer.met).toBe(false)
    expect(answer.goals[0]).toMatchObject({ metAfter: false })
  })

  it('changes only what a file allows', () => {
    const plan = planFrom(`${FILE}parameters: [{ level: workload-low, field: lendablePercent, values: [0, 50] }]\n`)
    expect(plan.knobs).toEqual([
      { of: { kind: 'level', name: 'workload-low' }, field: 'lendablePercent', values: [0, 50, 90], present: 90 },
    ])
    const { answer } = tuned(plan)
    expect(answer.changes).toMatchObject([{ setting: 'workload-low.lendablePercent', from: 90 }])
  })

  it('ends when it is told to', () => {
    expect(searchIsland(PLAN, base, 0, () => false)).toBeUndefined()
  })
})

it('prefers guard rails to goals, and goals to small changes', () => {
  const score = (guardRails: number, goals: number, change: number) => ({ guardRails, goals, change })
  expect(better(score(0, 5, 9), score(1, 0, 0))).toBeLessThan(0)
  expect(better(score(0, 0, 9), score(0, 1, 0))).toBeLessThan(0)
  expect(better(score(0, 0, 1), score(0, 0, 2))).toBeLessThan(0)
})

it('counts a level that serves nothing as waiting, whatever its waits are', () => {
  const knobs = PLAN.knobs.filter(({ field }) => field === 'nominalConcurrencyShares')
  const choice = knobs.map(({ of }) => (of.name === 'workload-low' ? 1 : undefined))
  const starved = withChoice(base, knobs, choice)
  if (typeof starved === 'string') return expect.fail(starved)
  const result = runBase(starved)
  if (result === undefined) return expect.fail('nobody ended it')
  const low = result.levels.find(({ level }) => level === 'workload-low')
  expect(low).toMatchObject({ served: 0, waitMs: { p99: 0 } })
  expect(missedBy({ of: { kind: 'level', name: 'workload-low' }, measure: 'waitP99', most: 1_000 }, result)).toBe(10)
  return undefined
})

describe('a file', () => {
  const told = (before: string, after: string): readonly string[] => {
    const { value, findings, located } = readTune(FILE.replace(before, after), 't.yaml')
    const misfits = value === undefined ? [] : planOf(value, base, new Set()).findings.map(located)
    return [...findings, ...misfits].map(({ line, message }) => `${line}: ${message}`)
  }

  it('says line and remedy of every kind of mistake', () => {
    expect(told("goals: ['wait p99 of workload-low < 1500 ms']", 'goals: []')).toEqual([
      '3: A tuning needs a goal, such as “leases never wait”.',
    ])
    expect(told('evaluations: 40', 'evaluations: 0')).toEqual([
      '5: evaluations must be a whole number from 4 to 100000, not 0.',
    ])
    expect(told('leases never wait', 'lease never waits')).toEqual([
      '4: There is no level and no group of clients “lease”: did you mean “leases”?',
    ])
    expect(told('evaluations: 40', 'parameters: [{ field: seed, values: [1] }]')).toEqual([
      '5: Tuning changes levels only: name a level.',
    ])
    expect(told('evaluations: 40', 'parameters: [{ level: workload-lo, field: queues, values: [1] }]')).toEqual([
      '5: There is no level “workload-lo”: did you mean “workload-low”?',
    ])
  })
})
