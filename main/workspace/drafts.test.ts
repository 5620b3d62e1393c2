import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Draft } from '../../core/contract/objects.ts'
import { createDrafts } from './drafts.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-drafts-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const draft = (text: string): Draft => ({ entries: [{ kind: 'FlowSchema', name: 'a', text }] })
const open = () =>
  createDrafts(
    folder,
    () => 0,
    (sentence) => {
      throw new Error(sentence)
    },
  )

it('keeps the draft of each target', async () => {
  const drafts = open()
  await drafts.write('a', draft('of a'))
  await drafts.write('b', draft('of b'))
  expect(await open().read('a')).toEqual({ ...draft('of a'), savedAt: '1970-01-01T00:00:00.000Z' })
  expect(await open().read('c')).toEqual({ entries: [] })
})

it('forgets those that were not written for the longest', async () => {
  const drafts = open()
  for (let target = 0; target < 55; target++) await drafts.write(String(target), draft('x'))
  expect(await readdir(folder)).toHaveLength(50)
  expect((await open().read('54')).entries).toHaveLength(1)
})
