import type { DatabaseSync } from 'node:sqlite'
import { ProblemError } from '../../core/errors.ts'
import { isMap, type Json } from '../../core/manifest/json.ts'
import { openDatabase } from '../store/database.ts'
import { MODES, type Mode } from './admissionGate.ts'

/** A stored revision of the rules of a proxy, and the change that led to it. */
export interface Revision {
  /** Counts the changes; 0 before the first one. */
  readonly revision: number
  /** Unix milliseconds. */
  readonly at: number
  /** What was done: `add`, `update`, `remove`, `import`, `mode`. */
  readonly action: string
  readonly kind: string
  readonly name: string
  /** The class or rule before and after; `null` where there was none. */
  readonly before: Json
  readonly after: Json
}

export interface KeptRules {
  readonly revision: number
  readonly mode: Mode
  /** A map with classes and rules. */
  readonly document: Json
}

/** The rules after a change, and the record of the change. */
export interface Change extends Omit<Revision, 'revision' | 'at'> {
  readonly mode: Mode
  readonly document: Json
}

/** The rules of one proxy, with every change of them: one transaction writes both. */
export interface RulesStore {
  read(): Promise<KeptRules | undefined>
  /** `work` receives the stored rules, whichever process wrote them; if it throws, nothing changes. */
  change(at: number, work: (kept: KeptRules | undefined) => Change): Promise<KeptRules>
  /** The latest first. */
  history(most: number): Promise<readonly Revision[]>
  /** The rules of a revision. Rejects with `not-found`. */
  at(revision: number): Promise<KeptRules>
  close(): void
}

const MIGRATIONS = [
  `CREATE TABLE revisions (
     revision INTEGER PRIMARY KEY,
     at INTEGER NOT NULL,
     action TEXT NOT NULL,
     kind TEXT NOT NULL,
     name TEXT NOT NULL,
     before TEXT NOT NULL,
     after TEXT NOT NULL,
     mode TEXT NOT NULL,
     document TEXT NOT NULL
   ) STRICT`,
]
/** Older revisions are removed. */
const MOST_REVISIONS = 500

/** Without a path, in memory. Rejects with `ProblemError` for a file that cannot be used. */
export async function openRulesStore(path: string | undefined): Promise<RulesStore> {
  const database = await openDatabase({ path, migrations: MIGRATIONS })
  const latest = (connection: DatabaseSync): KeptRules | undefined =>
    keptOf(connection.prepare('SELECT * FROM revisions ORDER BY revision DESC LIMIT 1').get())
  return {
    read: () => database.read(latest),
    change: (at, work) =>
      database.write((connection) => {
        const kept = latest(connection)
        const { mode, document, action, kind, name, before, after } = work(kept)
        const revision = (kept?.revision ?? 0) + 1
        connection
          .prepare('INSERT INTO revisions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
          .run(
            revision,
            at,
            action,
            kind,
            name,
            JSON.stringify(before),
            JSON.stringify(after),
            mode,
            JSON.stringify(document),
          )
        connection.prepare('DELETE FROM revisions WHERE revision <= ?').run(revision - MOST_REVISIONS)
        return { revision, mode, document }
      }),
    history: (most) =>
      database.read((connection) =>
        connection
          .prepare('SELECT * FROM revisions ORDER BY revision DESC LIMIT ?')
          .all(most)
          .map((row) => ({
            revision: Number(row['revision']),
            at: Number(row['at']),
            action: String(row['action']),
            kind: String(row['kind']),
            name: String(row['name']),
            before: jsonOf(row['before']),
            after: jsonOf(row['after']),
          })),
      ),
    async at(revision) {
      const kept = await database.read((connection) =>
        keptOf(connection.prepare('SELECT * FROM revisions WHERE revision = ?').get(revision)),
      )
      if (kept !== undefined) return kept
      throw new ProblemError(
        'not-found',
        `There is no revision ${revision} of the rules; the latest ${MOST_REVISIONS} are kept.`,
      )
    },
    close: () => database.close(),
  }
}

type Row = ReturnType<ReturnType<DatabaseSync['prepare']>['get']>

function keptOf(row: Row): KeptRules | undefined {
  if (row === undefined) return undefined
  const document = jsonOf(row['document'])
  const mode = MODES.find((one) => one === row['mode'])
  if (!isMap(document) || mode === undefined)
    throw new ProblemError('bad-answer', `Revision ${String(row['revision'])} of the kept rules cannot be read.`)
  return { revision: Number(row['revision']), mode, document }
}

function jsonOf(text: unknown): Json {
  try {
    const value: Json = JSON.parse(String(text))
    return value
  } catch {
    return null
  }
}
