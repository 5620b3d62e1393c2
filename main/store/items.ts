import type { DatabaseSync } from 'node:sqlite'
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { SourceSpec } from '../../core/contract/source.ts'

/** One thing that the store keeps, as JSON. */
export interface Item {
  readonly kind: 'setting' | 'recent' | 'journal' | 'test' | 'draft' | 'place' | 'old-file'
  /** Whose it is, where things of one kind have several owners: the target of a journal. */
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

/** Forgets the oldest of a kind beyond a count, and beyond so many characters altogether; never the newest. */
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

/** The cadence may differ; the source is the same. */
export const recentKey = (spec: SourceSpec): string => JSON.stringify(spec.kind === 'scrape' ? spec.target : spec)
export const draftKey = (targetKey: string): string => hash(targetKey, 32)
export const placeKey = (path: string): string => hash(resolve(path), 24)
