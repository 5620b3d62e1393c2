import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'

const CHILD = fileURLToPath(new URL('fullDiskChild.ts', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'apf-full-disk-'))
const mounted: string[] = []

afterAll(async () => {
  for (const disk of mounted) execFileSync('umount', [disk])
  await rm(folder, { recursive: true, force: true })
})

/** A disk of 4 MB with blocks of that size, or why there can be none here. */
async function diskOf(blockBytes: number): Promise<string | { readonly reason: string }> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return { reason: 'only root on Linux mounts a disk' }
  const [image, disk] = [join(folder, `${blockBytes}.image`), join(folder, `disk-${blockBytes}`)]
  await mkdir(disk)
  const steps = [
    ['truncate', '--size=4M', image],
    ['mkfs.ext4', '-q', '-m', '0', '-b', String(blockBytes), '-O', '^has_journal', image],
    ['mount', '-o', 'loop', image, disk],
  ] as const
  for (const [program, ...args] of steps) {
    const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
    if (status !== 0) return { reason: `${program} failed: ${stderr ?? 'it is not installed'}` }
  }
  mounted.push(disk)
  return disk
}

const SIZES = [1_024, 2_048, 4_096]
const disks = await Promise.all(SIZES.map(diskOf))
const [none] = disks.flatMap((disk) => (typeof disk === 'string' ? [] : [disk.reason]))
if (none !== undefined) console.warn(`Databases on a full disk are not tested: ${none}.`)

describe.skipIf(none !== undefined)('databases on a disk that is full, or nearly', () => {
  test.each(SIZES)('end no process, with blocks of %i bytes', async (blockBytes) => {
    const child = spawn(process.execPath, [CHILD, join(folder, `disk-${blockBytes}`)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)))
    const [printed, told] = await Promise.all([text(child.stdout), text(child.stderr)])
    expect(await ended, `${told} after ${printed.trim().split('\n').at(-1) ?? ''}`).toBe(0)
    // Nothing that fails is called damaged, or the fault of the disk.
    for (const line of printed.trim().split('\n'))
      expect(line).toMatch(/"said":"(?:"|Cannot use \S+: the disk is full\.)/)
  })
})
