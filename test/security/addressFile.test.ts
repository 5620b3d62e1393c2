import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  chownSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { writeAddressFile } from '../../main/server/webServer.ts'

/*
 * The file that leads a browser to the one-time address, in folders that other users may have prepared.
 */
const isRoot = process.getuid?.() === 0
const NOBODY = 65_534
const url = 'http://127.0.0.1:41233/?token=secret'

let base: string
let spend: () => void
let spent: Promise<void>
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'apf-address-'))
  ;({ promise: spent, resolve: spend } = Promise.withResolvers<void>())
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const folder = (name: string, mode = 0o700): string => {
  const made = path.join(base, name)
  mkdirSync(made)
  chmodSync(made, mode)
  return made
}
const write = (...folders: readonly string[]): Promise<string> => writeAddressFile(folders, { url, spent })
const mode = (file: string): number => lstatSync(file).mode & 0o777

test('only its owner can read it, and list the folder that is made for it', async () => {
  const file = await write(path.join(base, 'state', 'web'))
  expect([mode(file), mode(path.dirname(file))]).toEqual([0o600, 0o700])
  expect(readFileSync(file, 'utf8')).toContain(`content="0; url=${url}"`)
  expect(file).not.toContain('secret')
})

test('it is removed once the address is spent', async () => {
  const file = await write(folder('own'))
  spend()
  await vi.waitFor(() => expect(existsSync(file)).toBe(false))
})

test('each has a name that nobody can foresee', async () => {
  const own = folder('own')
  await Promise.all(Array.from({ length: 5 }, () => write(own)))
  expect(readdirSync(own)).toHaveLength(5)
})

test('those that a killed console left behind are removed, and nothing else', async () => {
  const own = folder('own')
  const old = path.join(own, 'apf-console-0123456789abcdef.html')
  const foreign = path.join(own, 'notes.html')
  for (const file of [old, foreign]) {
    writeFileSync(file, '')
    utimesSync(file, 0, 0)
  }
  const fresh = await write(own)
  expect(readdirSync(own).toSorted()).toEqual([path.basename(fresh), 'notes.html'].toSorted())
})

describe('a folder is passed over', () => {
  const next = (): string => path.join(base, 'next')
  /** The next folder, and the message if there is no other. */
  const instead = async (prepared: string): Promise<readonly unknown[]> => [
    path.dirname(await write(prepared, next())),
    await write(prepared).catch((error: unknown) => String(error)),
  ]
  const taken = (): readonly unknown[] => [next(), expect.stringContaining('cannot be written')]

  test.each([0o770, 0o707, 0o755, 0o1777])('that others have access to: %o', async (open) => {
    expect(await instead(folder('open', open))).toEqual(taken())
  })

  test('that is a link', async () => {
    const link = path.join(base, 'link')
    symlinkSync(folder('target'), link)
    expect(await instead(link)).toEqual(taken())
    expect(readdirSync(path.join(base, 'target'))).toEqual([])
  })

  test('that is a file', async () => {
    const file = path.join(base, 'file')
    writeFileSync(file, 'mine')
    expect(await instead(file)).toEqual(taken())
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  test.skipIf(!isRoot)('that belongs to another user (only root can make one for the test)', async () => {
    const other = folder('other')
    chownSync(other, NOBODY, NOBODY)
    expect(await instead(other)).toEqual(taken())
  })
})
