import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Problem } from '../../core/errors.ts'
import { ProxySpecSchema, type ProxySpec } from '../../core/contract/live.ts'
import type { JournalEntry, RequestTest } from '../../core/contract/objects.ts'
import { SettingsSchema } from '../../core/contract/storedSettings.ts'
import { CadenceSchema, type RecentSource, type SourceSpec } from '../../core/contract/source.ts'
import { openStore, type Store } from './store.ts'

let folder = ''
const stores: Store[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-store-'))
})
afterEach(async () => {
  for (const store of stores.splice(0)) store.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
})

const open = (at: string | undefined = folder): Store => {
  const store = openStore(at)
  stores.push(store)
  return store
}
const noticesOf = (store: Store): readonly Problem[] => {
  let latest: readonly Problem[] = []
  store.notices.subscribe((notices) => (latest = notices), new AbortController().signal)
  return latest
}
const entry = (id: string, size = 0): JournalEntry => ({
  id,
  at: '2026-01-01T00:00:00Z',
  target: 't',
  targetKey: 't',
  label: '',
  changes: [{ kind: 'FlowSchema', name: 'a', from: null, to: { text: 'x'.repeat(size) }, state: 'applied' }],
})
const requestTest = (id: string, label = id): RequestTest => ({
  id,
  label,
  request: { user: 'u', groups: [], method: 'GET', url: '/' },
})
const spec = (host: string, intervalMs = 1_000): SourceSpec => ({
  kind: 'scrape',
  target: { kind: 'urls', urls: [`https://${host}/metrics`] },
  cadence: CadenceSchema.parse({ intervalMs }),
})
const recent = (at: string, host: string, intervalMs?: number): RecentSource => ({
  at,
  name: host,
  spec: spec(host, intervalMs),
})

describe('the store', () => {
  it('has defaults at first, and afterwards what any handle wrote', async () => {
    const [a, b] = [open(), open()]
    expect(await a.settings.read()).toEqual(SettingsSchema.parse({}))
    await a.settings.change({ theme: 'dark' })
    expect(await b.settings.change({ density: 'compact' })).toMatchObject({ theme: 'dark', density: 'compact' })
    expect(await a.settings.read()).toMatchObject({ theme: 'dark', density: 'compact' })
    expect(noticesOf(a)).toEqual([])
  })

  it('keeps others out of its files', async () => {
    await open().settings.change({ theme: 'dark' })
    const modes = await Promise.all(
      (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).mode & 0o777),
    )
    expect(modes.length).toBeGreaterThan(1)
    expect(new Set(modes)).toEqual(new Set([0o600]))
  })

  it('moves a source that is used again to the front, whatever its interval, and keeps ten', async () => {
    const { recents } = open()
    for (let n = 0; n < 12; n++) await recents.add(recent(String(n), `a${n}`))
    await recents.add(recent('12', 'a5', 5_000))
    const kept = await recents.read()
    expect(kept.map(({ at }) => at)).toEqual(['12', '11', '10', '9', '8', '7', '6', '4', '3', '2'])
    expect((await recents.forget('12')).map(({ at }) => at)).toEqual(['11', '10', '9', '8', '7', '6', '4', '3', '2'])
  })

  it('reads, replaces and forgets a proxy that an earlier version kept in the mode shadow', async () => {
    const proxy: ProxySpec = ProxySpecSchema.parse({ kind: 'proxy', upstream: { kind: 'kubeconfig' }, mode: 'observe' })
    // As does one without a mode, because enforcing is a choice.
    expect(ProxySpecSchema.parse({ kind: 'proxy', upstream: { kind: 'kubeconfig' } })).toEqual(proxy)
    const kept = { at: '1', name: 'a', spec: { ...proxy, mode: 'shadow' } }
    const keep = async (): Promise<Store['recents']> => {
      const store = open()
      await store.recents.read()
      const file = new DatabaseSync(join(folder, 'console.db'))
      file
        .prepare("INSERT INTO items (kind, scope, key, value) VALUES ('recent', '', ?, ?)")
        .run(JSON.stringify(kept.spec), JSON.stringify(kept))
      file.close()
      return store.recents
    }
    const recents = await keep()
    expect(await recents.read()).toEqual([{ ...kept, spec: proxy }])
    await recents.add({ at: '2', name: 'a', spec: proxy })
    expect((await recents.read()).map(({ at }) => at)).toEqual(['2'])
    await keep()
    expect((await recents.forget('1')).map(({ at }) => at)).toEqual(['2'])
  })

  it('changes entries of the journal in their place, the latest first, each target its own', async () => {
    const { journal } = open()
    for (const id of ['1', '2']) await journal.change('t', id, () => entry(id))
    await journal.change('t', '1', (known) => known && { ...known, label: 'new' })
    expect((await journal.read('t')).map(({ id, label }) => id + label)).toEqual(['2', '1new'])
    expect(await journal.read('u')).toEqual([])
    await journal.change('t', '2', () => undefined)
    expect((await journal.read('t')).map(({ id }) => id)).toEqual(['1'])
  })

  it('forgets the oldest entries beyond the bound, and never the newest', async () => {
    const { journal } = open()
    for (const [id, size] of [
      ['1', 10],
      ['2', 5_000_000],
      ['3', 9_000_000],
    ] as const) {
      await journal.change('t', id, () => entry(id, size))
    }
    expect((await journal.read('t')).map(({ id }) => id)).toEqual(['3'])
  })

  it('keeps scenarios in the order in which they were added, and refuses more than fifty without losing any', async () => {
    const { scenarios } = open()
    for (let n = 0; n < 50; n++) await scenarios.write(`${n}.yaml`, `name: S${n}`)
    await scenarios.write('0.yaml', 'name: changed')
    await expect(scenarios.write('more.yaml', 'name: more')).rejects.toThrow('The console keeps at most 50 scenarios.')
    const kept = await open().scenarios.read()
    expect(kept).toHaveLength(50)
    expect(kept[0]).toEqual({ file: '0.yaml', text: 'name: changed' })
    await scenarios.write('0.yaml', undefined)
    await scenarios.write('more.yaml', 'name: more')
    expect((await open().scenarios.read()).map(({ file }) => file).at(-1)).toBe('more.yaml')
  })

  it('keeps the fifty drafts that were written last', async () => {
    const { drafts } = open()
    for (let n = 0; n < 55; n++) {
      await drafts.write(String(n), { entries: [{ kind: 'FlowSchema', name: String(n), text: '' }] })
      await drafts.write('first', { entries: [{ kind: 'FlowSchema', name: 'first', text: '' }] })
    }
    const read = async (key: string) => (await open().drafts.read(key)).entries.map(({ name }) => name)
    expect([await read('first'), await read('54'), await read('6'), await read('5')]).toEqual([
      ['first'],
      ['54'],
      ['6'],
      [],
    ])
  })

  it('refuses more saved requests than a table holds, and changes nothing then', async () => {
    const { requestTests } = open()
    const many = Array.from({ length: 2_000 }, (_, n) => requestTest(String(n)))
    await requestTests.change({ put: many, remove: [] })
    await expect(requestTests.change({ put: [requestTest('more')], remove: [] })).rejects.toMatchObject({
      problem: { code: 'too-large' },
    })
    expect(await requestTests.read()).toEqual(many)
  })

  it('leaves out what it cannot understand, says so, and does not touch it', async () => {
    const store = open()
    await store.settings.change({ theme: 'dark', density: 'compact' })
    const file = new DatabaseSync(join(folder, 'console.db'))
    file.exec(`UPDATE items SET value = '"sepia"' WHERE key = 'theme'`)
    expect(await store.settings.read()).toMatchObject({ theme: 'system', density: 'compact' })
    expect(noticesOf(store)).toMatchObject([{ message: expect.stringContaining('the setting theme') }])
    await store.settings.change({ density: 'regular' })
    expect(file.prepare("SELECT value FROM items WHERE key = 'theme'").get()).toEqual({ value: '"sepia"' })
    file.close()
  })

  it('says when a change cannot be kept, until one can', async () => {
    const store = open()
    await store.settings.read()
    const file = new DatabaseSync(join(folder, 'console.db'))
    file.exec("CREATE TRIGGER full BEFORE INSERT ON items BEGIN SELECT RAISE(FAIL, 'no space'); END")
    await expect(store.settings.change({ theme: 'dark' })).rejects.toThrow('no space')
    expect(noticesOf(store)).toMatchObject([{ message: expect.stringContaining('no space') }])
    file.exec('DROP TRIGGER full')
    file.close()
    await store.settings.change({ theme: 'light' })
    expect(noticesOf(store)).toEqual([])
  })

  it('tells consoles that run from those that ended', async () => {
    const [a, b] = [open(), open()]
    const [own, other] = await Promise.all([a.presence(), b.presence()])
    const id = own.own()
    expect([other.runs(id), other.runs('../../etc/passwd'), other.runs(crypto.randomUUID())]).toEqual([
      true,
      false,
      false,
    ])
    own.close()
    expect(other.runs(id)).toBe(false)
    expect((await readdir(folder)).filter((name) => name.endsWith('.lock'))).toEqual([])
  })

  it('lets consoles that start at the same time count as running', async () => {
    // Each looks for locks of consoles that ended, and may find one that is being made.
    const starts = `import(${JSON.stringify(new URL('database.ts', import.meta.url).href)}).then(({ createPresence }) => {
      for (let n = 0; n < 100; n++) {
        const presence = createPresence(${JSON.stringify(folder)})
        presence.own()
        presence.close()
      }
    })`
    const ends = Array.from({ length: 4 }, () => once(new Worker(starts, { eval: true }), 'exit'))
    expect(await Promise.all(ends)).toEqual(ends.map(() => [0]))
  })
})

describe('a file that cannot be read', () => {
  const damage: Readonly<Record<string, (path: string) => Promise<void>>> = {
    'is no database': (path) => writeFile(path, 'something else altogether, and long enough to be looked at'),
    'is damaged in the middle': async (path) => {
      const bytes = await readFile(path)
      await writeFile(path, bytes.fill(0xff, 4_096))
    },
    'was written by a newer version': async (path) => {
      const file = new DatabaseSync(path)
      file.exec('PRAGMA user_version = 99')
      file.close()
    },
  }
  it.each(Object.keys(damage))('because it %s is left as it is, and the values are in memory', async (how) => {
    const path = join(folder, 'console.db')
    const first = open()
    await first.settings.change({ theme: 'dark' })
    first.close()
    await vi.waitFor(async () => expect(await readdir(folder)).toEqual(['console.db']))
    await damage[how]?.(path)
    const before = await readFile(path)
    const store = open()
    expect(await store.settings.change({ density: 'compact' })).toMatchObject({ theme: 'system', density: 'compact' })
    expect(await store.settings.read()).toMatchObject({ density: 'compact' })
    await store.journal.change('t', '1', () => entry('1'))
    expect(await store.journal.read('t')).toHaveLength(1)
    expect((await store.presence()).own()).toMatch(/^[0-9a-f-]{36}$/)
    const [notice, ...others] = noticesOf(store)
    expect(others).toEqual([])
    expect(notice?.message).toContain(path)
    expect(notice?.message).toContain('are kept in memory and are lost when the console ends')
    store.close()
    expect(await readFile(path)).toEqual(before)
  })

  it('because it is a folder is left alone too', async () => {
    await mkdir(join(folder, 'console.db'))
    const store = open()
    await store.settings.change({ theme: 'dark' })
    expect(noticesOf(store)).toMatchObject([{ message: expect.stringContaining('it is a folder') }])
    expect((await stat(join(folder, 'console.db'))).isDirectory()).toBe(true)
  })
})

describe('files of earlier versions', () => {
  const old = async (name: string, value: unknown): Promise<void> => {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), JSON.stringify(value))
  }
  const envelope = (value: unknown) => ({ formatVersion: 1, value })
  const { changes, ...rest } = entry('1')
  const oldEntry = { ...rest, state: 'undone', changes: changes.map(({ state: _none, ...change }) => change) }
  const place = { inode: 1, head: 'h', headBytes: 1, offset: 2, lines: 3 }

  it('are imported once and stay where they are', async () => {
    await old('settings.json', envelope({ theme: 'dark' }))
    await old('recent.json', envelope([recent('2', 'b'), recent('1', 'a')]))
    await old('journal.json', envelope([{ ...oldEntry, id: '2' }, oldEntry]))
    await old('requests.json', envelope([requestTest('x'), requestTest('y')]))
    // SHA-256 of `t` and of `/a`.
    await old(
      'drafts/e3b98a4da31a127d4bde6e43033f66ba.json',
      envelope({ entries: [{ kind: 'FlowSchema', name: 'a', text: '' }] }),
    )
    await old('feeds/23a3c2d1a2b8b5e5a1b3c4d5.json', place)
    const store = open()
    expect(await store.settings.read()).toMatchObject({ theme: 'dark' })
    expect((await store.recents.read()).map(({ at }) => at)).toEqual(['2', '1'])
    const entries = await store.journal.read('t')
    expect(entries.map(({ id }) => id)).toEqual(['2', '1'])
    expect(entries[0]?.changes[0]).toMatchObject({ name: 'a', state: 'undone' })
    expect((await store.requestTests.read()).map(({ id }) => id)).toEqual(['x', 'y'])
    expect((await store.drafts.read('t')).entries).toHaveLength(1)
    expect(noticesOf(store)).toEqual([])
    await store.requestTests.change({ put: [], remove: ['x'] })
    await store.settings.change({ theme: 'light' })
    store.close()
    const next = open()
    expect(await next.settings.read()).toMatchObject({ theme: 'light' })
    expect((await next.requestTests.read()).map(({ id }) => id)).toEqual(['y'])
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['settings.json', 'journal.json', 'drafts']))
  })

  it('that cannot be understood are reported at each start until they are corrected', async () => {
    await old('settings.json', envelope({ theme: 'dark' }))
    await writeFile(join(folder, 'journal.json'), '{"formatVersion":1,"value":[{"id"')
    const store = open()
    expect(await store.settings.read()).toMatchObject({ theme: 'dark' })
    expect(noticesOf(store)).toMatchObject([{ message: expect.stringContaining(join(folder, 'journal.json')) }])
    expect(await readFile(join(folder, 'journal.json'), 'utf8')).toBe('{"formatVersion":1,"value":[{"id"')
    await store.journal.change('t', 'new', () => entry('new'))
    store.close()
    await old('journal.json', envelope([oldEntry]))
    const next = open()
    expect((await next.journal.read('t')).map(({ id }) => id).toSorted()).toEqual(['1', 'new'])
    expect(noticesOf(next)).toEqual([])
  })
})

describe('two handles', () => {
  it('agree with a model of one, whatever the order', async () => {
    const target = fc.constantFrom('t', 'u')
    const id = fc.constantFrom('1', '2', '3')
    const step = fc.oneof(
      fc.record({ do: fc.constant('setting' as const), theme: fc.constantFrom('dark' as const, 'light' as const) }),
      fc.record({ do: fc.constant('dismiss' as const), id }),
      fc.record({ do: fc.constant('entry' as const), target, id, label: fc.string({ maxLength: 3 }) }),
      fc.record({ do: fc.constant('remove' as const), target, id }),
      fc.record({ do: fc.constant('test' as const), id, label: fc.string({ maxLength: 3 }) }),
      fc.record({ do: fc.constant('untest' as const), id }),
      fc.record({ do: fc.constant('draft' as const), target, text: fc.string({ maxLength: 3 }) }),
      fc.record({ do: fc.constant('place' as const), target, lines: fc.nat() }),
      fc.record({ do: fc.constant('recent' as const), host: fc.constantFrom('a', 'b', 'c'), at: fc.uuid() }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ handle: fc.nat({ max: 1 }), step }), { maxLength: 25 }), async (steps) => {
        const at = await mkdtemp(join(folder, 'run-'))
        const handles = [openStore(at), openStore(at)]
        const model = {
          settings: {} as Record<string, unknown>,
          journals: { t: new Map<string, string>(), u: new Map<string, string>() } as Record<
            string,
            Map<string, string>
          >,
          tests: new Map<string, string>(),
          drafts: {} as Record<string, string>,
          places: {} as Record<string, number>,
          recents: [] as string[],
        }
        const run = async ({ handle, step: one }: (typeof steps)[number]): Promise<unknown> => {
          const store = handles[handle] ?? open()
          switch (one.do) {
            case 'setting':
              model.settings['theme'] = one.theme
              return store.settings.change({ theme: one.theme })
            case 'dismiss':
              model.settings['dismissed'] = [one.id]
              return store.settings.change({ dismissed: [one.id] })
            case 'entry':
              model.journals[one.target]?.set(one.id, one.label)
              return store.journal.change(one.target, one.id, () => ({
                ...entry(one.id),
                label: one.label,
              }))
            case 'remove':
              model.journals[one.target]?.delete(one.id)
              return store.journal.change(one.target, one.id, () => undefined)
            case 'test':
              model.tests.set(one.id, one.label)
              return store.requestTests.change({ put: [requestTest(one.id, one.label)], remove: [] })
            case 'untest':
              model.tests.delete(one.id)
              return store.requestTests.change({ put: [], remove: [one.id] })
            case 'draft':
              model.drafts[one.target] = one.text
              return store.drafts.write(one.target, {
                entries: [{ kind: 'FlowSchema', name: 'a', text: one.text }],
              })
            case 'place':
              model.places[one.target] = one.lines
              return store.places.write(one.target, {
                inode: 1,
                head: '',
                headBytes: 0,
                offset: 0,
                lines: one.lines,
              })
            case 'recent':
              model.recents = [one.host, ...model.recents.filter((host) => host !== one.host)]
              return store.recents.add(recent(one.at, one.host))
          }
        }
        for (const one of steps) await run(one)
        for (const store of handles) {
          expect(await store.settings.read()).toEqual({ ...SettingsSchema.parse({}), ...model.settings })
          for (const [key, labels] of Object.entries(model.journals)) {
            const entries = await store.journal.read(key)
            expect(entries.map(({ id: of, label }) => [of, label]).toReversed()).toEqual([...labels])
          }
          expect((await store.requestTests.read()).map(({ id: of, label }) => [of, label])).toEqual([...model.tests])
          for (const [key, text] of Object.entries(model.drafts)) {
            expect((await store.drafts.read(key)).entries).toMatchObject([{ text }])
          }
          for (const [key, lines] of Object.entries(model.places)) {
            expect(await store.places.read(key)).toMatchObject({ lines })
          }
          expect((await store.recents.read()).map(({ name }) => name)).toEqual(model.recents)
          store.close()
        }
      }),
      { numRuns: 30 },
    )
  })
})

describe('after a loss of power', () => {
  it('everything acknowledged before the log was cut is there, and nothing half written', async () => {
    // The log as it grew: its length when each write was acknowledged.
    const store = open()
    await store.settings.read()
    const log = join(folder, 'console.db-wal')
    const lengths: number[] = []
    for (let n = 0; n < 40; n++) {
      await store.journal.change('t', String(n), () => entry(String(n), n * 37))
      lengths.push((await stat(log)).size)
    }
    const last = lengths.at(-1) ?? 0
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: last }), async (length) => {
        const at = await mkdtemp(join(folder, 'cut-'))
        for (const name of ['console.db', 'console.db-wal']) await copyFile(join(folder, name), join(at, name))
        await truncate(join(at, 'console.db-wal'), length)
        const reopened = openStore(at)
        const found = (await reopened.journal.read('t')).map(({ id }) => Number(id)).toReversed()
        expect(found).toEqual(Array.from(found.keys()))
        expect(found.length).toBeGreaterThanOrEqual(lengths.filter((acknowledged) => acknowledged <= length).length)
        expect(noticesOf(reopened)).toEqual([])
        await reopened.settings.change({ theme: 'dark' })
        reopened.close()
      }),
      { numRuns: 60 },
    )
  })
})
