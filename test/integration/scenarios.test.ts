import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readAnyScenario } from '../../core/scenario/read.ts'
import { presentNumbers } from '../../core/scenario/present.ts'
import { runAnyScenario, type ScenarioOutcome } from '../../core/scenario/run.ts'
import { answerLines } from '../../main/cli/print/terminal.ts'
import { fileOfScenario, scenarioNames } from '../../main/files/scenarioLibrary.ts'
import { runHere } from '../harness/commandHere.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'assets/scenarios')
const names = await scenarioNames(FOLDER)

describe('the scenario library', () => {
  const outcomes: ScenarioOutcome[] = []
  it.each(names)('%s is sound, and every variant has its verdict', (name) => {
    const { found, findings } = readAnyScenario(readFileSync(fileOfScenario(FOLDER, name), 'utf8'), name)
    expect(findings).toEqual([])
    if (found === undefined) return expect.fail('there is no scenario')
    const { scenario } = found
    expect(scenario.name).toBe(name)
    expect(scenario.teaches).not.toBe('')
    const outcome = runAnyScenario(found)
    expect(outcome?.runs.filter(({ passed }) => !passed)).toEqual([])
    if (outcome !== undefined) outcomes.push(outcome)
    return undefined
  })

  it('has the numbers of its documentation', () => {
    if (outcomes.length < names.length) return expect.fail('the numbers need the runs of all scenarios')
    const documented = readFileSync(join(ROOT, 'docs/scenarios.md'), 'utf8')
    const numbers = answerLines(presentNumbers(outcomes)).join('\n')
    expect(documented, 'docs/scenarios.md: put in what “apf-console simulate --numbers” prints').toContain(numbers)
    return undefined
  })
})

it('runs by name, and lists the names', async () => {
  const listed = await runHere('simulate', '--list')
  expect(listed.output).toMatch(/^S1 +Self-maintenance crowded out\nS2 /)
  const run = await runHere('simulate', 'T2')
  expect(run).toMatchObject({ code: 0, told: '' })
  expect(run.output).toContain('T2: Concurrency isolation')
  expect(run.output).toContain('now: prevented')
  expect(run.output).toMatch(/\nPassed\. .*\n$/)
  const json: unknown = JSON.parse((await runHere('simulate', 'T2', '--json')).output)
  expect(json).toMatchObject({ name: 'T2', passed: true })
  expect(json).toHaveProperty('runs.0.verdict', 'prevented')
})

it('exits with 1 when an assertion fails, and says what is no scenario', async () => {
  const other = await runHere('simulate', 'S99')
  expect(other.code).toBe(2)
  expect(other.told).toContain('There is no scenario S99')
  expect((await runHere('simulate')).told).toContain('simulate needs a scenario')
})
