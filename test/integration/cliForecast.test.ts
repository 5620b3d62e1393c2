import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ForecastReportSchema } from '../../core/contract/forecast.ts'
import { runHere } from '../harness/commandHere.ts'

const EDIT = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: { name: workload-low }
spec:
  type: Limited
  limited: { nominalConcurrencyShares: 40 }
`

let folder: string
const file = (name: string): string => join(folder, name)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'apf-forecast-'))
  writeFileSync(file('edit.yaml'), EDIT)
  writeFileSync(file('wrong.yaml'), EDIT.replace('40', '-1'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('forecasts an edit of the simulated cluster from the past that it brings along', async () => {
  const { code, output, told } = await runHere(
    'forecast',
    '--simulate',
    '--seconds',
    '60',
    '--edit',
    file('edit.yaml'),
    '--json',
  )
  expect({ code, told }).toEqual({ code: 0, told: '' })
  const { levels, fit, notes } = ForecastReportSchema.parse(JSON.parse(output))
  const low = levels.find(({ level }) => level === 'workload-low')
  // 40 of 185 shares of 600 seats.
  expect(low?.nominal).toBe(130)
  expect(levels.find(({ level }) => level === 'node-high')?.bands.waitP99?.point).toBe(0)
  expect(fit.map(({ level }) => level)).toContain('workload-low')
  expect(notes[0]).toContain('the same clients go on sending the same requests')
})

it('says what a server would reject, and what is missing', async () => {
  const wrong = await runHere('forecast', '--simulate', '--seconds', '20', '--edit', file('wrong.yaml'))
  expect(wrong.code).toBe(1)
  expect(wrong.told).toContain('wrong.yaml')
  expect(wrong.output).toContain('Fit of the twin')
  const none = await runHere('forecast', '--simulate')
  expect(none).toMatchObject({
    code: 2,
    told: 'apf-console: forecast needs --edit with the manifests of the edit, or - for standard input.\n',
  })
  const short = await runHere('forecast', '--simulate', '--seconds', '5', '--edit', file('edit.yaml'))
  expect(short).toMatchObject({ code: 2, told: expect.stringContaining('--seconds takes a number from 20 to 600') })
})
