import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import { recordStory } from '../../test/harness/recordStory.ts'
import { shelf } from './shelf.ts'

const START = Date.UTC(2026, 10, 21, 3)
const presence = { runs: () => false }

let folder = ''
let id = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-shelf-'))
  const story = syntheticStory({ seconds: 70, startAt: START })
  await recordStory({ stateDir: join(folder, 'a'), name: 'prod eu/1', startAt: START, events: [], story })
  id = shelf(join(folder, 'a')).list(presence)[0]?.id ?? ''
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }))

test('a page gets a recording as a file', async () => {
  const file = await shelf(join(folder, 'a')).export({ id, from: START + 10_000, anonymise: false }, '1.0.0')
  expect(file.name).toBe('prod_eu_1-20261121T030010Z.apfrec')
})

test('a page gets a report, with names or without', () => {
  const own = shelf(join(folder, 'a'))
  expect(own.report({ id, anonymise: false }, '1.0.0').title).toBe('Incident report: prod eu/1')
  const anonymous = JSON.stringify(own.report({ id, anonymise: true }, '1.0.0'))
  expect(anonymous).not.toMatch(/prod eu|apiserver-a/)
  expect(() => own.report({ id: 'none', anonymise: false }, '1.0.0')).toThrow('There is no recording "none".')
  expect(() => own.report({ id, to: START - 1, anonymise: false }, '1.0.0')).toThrow('has no data for this period')
})
