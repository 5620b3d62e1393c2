import { lstat, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeAtomically } from './files.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-atomic-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('writeAtomically', () => {
  it('replaces a file that others can read by one that they cannot', async () => {
    const path = join(folder, 'config')
    await writeFile(path, 'old', { mode: 0o644 })
    await writeAtomically(path, 'new')
    expect(await readFile(path, 'utf8')).toBe('new')
    expect((await lstat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['config'])
  })

  it('replaces a link and leaves alone what it points to', async () => {
    const [victim, path] = [join(folder, 'victim'), join(folder, 'config')]
    await writeFile(victim, 'untouched')
    await symlink(victim, path)
    await writeAtomically(path, 'new')
    expect((await lstat(path)).isFile()).toBe(true)
    expect(await readFile(victim, 'utf8')).toBe('untouched')
  })

  it('leaves nothing behind when it fails', async () => {
    await mkdir(join(folder, 'config'))
    await expect(writeAtomically(join(folder, 'config'), 'new')).rejects.toMatchObject({ code: 'EISDIR' })
    await expect(writeAtomically(join(folder, 'none', 'config'), 'new')).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await readdir(folder)).toEqual(['config'])
  })

  it('lets many writers end with one whole content', async () => {
    const path = join(folder, 'config')
    const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(50_000))
    await Promise.all(contents.map((content) => writeAtomically(path, content)))
    expect(contents).toContain(await readFile(path, 'utf8'))
    expect(await readdir(folder)).toEqual(['config'])
  })
})
