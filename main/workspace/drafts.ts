import { createHash } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DraftSchema, type Draft } from '../../core/contract/objects.ts'
import { createStateFile, type StateFile } from './stateFile.ts'

/** The draft of each target, in a file of its own: one is written again with every pause in typing. */
export interface Drafts {
  read(targetKey: string): Promise<Draft>
  write(targetKey: string, draft: Draft): Promise<void>
}

/** Of more targets, those whose drafts were not written for the longest are forgotten. */
const MOST_TARGETS = 50

const EMPTY: Draft = { entries: [] }

export function createDrafts(folder: string, now: () => number, warn: (sentence: string) => void): Drafts {
  const files = new Map<string, StateFile<Draft>>()
  const fileOf = (targetKey: string): StateFile<Draft> => {
    const name = `${createHash('sha256').update(targetKey).digest('hex').slice(0, 32)}.json`
    const known =
      files.get(name) ?? createStateFile({ path: join(folder, name), schema: DraftSchema, initial: EMPTY, warn })
    files.set(name, known)
    return known
  }
  return {
    read: (targetKey) => fileOf(targetKey).read(),
    async write(targetKey, { entries }) {
      const isNew = files.size === 0
      await fileOf(targetKey).change(() => ({ entries, savedAt: new Date(now()).toISOString() }))
      if (isNew || files.size > MOST_TARGETS) await forgetOldest(folder)
    },
  }
}

async function forgetOldest(folder: string): Promise<void> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'))
  if (names.length <= MOST_TARGETS) return
  const aged = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const found = await stat(path).catch(() => undefined)
      return { path, written: found?.mtimeMs ?? 0 }
    }),
  )
  const oldest = aged.toSorted((a, b) => b.written - a.written).slice(MOST_TARGETS)
  for (const { path } of oldest) await rm(path, { force: true })
}
