import { fork } from 'node:child_process'
import { appendFile, chmod, copyFile, mkdtemp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createPositionStore } from '../../main/feeds/position.ts'
import { type Tail, type TailOptions, startTail } from '../../main/feeds/tail.ts'

let folder = ''
let path = ''
const open: Tail[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feeds-'))
  path = join(folder, 'audit.log')
})
afterEach(async () => {
  for (const tail of open.splice(0)) await tail.close()
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

const positions = (warn: (sentence: string) => void = () => undefined) =>
  createPositionStore({ folder: join(folder, 'positions'), path, warn })
/** Lines long enough that the beginnings of two files differ. */
const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => `line ${from + i} ${'.'.repeat(40)}`)
const text = (from: number, to: number): string =>
  numbered(from, to)
    .map((line) => `${line}\n`)
    .join('')
const expectLines = (lines: readonly string[], to: number) =>
  vi.waitFor(() => expect(lines).toEqual(numbered(0, to)), 5_000)

const isRoot = process.getuid?.() === 0
if (isRoot) console.warn('A file that may not be read is not tried here: root may read every file.')

describe('a file that is followed', () => {
  test('is read as it grows; a line that is not complete yet waits', async () => {
    const { lines, warnings } = tailed()
    await vi.waitFor(() => expect(warnings).toEqual([`${path} is not there yet; it is read as soon as it is.`]))
    await writeFile(path, text(0, 3))
    await expectLines(lines, 3)
    const [third = ''] = numbered(3, 4)
    await appendFile(path, third.slice(0, 9))
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(lines).toHaveLength(3)
    await appendFile(path, `${third.slice(9)}\n`)
    await expectLines(lines, 4)
  })

  test('goes on in the new file when it is renamed, also several times between two looks', async () => {
    await writeFile(path, text(0, 10))
    const { lines, warnings } = tailed({ pollMs: 60 })
    await expectLines(lines, 10)
    await appendFile(path, text(10, 12))
    await rename(path, join(folder, 'audit-2026-11-21T07-30-12.000.log'))
    await writeFile(path, text(12, 20))
    await new Promise((resolve) => setTimeout(resolve, 5))
    await rename(path, join(folder, 'audit-2026-11-21T07-30-13.000.log'))
    await writeFile(path, text(20, 25))
    await expectLines(lines, 25)
    expect(warnings).toEqual([])
  })

  test('goes on where it was when rotation packs what it renames, also twice between two looks', async () => {
    await writeFile(path, text(0, 40))
    const { lines, warnings } = tailed({ pollMs: 60 })
    await expectLines(lines, 40)
    const pack = async (to: string): Promise<void> => {
      await writeFile(join(folder, to), gzipSync(await readFile(path)))
      await rm(path)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await appendFile(path, text(40, 45))
    await pack('audit-2026-11-21T07-30-12.000.log.gz')
    // Its last line has no newline.
    await writeFile(path, text(45, 80).slice(0, -1))
    await pack('audit-2026-11-21T07-30-13.000.log.gz')
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
    // More than there was before, so that its length tells nothing.
    await appendFile(path, text(60, 200))
    await expectLines(lines, 200)
    expect(warnings).toEqual([])
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
    expect(warnings).toEqual([expect.stringContaining('if anything, is missing')])
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

  test.skipIf(isRoot)('that may not be read is named', async () => {
    await writeFile(path, text(0, 1))
    await chmod(path, 0)
    const { warnings } = tailed()
    await vi.waitFor(() => expect(warnings).toEqual([expect.stringContaining('may not be read by this user')]))
  })

  test('with a line that is too long loses only that', async () => {
    await writeFile(path, `${text(0, 1)}${'x'.repeat(9 * 1024 * 1024)}\n${text(1, 2)}`)
    const { lines, tooLong } = tailed()
    await expectLines(lines, 2)
    expect(tooLong).toEqual([`A line of ${path} is longer than 8 MB and was left out.`])
  })
})

describe('a packed file', () => {
  test('is read once, to the end of its last part', async () => {
    await writeFile(`${path}.gz`, Buffer.concat([gzipSync(text(0, 500)), gzipSync(text(500, 700).slice(0, -1))]))
    const { tail, lines } = tailed({ path: `${path}.gz` })
    await tail.ended
    expect(lines).toEqual(numbered(0, 700))
  })

  test('that is damaged is read as far as it goes', async () => {
    const packed = gzipSync(Array.from({ length: 20_000 }, () => `${Math.random()}\n`).join(''))
    await writeFile(`${path}.gz`, packed.subarray(0, packed.length / 2))
    const { tail, lines, warnings } = tailed({ path: `${path}.gz` })
    await tail.ended
    expect(lines.length).toBeGreaterThan(1_000)
    expect(warnings).toEqual([expect.stringContaining('is damaged and was read as far as it goes')])
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

  test.each(['renamed', 'packed', 'copied and cut'])(
    'goes on where it was when the file was %s meanwhile',
    async (how) => {
      await writeFile(path, text(0, 100))
      const first = tailed({ positions: positions() })
      await expectLines(first.lines, 100)
      await first.tail.close()
      await appendFile(path, text(100, 120))
      const rotated = join(folder, 'audit.log.2')
      if (how === 'renamed') await rename(path, rotated)
      else if (how === 'packed') {
        await writeFile(`${rotated}.gz`, gzipSync(await readFile(path)))
        await rm(path)
      } else {
        await copyFile(path, rotated)
        await truncate(path)
      }
      await new Promise((resolve) => setTimeout(resolve, 15))
      await writeFile(join(folder, 'audit.log.1'), text(120, 130))
      await writeFile(path, text(130, 140))
      const second = tailed({ positions: positions() })
      await vi.waitFor(() => expect(second.lines).toEqual(numbered(100, 140)))
      expect(second.warnings).toEqual([])
    },
  )

  test('goes on from what was dealt with, not only taken over', async () => {
    await writeFile(path, text(0, 10))
    let [taken, done] = [1, 0]
    const first = tailed({ positions: positions(), progress: { taken: () => taken, done: () => done } })
    await expectLines(first.lines, 10)
    taken = 2
    await appendFile(path, text(10, 20))
    await expectLines(first.lines, 20)
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
    expect(second.warnings).toEqual([expect.stringContaining('is another file than the one that was read')])
  })

  test('after kill -9 counts each line once with what was written', { timeout: 60_000 }, async () => {
    const total = 120_000
    await writeFile(path, text(0, total / 2))
    const child = fork(new URL('feedsTailChild.ts', import.meta.url), [path, join(folder, 'positions')], {
      stdio: 'ignore',
    })
    await vi.waitFor(async () => expect(await positions().read()).toBeDefined(), { timeout: 20_000, interval: 5 })
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    const place = await positions().read()
    if (place === undefined) throw new Error('no place')
    expect(place.lines).toBeGreaterThan(0)
    expect(place.lines).toBeLessThan(total / 2)
    await appendFile(path, text(total / 2, total))
    // The process began anew, and with it what it had counted: the place says how many lines are behind it.
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
      folder: join(folder, 'positions'),
      path,
      warn: (sentence) => void warnings.push(sentence),
      replace: () => Promise.reject(new Error('ENOSPC: no space left on device')),
    })
    const { tail, lines } = tailed({ positions: full })
    await expectLines(lines, 10)
    await appendFile(path, text(10, 20))
    await expectLines(lines, 20)
    await tail.close()
    expect(warnings).toEqual([expect.stringContaining('no space left on device')])
    // A folder that is a file cannot be written to either.
    await writeFile(join(folder, 'file'), '')
    const blocked = createPositionStore({
      folder: join(folder, 'file'),
      path,
      warn: (some) => void warnings.push(some),
    })
    await blocked.write({ inode: 1, head: '', headBytes: 0, offset: 0, lines: 0 })
    expect(warnings).toHaveLength(2)
  })

  test('with a position that is garbage begins anew, and says so', async () => {
    await writeFile(path, text(0, 10))
    const first = tailed({ positions: positions() })
    await expectLines(first.lines, 10)
    await first.tail.close()
    const { readdir } = await import('node:fs/promises')
    for (const name of await readdir(join(folder, 'positions')))
      await writeFile(join(folder, 'positions', name), '{"offset":')
    const warnings: string[] = []
    const second = tailed({ positions: positions((sentence) => void warnings.push(sentence)) })
    await expectLines(second.lines, 10)
    expect(warnings).toEqual([expect.stringContaining('cannot be understood')])
  })
})
