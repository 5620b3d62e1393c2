import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filesOf, gather, readWithin } from '../../main/files/files.ts'
import { runCommand, startCommand } from '../harness/command.ts'
import { runHere } from '../harness/commandHere.ts'

let folder = ''
let pipe = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'apf-inputs-'))
  pipe = join(folder, 'pipe.yaml')
  execFileSync('mkfifo', [pipe])
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Every option that names a file, in every command that has it. */
const WAYS: readonly (readonly string[])[] = [
  ['validate'],
  ['classify', '--user', 'u', '--url', '/api', '--config'],
  ['classify', '--request'],
  ['classify', '--test'],
  ['impact', '--edit'],
  ['impact', '--config', 'docs', '--edit'],
  ['diff', 'docs'],
  ['drift', '--config'],
  ['drift', '--config', 'docs', '--against'],
  ['snapshot', '--file'],
  ['watch', '--file'],
  ['feed', '--once', '--audit-file'],
  ['feed', '--once', '--httplog'],
  ['proxy', '--upstream', 'http://127.0.0.1:1', '--config'],
  ['proxy', '--upstream', 'http://127.0.0.1:1', '--draft'],
]

describe('what has no end is refused before it is read', () => {
  // A folder of ours that holds one manifest stands for the other side of a comparison.
  const ways = (): readonly (readonly string[])[] => {
    const other = join(folder, 'other')
    mkdirSync(other, { recursive: true })
    writeFileSync(
      join(other, 'a.yaml'),
      'apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata:\n  name: a\nspec:\n  priorityLevelConfiguration:\n    name: exempt\n',
    )
    return WAYS.map((way) => way.map((word) => (word === 'docs' ? other : word)))
  }

  it.each([
    ['a device', () => '/dev/zero', /\/dev\/zero is a device, not a file/],
    ['a pipe that nobody writes to', () => pipe, /pipe\.yaml is a pipe, not a file/],
  ])(
    '%s',
    async (_, path, sentence) => {
      if (!existsSync('/dev/zero')) throw new Error('this machine has no /dev/zero')
      for (const way of ways()) {
        const { code, told } = await runHere(...way, path())
        expect({ way, code, told }).toEqual({ way, code: 2, told: expect.stringMatching(sentence) })
      }
    },
    300_000,
  )

  it('a folder skips devices and pipes, and links that lead in a circle', async () => {
    const inside = join(folder, 'inside')
    mkdirSync(join(inside, 'deeper'), { recursive: true })
    symlinkSync(inside, join(inside, 'deeper', 'circle'))
    symlinkSync('/dev/zero', join(inside, 'zero.yaml'))
    symlinkSync('itself.yaml', join(inside, 'itself.yaml'))
    execFileSync('mkfifo', [join(inside, 'pipe.yaml')])
    writeFileSync(join(inside, 'deeper', 'a.yaml'), 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n')
    const { code, output } = await runHere('validate', '--json', inside)
    expect({ code, output: JSON.parse(output) }).toMatchObject({ code: 0, output: { files: 1 } })
  })
})

describe('a command that waits for its standard input', () => {
  it.each([
    ['validate', '-'],
    ['classify', '--request', '-'],
    ['snapshot', '--file', '-'],
    ['impact', '--edit', '-'],
  ])('%s ends when it is told to', async (...args) => {
    const running = startCommand(...args)
    running.input.write('{')
    // It has read what is there once it takes more.
    await new Promise<void>((resolve) => running.input.write(' '.repeat(1_000_000), () => resolve()))
    running.terminate()
    expect(await running.ended).toBe(2)
  })
})

describe('reading within a limit', () => {
  const signal = new AbortController().signal

  it('a file that is larger is refused without being held', async () => {
    const path = join(folder, 'large.yaml')
    writeFileSync(path, '')
    truncateSync(path, 80 * 1024 * 1024)
    const { code, told } = await runCommand('validate', path)
    expect({ code, told }).toEqual({ code: 2, told: `apf-console: ${path} is larger than 64 MB.\n` })
  })

  it('a stream without an end is left at the limit', async () => {
    let pieces = 0
    async function* endless(): AsyncGenerator<Buffer> {
      for (;;) {
        pieces += 1
        yield await Promise.resolve(Buffer.alloc(1_000))
      }
    }
    await expect(gather('It', endless(), { mostBytes: 10_000, signal })).rejects.toThrow('It is larger than 0 MB.')
    expect(pieces).toBe(11)
  })

  it('an interrupt ends it between two pieces', async () => {
    const abort = new AbortController()
    let pieces = 0
    async function* endless(): AsyncGenerator<Buffer> {
      for (;;) {
        pieces += 1
        if (pieces === 5) abort.abort(new Error('enough'))
        yield await Promise.resolve(Buffer.alloc(1))
      }
    }
    await expect(gather('It', endless(), { mostBytes: 10_000, signal: abort.signal })).rejects.toThrow('enough')
    expect(pieces).toBe(5)
  })

  it('a file of the kernel, whose size is told as 0, is read as far as the limit', async () => {
    await expect(readWithin('/proc/kallsyms', { mostBytes: 10_000, signal })).rejects.toThrow('is larger than')
  })

  it('folders are read to a depth', async () => {
    const top = join(folder, 'deep')
    mkdirSync(join(top, ...Array.from({ length: 40 }, () => 'd')), { recursive: true })
    const options = { nested: true, skip: () => false, order: () => 0, signal }
    await expect(filesOf(top, options)).rejects.toThrow('contains folders nested more than 32 deep')
  })
})
