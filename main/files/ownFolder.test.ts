import { spawnSync } from 'node:child_process'
import { chownSync, existsSync } from 'node:fs'
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

test.skipIf(!existsSync('/proc/self'))(
  'a folder that nobody can make is refused, however much of its path is missing',
  () => {
    for (const path of ['/proc/self/a', '/proc/self/a/b/c'])
      expect(() => ownFolder(path)).toThrow('Cannot open /proc/self/a')
  },
)

test.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')(
  'says that a file system is read-only (needs root on Linux, to mount one)',
  async () => {
    const disk = await mkdtemp(join(tmpdir(), 'apf-read-only-'))
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=1m', 'tmpfs', disk]).status === 0
    try {
      if (!mounted) console.warn('A read-only file system is not tested: none can be mounted here.')
      else
        expect(() => ownFolder(join(disk, 'a', 'b'))).toThrow(
          `Cannot open ${join(disk, 'a', 'b')}: the file system is read-only.`,
        )
    } finally {
      if (mounted) spawnSync('umount', [disk])
      await rm(disk, { recursive: true })
    }
  },
)
