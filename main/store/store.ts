import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { z } from 'zod'
import { ProblemError, toProblem, type Problem, messageOf } from '../../core/errors.ts'
import { writableByOthers } from '../files/ownFolder.ts'
import {
  DraftSchema,
  JournalEntrySchema,
  RequestTestSchema,
  type Draft,
  type JournalEntry,
  type RequestTest,
  type RequestTestsChange,
} from '../../core/contract/objects.ts'
import { KeptScenarioSchema, MOST_KEPT_SCENARIOS, type KeptScenario } from '../../core/contract/scenario.ts'
import { EffectSchema, type Effect } from '../../core/contract/effect.ts'
import { MOST_REQUEST_TESTS } from '../../core/bounds.ts'
import { SettingsChangeSchema, type Settings, type SettingsChange } from '../../core/contract/settings.ts'
import { SettingsSchema } from '../../core/contract/storedSettings.ts'
import { RecentSourceSchema, type RecentSource } from '../../core/contract/source.ts'
import { KeptUpdateSchema, type KeptUpdate } from '../../core/contract/update.ts'
import { PlaceSchema, type Places } from '../ports/places.ts'
import { createTopic, type Subscribable } from '../ports/topic.ts'
import { openDatabase, type Database, createPresence, type Presence } from './database.ts'
import {
  boundItems,
  itemOf,
  itemsOf,
  ITEMS_SCHEMA,
  scopesOf,
  putItem,
  removeItem,
  type Item,
  draftKey,
  placeKey,
  recentKey,
  findOldFiles,
} from './items.ts'
import { parseJson } from '../../core/text/text.ts'

/**
 * Everything that outlives the process, shared by all consoles of this user. Reads return what any of them wrote;
 * changes start from the current values. What cannot be stored rejects with `ProblemError`.
 */
export interface Store {
  readonly settings: {
    read(): Promise<Settings>
    /** Changes the named fields alone; resolves to all of them. */
    change(change: SettingsChange): Promise<Settings>
  }
  /** Recent sources, the latest first. */
  readonly recents: {
    read(): Promise<RecentSource[]>
    /** Moves a source to the front, replacing its earlier entry. */
    add(added: RecentSource): Promise<void>
    forget(at: string): Promise<RecentSource[]>
  }
  readonly journal: Kept<JournalEntry>
  /** The effects of the edits in the journal, each under the id of its entry. */
  readonly effects: Kept<Effect> & { targets(): Promise<readonly string[]> }
  /** The draft of each target. */
  readonly drafts: {
    read(targetKey: string): Promise<Draft>
    write(targetKey: string, draft: Draft): Promise<void>
  }
  /** The test requests whose matches must not change. */
  readonly requestTests: {
    read(): Promise<RequestTest[]>
    change(change: RequestTestsChange): Promise<RequestTest[]>
  }
  /** The user's own scenarios, in the order in which they were added. */
  readonly scenarios: {
    read(): Promise<KeptScenario[]>
    /** Without text, removes it. */
    write(file: string, text: string | undefined): Promise<void>
  }
  /** The last check for a newer version. */
  readonly update: {
    read(): Promise<KeptUpdate | undefined>
    write(update: KeptUpdate): Promise<void>
  }
  /** How far each followed file was read. */
  readonly places: Places
  /** What could not be read or stored, and the remedy; empty if there are no problems. */
  readonly notices: Subscribable<readonly Problem[]>
  /** Reports which consoles that share the store are running. */
  presence(): Promise<Presence>
  close(): void
}

/** Items of one kind, separately for each target. */
export interface Kept<T> {
  /** Items of one target, the latest first. */
  read(targetKey: string): Promise<T[]>
  /**
   * Replaces one item, or removes it with `undefined`; `update` receives `undefined` for an item that does not exist.
   * Resolves to the returned value of `update` once that is on the disk.
   */
  change<R extends T | undefined>(targetKey: string, id: string, update: (known: T | undefined) => R): Promise<R>
}

const FILE = 'console.db'
const MOST = {
  recents: 10,
  drafts: 50,
  places: 1_000,
  entries: { most: 5_000, mostCharacters: 8 * 1024 * 1024 },
  effects: { most: 500, mostCharacters: 8 * 1024 * 1024 },
} as const
const EMPTY: Draft = { entries: [] }

/**
 * Opens the store in the state folder; `undefined` keeps everything in memory. It can be used immediately. A store that
 * cannot be opened is left as it is: the values are then in memory, and `notices` contains the reason.
 */
export function openStore(folder: string | undefined): Store {
  const { notices, raise, clear } = createNotices()
  const inMemory = (): Promise<Database> => openDatabase({ path: undefined, migrations: [ITEMS_SCHEMA] })
  const open = async (): Promise<Database> => {
    if (folder === undefined) return inMemory()
    let database: Database | undefined
    try {
      database = await openDatabase({ path: join(folder, FILE), migrations: [ITEMS_SCHEMA] })
      await database.write((connection) => takeOver(connection, folder, raise))
      const loose = writableByOthers(folder)
      if (loose !== undefined) raise('folder', { code: 'forbidden', message: loose })
      return database
    } catch (error) {
      database?.close()
      raise('open', { ...toProblem(error), message: `${toProblem(error).message} ${IN_MEMORY}` })
      return inMemory()
    }
  }
  const opened = open()
  const presence = opened.then(({ path }) => createPresence(path === undefined ? undefined : folder))
  const read = async <T>(work: (connection: DatabaseSync) => T): Promise<T> => (await opened).read(work)
  const write = async <T>(work: (connection: DatabaseSync) => T): Promise<T> => {
    try {
      const result = await (await opened).write(work)
      clear('write')
      return result
    } catch (error) {
      if (error instanceof ProblemError && !(error instanceof RefusedChange)) raise('write', error.problem)
      throw error
    }
  }
  /** Skips what no known version has written, and raises a notice; it stays in the file. */
  const parse = <T>(schema: z.ZodType<T>, text: string, what: string): T[] => {
    const parsed = schema.safeParse(parseJson(text))
    if (parsed.success) return [parsed.data]
    raise(`item ${what}`, {
      code: 'bad-answer',
      message: `Cannot understand ${what} in ${join(folder ?? '', FILE)}, so it is left out. A newer version of APF Console may have written it; it stays in the file.`,
    })
    return []
  }

  /** One item, if it is stored and valid. */
  const one = <T>(
    connection: DatabaseSync,
    item: Omit<Item, 'value'>,
    schema: z.ZodType<T>,
    what: string,
  ): T | undefined => {
    const text = itemOf(connection, item)
    return text === undefined ? undefined : parse(schema, text, what)[0]
  }

  const settingsIn = (connection: DatabaseSync): Settings => {
    const kept = itemsOf(connection, 'setting').flatMap(({ key, text }) => {
      const field = Object.entries(SettingsChangeSchema.shape).find(([name]) => name === key)?.[1]
      return field === undefined ? [] : parse<unknown>(field, text, `the setting ${key}`).map((value) => [key, value])
    })
    return SettingsSchema.parse(Object.fromEntries(kept))
  }
  const recentItems = (connection: DatabaseSync) =>
    itemsOf(connection, 'recent')
      .toReversed()
      .flatMap(({ key, text }) => parse(RecentSourceSchema, text, 'a recent source').map((recent) => ({ key, recent })))
  const recentsIn = (connection: DatabaseSync): RecentSource[] => recentItems(connection).map(({ recent }) => recent)
  /** Removes entries by their stored keys: an earlier version wrote some specifications differently. */
  const removeRecents = (connection: DatabaseSync, isOne: (recent: RecentSource) => boolean): void => {
    for (const { key, recent } of recentItems(connection)) {
      if (isOne(recent)) removeItem(connection, { kind: 'recent', key })
    }
  }
  const testsIn = (connection: DatabaseSync): RequestTest[] =>
    itemsOf(connection, 'test').flatMap(({ text, key }) => parse(RequestTestSchema, text, `the saved request ${key}`))

  /** The bounds apply to all targets together. */
  const kept = <T>(
    kind: 'journal' | 'effect',
    schema: z.ZodType<T>,
    what: string,
    bounds: { readonly most: number; readonly mostCharacters: number },
  ): Kept<T> => ({
    read: (targetKey) =>
      read((connection) =>
        itemsOf(connection, kind, targetKey)
          .toReversed()
          .flatMap(({ text, key }) => parse(schema, text, `${what} ${key}`)),
      ),
    change: (scope, key, update) =>
      write((connection) => {
        const value = update(one(connection, { kind, scope, key }, schema, `${what} ${key}`))
        if (value === undefined) removeItem(connection, { kind, scope, key })
        else putItem(connection, { kind, scope, key, value })
        boundItems(connection, { kind, ...bounds })
        return value
      }),
  })

  return {
    settings: {
      read: () => read(settingsIn),
      change: (change) =>
        write((connection) => {
          for (const [key, value] of Object.entries(change)) putItem(connection, { kind: 'setting', key, value })
          return settingsIn(connection)
        }),
    },
    recents: {
      read: () => read(recentsIn),
      add: (value) =>
        write((connection) => {
          const key = recentKey(value.spec)
          removeRecents(connection, ({ spec }) => recentKey(spec) === key)
          putLast(connection, { kind: 'recent', key, value })
          boundItems(connection, { kind: 'recent', most: MOST.recents })
        }),
      forget: (at) =>
        write((connection) => {
          removeRecents(connection, (recent) => recent.at === at)
          return recentsIn(connection)
        }),
    },
    journal: kept('journal', JournalEntrySchema, 'the journal entry', MOST.entries),
    effects: {
      ...kept('effect', EffectSchema, 'the effect of the journal entry', MOST.effects),
      targets: () => read((connection) => scopesOf(connection, 'effect')),
    },
    drafts: {
      read: (targetKey) =>
        read((connection) => {
          const item = { kind: 'draft', key: draftKey(targetKey) } as const
          return one(connection, item, DraftSchema, 'the draft of this target') ?? EMPTY
        }),
      write: (targetKey, value) =>
        write((connection) => {
          putLast(connection, { kind: 'draft', key: draftKey(targetKey), value })
          boundItems(connection, { kind: 'draft', most: MOST.drafts })
        }),
    },
    requestTests: {
      read: () => read(testsIn),
      change: ({ put, remove }) =>
        write((connection) => {
          for (const key of remove) removeItem(connection, { kind: 'test', key })
          for (const value of put) putItem(connection, { kind: 'test', key: value.id, value })
          const tests = testsIn(connection)
          if (tests.length <= MOST_REQUEST_TESTS) return tests
          throw new RefusedChange(
            'too-large',
            `The table holds at most ${MOST_REQUEST_TESTS} requests, together with those saved by other windows. Remove some first.`,
          )
        }),
    },
    scenarios: {
      read: () =>
        read((connection) =>
          itemsOf(connection, 'scenario').flatMap(({ key, text }) =>
            parse(KeptScenarioSchema, text, `the scenario ${key}`),
          ),
        ),
      write: (file, text) =>
        write((connection) => {
          if (text === undefined) return removeItem(connection, { kind: 'scenario', key: file })
          putItem(connection, { kind: 'scenario', key: file, value: { file, text } })
          if (itemsOf(connection, 'scenario').length <= MOST_KEPT_SCENARIOS) return
          throw new RefusedChange(
            'too-large',
            `The console keeps at most ${MOST_KEPT_SCENARIOS} scenarios. Remove some first; this one lasts as long as the page.`,
          )
        }),
    },
    update: {
      read: () =>
        read((connection) =>
          one(connection, { kind: 'update', key: 'last' }, KeptUpdateSchema, 'the last check for updates'),
        ),
      write: (value) => write((connection) => putItem(connection, { kind: 'update', key: 'last', value })),
    },
    places: {
      read: (path) =>
        read((connection) =>
          one(connection, { kind: 'place', key: placeKey(path) }, PlaceSchema, `the position in ${path}`),
        ),
      write: (path, value) =>
        write((connection) => {
          putItem(connection, { kind: 'place', key: placeKey(path), value })
          boundItems(connection, { kind: 'place', most: MOST.places })
        }),
    },
    notices,
    presence: () => presence,
    close() {
      void presence.then((own) => own.close())
      void opened.then((database) => database.close())
    },
  }
}

const IN_MEMORY =
  'Until then settings, recent sources, drafts and the journal of changes are kept in memory and are lost when the console ends.'

/** A change that the store refuses although it could make it. */
class RefusedChange extends ProblemError {}

function putLast(connection: DatabaseSync, item: Item): void {
  removeItem(connection, item)
  putItem(connection, item)
}

/** Imports what earlier versions kept in files, each file once; existing items of the store stay. */
function takeOver(connection: DatabaseSync, folder: string, raise: Raise): void {
  const done = new Set(itemsOf(connection, 'old-file').map(({ key }) => key))
  for (const { name, path, items } of findOldFiles(folder)) {
    if (done.has(name)) continue
    try {
      for (const item of items()) if (itemOf(connection, item) === undefined) putItem(connection, item)
      putItem(connection, { kind: 'old-file', key: name, value: null })
    } catch (error) {
      raise(`old ${name}`, {
        code: 'bad-answer',
        message: `Cannot import ${path}, which an earlier version of APF Console wrote. The file is left as it is: correct it or move it away, and start the console again.`,
        details: messageOf(error),
      })
    }
  }
}

type Raise = (key: string, problem: Problem) => void

function createNotices() {
  const notices = createTopic<readonly Problem[]>()
  const raised = new Map<string, Problem>()
  const publish = (): void => notices.publish([...raised.values()])
  publish()
  return {
    notices,
    raise: (key: string, problem: Problem): void => {
      if (raised.get(key)?.message === problem.message) return
      raised.set(key, problem)
      publish()
    },
    clear: (key: string): void => {
      if (raised.delete(key)) publish()
    },
  }
}
