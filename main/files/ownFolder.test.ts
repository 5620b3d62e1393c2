import { chownSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownFolder } from './ownFolder.ts'

test.skipIf(process.getuid?.() !== 0)(
  'makes no folder in one of another user (needs root, for the other user)',
  async () => {
    const theirs = await mkdtemp(join(tmpdir(), 'apf-theirs-'))
    try {
      expect(ownFolder(theirs, 'a')).toBe(join(theirs, 'a'))
      await rm(join(theirs, 'a'), { recursive: true })
      chownSync(theirs, 1_000, 1_000)
      expect(() => ownFolder(theirs, 'a')).toThrow(`Cannot use ${theirs}: it belongs to another user (uid 1000`)
      expect(() => ownFolder(join(theirs, 'etcd'))).toThrow(
        `Cannot use ${theirs}: it belongs to another user (uid 1000`,
      )
      expect(await readdir(theirs)).toEqual([])
    } finally {
      await rm(theirs, { recursive: true })
    }
  },
)
