import type { DatabaseSync } from 'node:sqlite'
import { createHash } from 'node:crypto'
import { resolve, join } from 'node:path'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type SourceSpec, RecentSourceSchema } from '../../core/contract/source.ts'
import { DraftSchema, JournalEntrySchema, RequestTestSchema, type JournalEntry } from '../../core/contract/objects.ts'
import { SettingsSchema } from '../../core/contract/storedSettings.ts'
import { namesIn } from '../files/files.ts'
import { PlaceSchema } from '../ports/places.ts'

/** One stored item, as JSON. */
export interface Item {
  readonly kind:
    'setting' | 'recent' | 'journal' | 'effect' | 'test' | 'draft' | 'scenario' | 'place' | 'update' | 'old-file'
  /** The owner, where items of one kind have several owners: the target of a journal. */
  readonly scope?: string
  readonly key: string
  readonly value: unknown
}

/** `seq` orders the items of a kind by when they were first put. */
export const ITEMS_SCHEMA = `
  CREATE TABLE items (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    UNIQUE (kind, scope, key)
  ) STRICT;
`

export interface KeptItem {
  readonly key: string
  /** JSON. */
  readonly text: string
}

/** Oldest first. */
export function itemsOf(connection: DatabaseSync, kind: Item['kind'], scope = ''): readonly KeptItem[] {
  return connection
    .prepare('SELECT key, value FROM items WHERE kind = ? AND scope = ? ORDER BY seq')
    .all(kind, scope)
    .map(({ key, value }) => ({ key: String(key), text: String(value) }))
}

/** Owners of the items of a kind, in the order of their first items. */
export const scopesOf = (connection: DatabaseSync, kind: Item['kind']): readonly string[] =>
  connection
    .prepare('SELECT scope FROM items WHERE kind = ? GROUP BY scope ORDER BY min(seq)')
    .all(kind)
    .map(({ scope }) => String(scope))

export function itemOf(connection: DatabaseSync, { kind, scope = '', key }: Omit<Item, 'value'>): string | undefined {
  const found = connection
    .prepare('SELECT value FROM items WHERE kind = ? AND scope = ? AND key = ?')
    .get(kind, scope, key)
  return found === undefined ? undefined : String(found['value'])
}

/** Adds the item at the end, or changes it in its place. */
export function putItem(connection: DatabaseSync, { kind, scope = '', key, value }: Item): void {
  connection
    .prepare(
      'INSERT INTO items (kind, scope, key, value) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
    )
    .run(kind, scope, key, JSON.stringify(value))
}

export function removeItem(connection: DatabaseSync, { kind, scope = '', key }: Omit<Item, 'value'>): void {
  connection.prepare('DELETE FROM items WHERE kind = ? AND scope = ? AND key = ?').run(kind, scope, key)
}

/** Removes the oldest items of a kind beyond a count, and beyond a total number of characters; never the newest. */
export function boundItems(
  connection: DatabaseSync,
  {
    kind,
    most,
    mostCharacters = Number.MAX_SAFE_INTEGER,
  }: { readonly kind: Item['kind']; readonly most: number; readonly mostCharacters?: number },
): void {
  connection
    .prepare(
      `DELETE FROM items WHERE seq IN (
         SELECT seq FROM (
           SELECT seq, row_number() OVER newest AS place, sum(length(value)) OVER newest AS characters
           FROM items WHERE kind = ? WINDOW newest AS (ORDER BY seq DESC)
         ) WHERE place > 1 AND (place > ? OR characters > ?))`,
    )
    .run(kind, most, mostCharacters)
}

const hash = (text: string, length: number): string => createHash('sha256').update(text).digest('hex').slice(0, length)

/** Identifies the source; the cadence may differ. */
export const recentKey = (spec: SourceSpec): string => JSON.stringify(spec.kind === 'scrape' ? spec.target : spec)
export const draftKey = (targetKey: string): string => hash(targetKey, 32)
export const placeKey = (path: string): string => hash(resolve(path), 24)

/** A file of an earlier version, and the part of it that goes into the store. */
interface OldFile {
  /** Path within the state folder. */
  readonly name: string
  readonly path: string
  /** Items of the store, oldest first. Throws when the file cannot be read or parsed. */
  readonly items: () => readonly Item[]
}

/**
 * Files in which earlier versions kept what the store contains now. They remain in place, so that an earlier version
 * finds its data.
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
    // The names of these files are the keys of the store: hashes of a target and of a path.
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

const keyIn = (name: string): string => name.slice(name.indexOf('/') + 1, -'.json'.length)

function valueIn<T>(schema: z.ZodType<T>, content: unknown): T {
  return z.object({ formatVersion: z.literal(1), value: schema }).parse(content).value
}

/** Before per-change states, an entry was applied or undone as a whole. */
const OldEntrySchema = z.object({
  ...JournalEntrySchema.shape,
  changes: z.array(JournalEntrySchema.shape.changes.element.omit({ state: true, sending: true, since: true })),
  state: z.enum(['applied', 'undone']),
})

function asEntry({ state, ...entry }: z.infer<typeof OldEntrySchema>): JournalEntry {
  return { ...entry, changes: entry.changes.map((change) => ({ ...change, state })) }
}
