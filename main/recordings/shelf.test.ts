import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import { recordStory } from '../../test/harness/recordStory.ts'
import { openDatabase } from '../store/database.ts'
import { removeOld } from './library.ts'
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
  const parts: number[] = []
  const part = { id, from: START + 10_000, anonymise: false }
  const file = await shelf(join(folder, 'a')).export(part, '1.0.0', { onPart: (done) => parts.push(done) })
  // How much is written only grows.
  expect(parts.length).toBeGreaterThan(1)
  expect(parts).toEqual(parts.toSorted((a, b) => a - b))
  expect(parts.every((done) => done >= 0 && done <= 1)).toBe(true)
  expect(file.name).toBe('prod_eu_1-20261121T030010Z.apfrec')
})

test('a page gets a report, with names or without', async () => {
  const own = shelf(join(folder, 'a'))
  const parts: number[] = []
  const report = await own.report({ id, anonymise: false }, '1.0.0', { onPart: (done) => parts.push(done) })
  expect(report.title).toBe('Incident report: prod eu/1')
  expect(parts.length).toBeGreaterThan(1)
  expect(parts).toEqual(parts.toSorted((a, b) => a - b))
  expect(parts.every((done) => done >= 0 && done < 1)).toBe(true)
  const anonymous = JSON.stringify(await own.report({ id, anonymise: true }, '1.0.0'))
  expect(anonymous).not.toMatch(/prod eu|apiserver-a/)
  const none = own.report({ id: 'none', anonymise: false }, '1.0.0')
  await expect(none).rejects.toThrow('There is no recording "none".')
  const before = own.report({ id, to: START - 1, anonymise: false }, '1.0.0')
  await expect(before).rejects.toThrow('has no data for this period')
})

test.each([
  ['an empty file', (path: string) => writeFile(path, '')],
  [
    'tables and nothing in them',
    async (path: string) => {
      const open = join(folder, 'open.db')
      const database = await openDatabase({ path: open, migrations: ['CREATE TABLE about (id, value)'] })
      for (const end of ['', '-wal']) await copyFile(open + end, path + end)
      database.close()
    },
  ],
])('a console that was killed while it made a chapter leaves no damaged recording: %s', async (_, make) => {
  const recordings = join(folder, 'a', 'recordings')
  const begun = join(recordings, '20261121T040000Z-aaaaaaaa')
  await mkdir(begun, { recursive: true })
  const chapter = join(begun, '00001.db')
  await make(chapter)
  expect(shelf(join(folder, 'a')).list(presence)).toMatchObject([{ id, problems: [] }])
  const keepAll = { ageMs: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }
  // Another console may be making it.
  removeOld(recordings, keepAll, Date.now(), presence.runs)
  expect(existsSync(chapter)).toBe(true)
  for (const name of await readdir(begun)) await utimes(join(begun, name), 0, 0)
  removeOld(recordings, keepAll, Date.now(), presence.runs)
  expect(existsSync(begun)).toBe(false)
  expect(shelf(join(folder, 'a')).list(presence)).toHaveLength(1)
})
