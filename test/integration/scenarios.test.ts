import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readAnyScenario } from '../../core/scenario/read.ts'
import { runAnyScenario } from '../../core/scenario/run.ts'
import { runHere } from '../harness/commandHere.ts'

const FOLDER = join(import.meta.dirname, '../../assets/scenarios')

describe('the scenario library', () => {
  it.each(readdirSync(FOLDER))('%s is sound, and every variant has its verdict', (file) => {
    const { any, findings } = readAnyScenario(readFileSync(join(FOLDER, file), 'utf8'), file)
    expect(findings).toEqual([])
    if (any === undefined) return expect.fail('there is no scenario')
    const { scenario } = any
    expect(scenario.name).toBe(file.replace('.yaml', ''))
    expect(scenario.teaches).not.toBe('')
    const failed = runAnyScenario(any)?.runs.filter(({ passed }) => !passed)
    expect(failed).toEqual([])
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
