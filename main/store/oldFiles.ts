import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { DraftSchema, JournalEntrySchema, RequestTestSchema, type JournalEntry } from '../../core/contract/objects.ts'
import { SettingsSchema } from '../../core/contract/settings.ts'
import { RecentSourceSchema } from '../../core/contract/source.ts'
import { PlaceSchema } from '../ports/places.ts'
import { recentKey, type Item } from './items.ts'

/** A file of an earlier version, and what of it goes into the store. */
export interface OldFile {
  /** Path within the state folder. */
  readonly name: string
  readonly path: string
  /** Items of the store, oldest first. Throws when the file cannot be read or understood. */
  readonly items: () => readonly Item[]
}

/**
 * Files in which earlier versions kept what the store keeps now. They stay where they are, so that an earlier version finds
 * what it left.
 */
export function findOldFiles(folder: string): readonly OldFile[] {
  const file = (name: string, toItems: (content: unknown) => readonly Item[]): OldFile => {
    const path = join(folder, name)
    return { name, path, items: () => toItems(JSON.parse(readFileSync(path, 'utf8'))) }
  }
  const present = new Set([
    ...namesIn(folder),
    ...SUBFOLDERS.flatMap((sub) => namesIn(join(folder, sub)).map((name) => `${sub}/${name}`)),
  ])
  const files = [
    file('settings.json', (content) =>
      Object.entries(valueIn(SettingsSchema, content)).map(([key, value]) => ({ kind: 'setting', key, value })),
    ),
    file('recent.json', (content) =>
      valueIn(z.array(RecentSourceSchema), content)
        .toReversed()
        .map((value) => ({ kind: 'recent', key: recentKey(value.spec), value })),
    ),
    file('journal.json', (content) =>
      valueIn(z.array(OldEntrySchema), content)
        .toReversed()
        .map(asEntry)
        .map((value) => ({ kind: 'journal', scope: value.targetKey, key: value.id, value })),
    ),
    file('requests.json', (content) =>
      valueIn(z.array(RequestTestSchema), content).map((value) => ({ kind: 'test', key: value.id, value })),
    ),
    // The names of these are the keys of the store: hashes of a target and of a path.
    ...[...present]
      .filter((name) => /^drafts\/[0-9a-f]{32}\.json$/.test(name))
      .map((name) =>
        file(name, (content) => [{ kind: 'draft', key: keyIn(name), value: valueIn(DraftSchema, content) }]),
      ),
    ...[...present]
      .filter((name) => /^feeds\/[0-9a-f]{24}\.json$/.test(name))
      .map((name) => file(name, (content) => [{ kind: 'place', key: keyIn(name), value: PlaceSchema.parse(content) }])),
  ]
  return files.filter(({ name }) => present.has(name))
}

const SUBFOLDERS = ['drafts', 'feeds']

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const keyIn = (name: string): string => name.slice(name.indexOf('/') + 1, -'.json'.length)

function valueIn<T>(schema: z.ZodType<T>, content: unknown): T {
  return z.object({ formatVersion: z.literal(1), value: schema }).parse(content).value
}

/** Until then an entry was applied or undone as a whole. */
const OldEntrySchema = z.object({
  ...JournalEntrySchema.shape,
  changes: z.array(JournalEntrySchema.shape.changes.element.omit({ state: true, sending: true, since: true })),
  state: z.enum(['applied', 'undone']),
})

function asEntry({ state, ...entry }: z.infer<typeof OldEntrySchema>): JournalEntry {
  return { ...entry, changes: entry.changes.map((change) => ({ ...change, state })) }
}
