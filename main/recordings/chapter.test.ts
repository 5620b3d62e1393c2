import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRecorder } from '../../core/source/recording.ts'
import type { ServerHealth } from '../../core/contract/source.ts'
import { createChapter, openChapter, type KeptLine } from './chapter.ts'

const START = Date.UTC(2026, 10, 21, 3)
const source = { kind: 'scrape', name: 'prod', via: '/metrics' } as const

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-chapter-'))
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }))

/** Health that contains the second in which it was emitted. */
function linesAt(seconds: readonly number[]): readonly KeptLine[] {
  const record = createRecorder()
  return seconds.map((second) => {
    const at = START + second * 1_000
    const health: ServerHealth = { id: 'a', status: 'ok', failures: [], notes: [String(second)] }
    return { at, restated: false, text: record({ at, event: { kind: 'health', health } }) }
  })
}

it('leaves no file where it cannot be made, as on a full disk', async () => {
  const unwritable = { name: 'prod', via: '/metrics', kind: 'scrape', toJSON: () => raise() } as const
  const raise = (): never => {
    throw new Error('the disk is full')
  }
  const about = { recording: 'r', startedAt: new Date(START).toISOString(), source: unwritable, writer: 'w' }
  await expect(createChapter(join(folder, '00001.db'), about)).rejects.toThrow('the disk is full')
  expect(await readdir(folder)).toEqual([])
})

it('reads a segment that was completed after somebody looked where it is', async () => {
  const path = join(folder, '00001.db')
  const about = { recording: 'r', startedAt: new Date(START).toISOString(), source, writer: 'w' }
  const writer = await createChapter(path, about)
  await writer.append(linesAt([1, 2]))
  const before = openChapter(path)
  const [place] = before.segments
  before.close()
  if (place === undefined) throw new Error('the present segment has no place')

  await writer.seal([])
  await writer.append(linesAt([60, 61]))
  const after = openChapter(path)
  const notes = after
    .read(place, undefined)
    .events.map(({ event }) => (event.kind === 'health' ? event.health.notes : undefined))
  after.close()
  await writer.close([])
  expect(place.id).toBeUndefined()
  expect(notes).toEqual([['1'], ['2']])
})
