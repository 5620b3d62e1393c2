import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import type { Effect } from '../../core/contract/effect.ts'
import { ForecastReportSchema } from '../../core/contract/forecast.ts'
import { openStore } from '../../main/store/store.ts'
import { runHere } from '../harness/commandHere.ts'

const EDIT = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: { name: workload-low }
spec:
  type: Limited
  limited: { nominalConcurrencyShares: 40 }
`

/** Measured for two minutes: a wait outside its band, seats inside. */
const APPLIED: Effect = {
  id: '1',
  label: 'shares',
  server: 'a',
  atMs: Date.parse('2026-11-24T00:00:00Z'),
  forecast: {
    server: 'a',
    fromMs: 0,
    untilMs: 1,
    levels: [
      {
        level: 'workload-low',
        now: { arrivalsPerSecond: 100, waitP99: 0.1, rejectedPerSecond: 0, seats: 60 },
        bands: { waitP99: { low: 1, point: 1.5, high: 2 }, seats: { low: 30, point: 40, high: 50 } },
      },
    ],
    fit: [],
    runs: 12,
    seconds: 60,
    notes: [],
  },
  measured: {
    fromMs: 0,
    untilMs: 120_000,
    compared: [],
    levels: [
      { level: 'workload-low', quantities: { arrivalsPerSecond: 90, waitP99: 3.2, rejectedPerSecond: 0, seats: 41 } },
    ],
  },
}

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
  expect(notes[0]).toContain('the same clients continue to send the same requests')
})

it('prints what came of applied forecasts', async () => {
  const state = process.env['APF_CONSOLE_STATE']
  process.env['APF_CONSOLE_STATE'] = file('state')
  try {
    const none = await runHere('forecast', '--kept')
    expect(none).toMatchObject({ code: 0, output: expect.stringContaining('No applied edit had a forecast yet.') })
    const store = openStore(file('state'))
    await store.effects.change('prod', '1', () => APPLIED)
    store.close()
    const { output } = await runHere('forecast', '--kept')
    expect(output).toContain('prod: wait p99 0 of 1, seats 1 of 1 in their bands; over the last edit.')
    expect(output).toMatch(/workload-low .* 3\.20 s outside \(1\.00 s – 2\.00 s\)/)
    const [kept] = z.array(z.looseObject({})).parse(JSON.parse((await runHere('forecast', '--kept', '--json')).output))
    expect(kept).toMatchObject({
      target: 'prod',
      score: {
        edits: 1,
        quantities: [
          { quantity: 'waitP99', inside: 0 },
          { quantity: 'seats', inside: 1 },
        ],
      },
    })
    const both = await runHere('forecast', '--kept', '--edit', file('edit.yaml'))
    expect(both).toMatchObject({ code: 2, told: expect.stringContaining('--edit does not go with it') })
  } finally {
    if (state === undefined) delete process.env['APF_CONSOLE_STATE']
    else process.env['APF_CONSOLE_STATE'] = state
  }
})

it('refuses what a server would reject before it asks the server', async () => {
  const url = 'http://127.0.0.1:1/metrics'
  const { code, told } = await runHere('forecast', '--metrics-url', url, '--edit', file('wrong.yaml'))
  expect(code).toBe(1)
  expect(told).toContain('nominalConcurrencyShares')
  expect(told).not.toContain('127.0.0.1')
})

it('says what a server would reject, and what is missing', async () => {
  const wrong = await runHere('forecast', '--simulate', '--seconds', '20', '--edit', file('wrong.yaml'))
  expect(wrong.code).toBe(1)
  expect(wrong.told).toContain('wrong.yaml')
  expect(wrong.output).toBe('')
  const none = await runHere('forecast', '--simulate')
  expect(none).toMatchObject({
    code: 2,
    told: 'apf-console: forecast needs --edit with the manifests of the edit, or - for standard input.\n',
  })
  const short = await runHere('forecast', '--simulate', '--seconds', '5', '--edit', file('edit.yaml'))
  expect(short).toMatchObject({ code: 2, told: expect.stringContaining('--seconds takes a number from 20 to 600') })
})
