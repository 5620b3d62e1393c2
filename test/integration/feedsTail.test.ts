import { execFileSync, fork } from 'node:child_process'
import {
  appendFile,
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ProblemError } from '../../core/errors.ts'
import { createPositionStore } from '../../main/feeds/placeKeeper.ts'
import { openStore, type Store } from '../../main/store/store.ts'
import { textsOf } from '../../main/files/archives.ts'
import { type Tail, type TailOptions, startTail } from '../../main/feeds/tail.ts'

let folder = ''
let path = ''
const open: Tail[] = []
const stores: Store[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feeds-'))
  path = join(folder, 'audit.log')
})
afterEach(async () => {
  for (const tail of open.splice(0)) await tail.close()
  for (const store of stores.splice(0)) store.close()
  await rm(folder, { recursive: true, force: true })
})

const after = (ms: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, ms)
  return () => clearTimeout(timer)
}

function tailed(options: Partial<TailOptions> = {}) {
  const lines: string[] = []
  const warnings: string[] = []
  const tooLong: string[] = []
  const tail = startTail({
    path,
    follow: true,
    onLines: (some) => void lines.push(...some),
    onTooLong: (sentence) => void tooLong.push(sentence),
    warn: (sentence) => void warnings.push(sentence),
    after,
    pollMs: 5,
    ...options,
  })
  open.push(tail)
  return { tail, lines, warnings, tooLong }
}

/** For the store, each call is another process. */
const positions = () => {
  const store = openStore(join(folder, 'state'))
  stores.push(store)
  return createPositionStore({ places: store.places, path, warn: () => undefined })
}
/** Lines long enough that the beginnings of two files differ. */
const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => `line ${from + i} ${'.'.repeat(40)}`)
const text = (from: number, to: number): string =>
  numbered(from, to)
    .map((line) => `${line}\n`)
    .join('')
const expectLines = (lines: readonly string[], to: number) =>
  vi.waitFor(() => expect(lines).toEqual(numbered(0, to)), 5_000)

const ROTATIONS = ['renamed', 'packed', 'copied and cut'] as const
/** Moves the log aside in a way that rotation may take. */
async function rotate(how: (typeof ROTATIONS)[number], to: string): Promise<void> {
  if (how === 'renamed') return rename(path, to)
  if (how === 'packed') {
    await writeFile(`${to}.gz`, gzipSync(await readFile(path)))
    return rm(path)
  }
  await copyFile(path, to)
  return truncate(path)
}

const isRoot = process.getuid?.() === 0
if (isRoot) console.warn('A file that may not be read is not tried here: root may read every file.')

describe('a file that is followed', () => {
  test('is read as it grows; a line that is not complete yet waits', async () => {
    const { lines, warnings } = tailed()
    await vi.waitFor(() => expect(warnings).toEqual([`${path} does not exist yet; reading starts as soon as it does.`]))
    await writeFile(path, text(0, 3))
    await expectLines(lines, 3)
    const [third = ''] = numbered(3, 4)
    await appendFile(path, third.slice(0, 9))
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(lines).toHaveLength(3)
    await appendFile(path, `${third.slice(9)}\n`)
    await expectLines(lines, 4)
  })

  test('leaves no file out that is renamed while those between are read', async () => {
    await writeFile(path, text(0, 10))
    const lines: string[] = []
    let rotations = 0
    const { warnings } = tailed({
      pollMs: 60,
      async onLines(some) {
        lines.push(...some)
        // Whatever is read of files that came between, the log is renamed again meanwhile.
        if (lines.length < 20 || rotations === 3) return
        rotations += 1
        await rename(path, join(folder, `audit-later-${rotations}.log`))
        await writeFile(path, text(20 + rotations * 10, 30 + rotations * 10))
      },
    })
    await vi.waitFor(() => expect(lines).toHaveLength(10))
    await appendFile(path, text(10, 12))
    await rename(path, join(folder, 'audit-1.log'))
    await writeFile(path, text(12, 20))
    await rename(path, join(folder, 'audit-2.log'))
    await writeFile(path, text(20, 30))
    await expectLines(lines, 60)
    expect(warnings).toEqual([])
  })

  test('goes on in the new file when it is renamed, also several times between two looks', async () => {
    // At once: a look in between would say that the file does not exist.
    const replace = (name: string, next: string): void => {
      renameSync(path, join(folder, name))
      writeFileSync(path, next)
    }
    await writeFile(path, text(0, 10))
    const { lines, warnings } = tailed({ pollMs: 60 })
    await expectLines(lines, 10)
    await appendFile(path, text(10, 12))
    replace('audit-2026-11-21T07-30-12.000.log', text(12, 20))
    await new Promise((resolve) => setTimeout(resolve, 5))
    replace('audit-2026-11-21T07-30-13.000.log', text(20, 25))
    await expectLines(lines, 25)
    expect(warnings).toEqual([])
  })

  test('that is missing at one look is being rotated; at the second it is said, once', async () => {
    await writeFile(path, text(0, 10))
    const looks: (() => void)[] = []
    const look = async (): Promise<void> => {
      await vi.waitFor(() => expect(looks).toHaveLength(1))
      looks.pop()?.()
    }
    const { lines, warnings } = tailed({
      after(_ms, next) {
        looks.push(next)
        return () => undefined
      },
    })
    await expectLines(lines, 10)
    await rotate('packed', join(folder, 'audit-1.log'))
    await writeFile(path, text(10, 20))
    await rename(path, join(folder, 'audit-2.log'))
    // The first look finds what has been renamed since, and no file of that name.
    await look()
    await vi.waitFor(() => expect(looks).toHaveLength(1))
    expect(warnings).toEqual([])
    await look()
    await look()
    await vi.waitFor(() => expect(looks).toHaveLength(1))
    const gone = `${path} does not exist any more; reading goes on as soon as it does.`
    expect(warnings).toEqual([gone])
    await writeFile(path, text(20, 30))
    await look()
    await expectLines(lines, 30)
    await vi.waitFor(() => expect(looks).toHaveLength(1))
    expect(warnings).toEqual([gone])
  })

  test('goes on where it was when rotation packs what it renames, also twice between two looks', async () => {
    await writeFile(path, text(0, 40))
    const { lines, warnings } = tailed({ pollMs: 60 })
    await expectLines(lines, 40)
    const pack = async (to: string, packer: (bytes: Buffer) => Buffer = gzipSync): Promise<void> => {
      await writeFile(join(folder, to), packer(await readFile(path)))
      await rm(path)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await appendFile(path, text(40, 45))
    await pack('audit-2026-11-21T07-30-12.000.log.gz')
    // Its last line has no newline.
    await writeFile(path, text(45, 80).slice(0, -1))
    await pack('audit-2026-11-21T07-30-13.000.log.zst', zstdCompressSync)
    await writeFile(path, text(80, 90))
    await expectLines(lines, 90)
    expect(warnings).toEqual([])
  })

  test('that was copied and cut is read on after what was written to it between two looks', async () => {
    await writeFile(path, text(0, 40))
    const { lines, warnings } = tailed({ pollMs: 60 })
    await expectLines(lines, 40)
    await appendFile(path, text(40, 60))
    await writeFile(join(folder, 'audit.log.1.gz'), gzipSync(await readFile(path)))
    await truncate(path)
    // Longer than before, so that its length does not reveal the rotation.
    await appendFile(path, text(60, 200))
    await expectLines(lines, 200)
    expect(warnings).toEqual([])
  })

  test.each([
    ['a pipe', (at: string) => void execFileSync('mkfifo', [at]), 'is a pipe, not a file'],
    ['a device', (at: string) => symlink('/dev/zero', at), 'is a device, not a file'],
    ['a folder', (at: string) => mkdir(at), 'is a folder, not a file'],
  ])('that rotation replaces by %s waits for a file, and can be closed meanwhile', async (_, make, why) => {
    await writeFile(path, text(0, 10))
    const { lines, warnings } = tailed()
    await expectLines(lines, 10)
    const replace = async (): Promise<void> => {
      await rename(path, join(folder, 'audit.log.1'))
      await make(path)
    }
    await replace()
    await vi.waitFor(() => expect(warnings).toEqual([`${path} ${why}.`]))
    await rm(path, { recursive: true })
    await writeFile(path, text(10, 20))
    await expectLines(lines, 20)
    await rm(join(folder, 'audit.log.1'))
    await replace()
    await vi.waitFor(() => expect(warnings.filter((sentence) => sentence.includes(why))).toHaveLength(2))
    await Promise.all(open.splice(0).map((tail) => tail.close()))
  })

  test('waits for the new file, and reads what the writer still wrote to the old one', async () => {
    await writeFile(path, text(0, 10))
    const { lines } = tailed()
    await expectLines(lines, 10)
    const rotated = join(folder, 'audit.log.1')
    await rename(path, rotated)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await appendFile(rotated, text(10, 12))
    await expectLines(lines, 12)
    await writeFile(path, text(12, 15))
    await expectLines(lines, 15)
  })

  test('is read from its beginning when it was copied and cut to nothing', async () => {
    await writeFile(path, text(0, 50))
    const { lines } = tailed({ pollMs: 60 })
    await expectLines(lines, 50)
    await appendFile(path, text(50, 52))
    await copyFile(path, join(folder, 'audit.log.1'))
    await truncate(path)
    await appendFile(path, text(52, 60))
    await expectLines(lines, 60)
  })

  test('is read from its beginning when it was cut and has grown past the place', async () => {
    await writeFile(path, text(0, 5))
    const { lines, warnings } = tailed({ pollMs: 60 })
    await expectLines(lines, 5)
    await writeFile(path, text(5, 40))
    await expectLines(lines, 40)
    expect(warnings).toEqual([expect.stringContaining('if any, is missing')])
  })

  test('begins so much before the end of a long one, with a whole line', async () => {
    await writeFile(path, text(0, 1_000))
    const { lines } = tailed({ backlogBytes: 500 })
    await vi.waitFor(() => expect(lines.at(-1)).toBe(numbered(999, 1_000)[0]))
    expect(lines).toEqual(numbered(1_000 - lines.length, 1_000))
    expect(lines.length).toBeLessThan(12)
  })

  test('is not read faster than its lines are taken over', async () => {
    await writeFile(path, text(0, 100_000))
    let inside = 0
    let most = 0
    let count = 0
    const { tail } = tailed({
      follow: false,
      async onLines(lines) {
        most = Math.max(most, ++inside)
        await new Promise((resolve) => setTimeout(resolve, 1))
        count += lines.length
        inside -= 1
      },
    })
    await tail.ended
    expect([count, most]).toEqual([100_000, 1])
  })

  test.skipIf(isRoot)('that may not be read is named (not as root, who may read every file)', async () => {
    await writeFile(path, text(0, 1))
    await chmod(path, 0)
    const { warnings } = tailed()
    await vi.waitFor(() => expect(warnings).toEqual([expect.stringContaining('is not readable by this user')]))
  })

  test('with a line that is too long loses only that', async () => {
    await writeFile(path, `${text(0, 1)}${'x'.repeat(9 * 1024 * 1024)}\n${text(1, 2)}`)
    const { lines, tooLong } = tailed()
    await expectLines(lines, 2)
    expect(tooLong).toEqual([`A line of ${path} is longer than 8 MB and was left out.`])
  })
})

describe('a packed file', () => {
  test.each([
    ['gzip', (part: string) => gzipSync(part)],
    ['zstd', (part: string) => zstdCompressSync(part)],
  ])('is read once, to the end of its last part: %s', async (_name, pack) => {
    await writeFile(`${path}.gz`, Buffer.concat([pack(text(0, 500)), pack(text(500, 700).slice(0, -1))]))
    const { tail, lines } = tailed({ path: `${path}.gz` })
    await tail.ended
    expect(lines).toEqual(numbered(0, 700))
  })

  test.each([
    ['UTF-16 with a mark', (whole: string) => Buffer.from(`\uFEFF${whole}`, 'utf16le')],
    ['UTF-16 without one', (whole: string) => Buffer.from(whole, 'utf16le')],
    ['UTF-16, big-endian', (whole: string) => Buffer.from(`\uFEFF${whole}`, 'utf16le').swap16()],
  ])('so is one that a shell wrote: %s', async (_name, encode) => {
    await writeFile(path, encode(text(0, 9_000)))
    const { tail, lines, warnings } = tailed()
    await tail.ended
    expect([lines.map((line) => line.replace(/^\uFEFF/, '')), warnings]).toEqual([numbered(0, 9_000), []])
  })

  test('of a format that is not read is named', async () => {
    await writeFile(path, Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0, 4]))
    const { tail, lines, warnings } = tailed()
    await tail.ended
    const words = 'audit.log is an xz file, which is not read. Unpack it yourself, and name the files in it.'
    expect([lines, warnings]).toEqual([[], [words]])
  })

  test('that is damaged is read as far as it goes', async () => {
    const packed = gzipSync(Array.from({ length: 20_000 }, () => `${Math.random()}\n`).join(''))
    await writeFile(`${path}.gz`, packed.subarray(0, packed.length / 2))
    const { tail, lines, warnings } = tailed({ path: `${path}.gz` })
    await tail.ended
    expect(lines.length).toBeGreaterThan(1_000)
    // As `--file` reads it.
    const [, read] = await textsOf([{ name: 'a.gz', bytes: packed.subarray(0, packed.length / 2) }])
    expect([...lines, ''].join('\n').trimEnd()).toBe(read?.text.trimEnd())
    expect(warnings).toEqual([expect.stringContaining('is cut short, and only what comes before can be read')])
  })
})

describe('a restart', () => {
  test('goes on where it was', async () => {
    await writeFile(path, text(0, 10))
    const first = tailed({ positions: positions() })
    await expectLines(first.lines, 10)
    await first.tail.close()
    await appendFile(path, text(10, 14))
    const second = tailed({ positions: positions() })
    await vi.waitFor(() => expect(second.lines).toEqual(numbered(10, 14)))
  })

  test.each(ROTATIONS)('goes on where it was when the file was %s meanwhile', async (how) => {
    await writeFile(path, text(0, 100))
    const first = tailed({ positions: positions() })
    await expectLines(first.lines, 100)
    await first.tail.close()
    await appendFile(path, text(100, 120))
    const rotated = join(folder, 'audit.log.2')
    await rotate(how, rotated)
    await new Promise((resolve) => setTimeout(resolve, 15))
    await writeFile(join(folder, 'audit.log.1'), text(120, 130))
    await writeFile(path, text(130, 140))
    const second = tailed({ positions: positions() })
    await vi.waitFor(() => expect(second.lines).toEqual(numbered(100, 140)))
    expect(second.warnings).toEqual([])
  })

  test('goes on from what was dealt with, not only taken over', async () => {
    await writeFile(path, text(0, 10))
    let [taken, done] = [1, 0]
    const progress = { taken: vi.fn<() => number>(() => taken), done: () => done }
    const first = tailed({ positions: positions(), progress })
    await expectLines(first.lines, 10)
    // A position is marked after its lines were passed on.
    await vi.waitFor(() => expect(progress.taken).toHaveBeenCalled())
    taken = 2
    await appendFile(path, text(10, 20))
    await expectLines(first.lines, 20)
    await vi.waitFor(() => expect(progress.taken).toHaveBeenCalledTimes(2))
    done = 1
    await first.tail.close()
    expect(await positions().read()).toMatchObject({ lines: 10 })
    const second = tailed({ positions: positions() })
    await vi.waitFor(() => expect(second.lines).toEqual(numbered(10, 20)))
  })

  test('says so when the file it knew is gone', async () => {
    await writeFile(path, text(0, 100))
    const first = tailed({ positions: positions() })
    await expectLines(first.lines, 100)
    await first.tail.close()
    await rm(path)
    await writeFile(path, text(200, 220))
    const second = tailed({ positions: positions() })
    await vi.waitFor(() => expect(second.lines).toEqual(numbered(200, 220)))
    expect(second.warnings).toEqual([expect.stringContaining('is not the file that was read before')])
  })

  test('after kill -9 counts each line once with what was written', async () => {
    const total = 120_000
    await writeFile(path, text(0, total / 2))
    const child = fork(new URL('feedsTailChild.ts', import.meta.url), [path, join(folder, 'state')], {
      stdio: 'ignore',
    })
    const watched = positions()
    await vi.waitFor(async () => expect((await watched.read())?.lines).toBeGreaterThan(0), {
      timeout: 20_000,
      interval: 5,
    })
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    const place = await positions().read()
    if (place === undefined) throw new Error('no place')
    expect(place.lines).toBeGreaterThan(0)
    expect(place.lines).toBeLessThan(total / 2)
    await appendFile(path, text(total / 2, total))
    // The process restarted with empty counts: the position contains the number of lines before it.
    const second = tailed({ positions: positions() })
    await vi.waitFor(() => expect(second.lines).toHaveLength(total - place.lines), 20_000)
    expect(second.lines[0]).toBe(numbered(place.lines, place.lines + 1)[0])
    await second.tail.close()
    expect(await positions().read()).toMatchObject({ lines: total })
  })

  test('without room for the position reads on, and says so once', async () => {
    await writeFile(path, text(0, 10))
    const warnings: string[] = []
    const full = createPositionStore({
      path,
      warn: (sentence) => void warnings.push(sentence),
      places: {
        read: async () => undefined,
        write: () => Promise.reject(new ProblemError('internal', 'The disk is full.')),
      },
    })
    const { tail, lines } = tailed({ positions: full })
    await expectLines(lines, 10)
    await appendFile(path, text(10, 20))
    await expectLines(lines, 20)
    await tail.close()
    expect(warnings).toEqual([expect.stringContaining('The disk is full.')])
  })

  test('with a position that cannot be read begins anew, and says so', async () => {
    await writeFile(path, text(0, 10))
    const warnings: string[] = []
    const unreadable = createPositionStore({
      path,
      warn: (sentence) => void warnings.push(sentence),
      places: {
        read: () => Promise.reject(new ProblemError('internal', 'The disk reports an error.')),
        write: async () => undefined,
      },
    })
    const { lines } = tailed({ positions: unreadable })
    await expectLines(lines, 10)
    expect(warnings).toEqual([
      expect.stringContaining('so the file is read from the start. The disk reports an error.'),
    ])
  })

  test.each(ROTATIONS)(
    'loses nothing when the process was killed before its first lines were dealt with, and the file was %s',
    async (how) => {
      await writeFile(path, text(0, 100))
      let took = 0
      // No line is ever processed, as after kill -9 in the middle of the first lines.
      const first = tailed({
        positions: positions(),
        progress: { taken: () => 1, done: () => 0 },
        onLines: (lines) => void (took += lines.length),
      })
      await vi.waitFor(() => expect(took).toBe(100))
      await first.tail.close()
      const rotated = join(folder, 'audit.log.1')
      await rotate(how, rotated)
      await appendFile(path, text(100, 140))
      const second = tailed({ positions: positions() })
      await expectLines(second.lines, 140)
      expect(second.warnings).toEqual([])
    },
  )

  test('after kill -9 before any line was dealt with, and rotation, reads every line', async () => {
    await writeFile(path, text(0, 20_000))
    const child = fork(new URL('feedsTailChild.ts', import.meta.url), [path, join(folder, 'state')], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    // The child reports when it gets the first lines; it never finishes them.
    await new Promise((resolve) => child.once('message', resolve))
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    expect(await positions().read()).toMatchObject({ offset: 0, lines: 0 })
    await rename(path, join(folder, 'audit.log.1'))
    await writeFile(path, text(20_000, 20_100))
    const second = tailed({ positions: positions() })
    await expectLines(second.lines, 20_100)
    expect(second.warnings).toEqual([])
  })

  test('of a long file whose end alone is read resumes with a whole line', async () => {
    await writeFile(path, text(0, 1_000))
    let took = 0
    const first = tailed({
      positions: positions(),
      backlogBytes: 500,
      progress: { taken: () => 1, done: () => 0 },
      onLines: (lines) => void (took += lines.length),
    })
    await vi.waitFor(() => expect(took).toBeGreaterThan(0))
    await first.tail.close()
    await rename(path, join(folder, 'audit.log.1'))
    await writeFile(path, text(1_000, 1_010))
    const second = tailed({ positions: positions(), backlogBytes: 500 })
    await vi.waitFor(() => expect(second.lines).toEqual(numbered(1_000 - took, 1_010)))
  })
})
