import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createStateFile, type StateFile } from './stateFile.ts'

describe('a state file', () => {
  let folder = ''
  let warnings: string[] = []
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'apf-state-'))
    warnings = []
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const open = (path = join(folder, 'deeper', 'n.json')): StateFile<number[]> =>
    createStateFile({ path, schema: z.array(z.number()), initial: [], warn: (sentence) => warnings.push(sentence) })

  it('is the initial value where there is no file', async () => {
    expect(await open().read()).toEqual([])
    expect(warnings).toEqual([])
  })
  it('keeps what was changed, for the next process too', async () => {
    await open().change((list) => [...list, 1])
    expect(await open().read()).toEqual([1])
    expect(await readdir(join(folder, 'deeper'))).toEqual(['n.json'])
  })
  it('loses none of the changes that come at once', async () => {
    const file = open()
    await Promise.all([1, 2, 3].map((number) => file.change((list) => [...list, number])))
    expect(await open().read()).toEqual([1, 2, 3])
  })
  it.each(['', '{', '[1]', '{"formatVersion":2,"value":[1]}', '{"formatVersion":1,"value":["x"]}'])(
    'sets %j aside and begins anew, with one warning',
    async (text) => {
      const path = join(folder, 'n.json')
      await writeFile(path, text)
      const file = open(path)
      expect(await file.read()).toEqual([])
      expect(await file.change(() => [7])).toEqual([7])
      expect(await readFile(`${path}.bad`, 'utf8')).toBe(text)
      expect(await open(path).read()).toEqual([7])
      expect(warnings).toHaveLength(1)
    },
  )
  it('holds for this session where nothing can be written, with one warning', async () => {
    await writeFile(join(folder, 'deeper'), 'a file where the folder should be')
    const file = open()
    await file.change(() => [1])
    await file.change((list) => [...list, 2])
    expect(await file.read()).toEqual([1, 2])
    expect(warnings).toHaveLength(1)
  })
})
