import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import { recordStory } from '../../test/harness/recordStory.ts'
import { shelf } from '../recordings/shelf.ts'
import { whatIfInThread } from './whatIf.ts'

const START = Date.UTC(2026, 10, 21, 3)

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-reader-'))
  const story = syntheticStory({ seconds: 70, startAt: START })
  await recordStory({ stateDir: folder, name: 'prod eu/1', startAt: START, events: [], story })
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }))

test('a recording that is read in a thread is the same one, and so are refusals', async () => {
  const here = shelf(folder)
  const there = whatIfInThread({ file: join(import.meta.dirname, 'whatIfThread.ts'), scenarioFolder: folder }).reader(
    folder,
  )
  const id = here.list({ runs: () => false })[0]?.id ?? ''
  const part = { id, from: START + 10_000, anonymise: false }
  expect(await there.strip(id, START)).toEqual(await here.strip(id, START))
  expect(await there.report(part, '1.0.0')).toEqual(await here.report(part, '1.0.0'))
  expect(await there.export(part, '1.0.0')).toEqual(await here.export(part, '1.0.0'))
  const over = new AbortController()
  const left = there.report(part, '1.0.0', { onPart: () => undefined, signal: over.signal })
  // So short a report may be made before its progress is told.
  over.abort()
  await expect(left).rejects.toMatchObject({ problem: { code: 'cancelled' } })
  await expect(there.strip('none', START)).rejects.toMatchObject({ problem: { code: 'not-found' } })
})
