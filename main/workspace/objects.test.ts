import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { manifestOf, versionOf } from '../../core/config/content.ts'
import type { JsonObject } from '../../core/config/jsonValues.ts'
import { KINDS, type Kind } from '../../core/config/objects.ts'
import type { ApplyReport, ObjectChange, ObjectsState } from '../../core/contract/objects.ts'
import { ObjectStore } from '../../core/simulate/objects.ts'
import { noObjects, type Done, type ObjectGateway, verdictOf } from '../ports/objectGateway.ts'
import { createSimulatedObjects } from '../simulated/objects.ts'
import { openStore } from '../store/store.ts'
import { createObjects, keptProcedures } from './objects.ts'
import { ProblemError } from '../../core/errors.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'
import { aboutConnection } from '../../test/harness/oneSource.ts'
import { connectObjects, type ConnectedObjects } from './connectedObjects.ts'
import type { Session } from './session.ts'

const VERSION = 'v1.37.2'
const LEVEL = 'PriorityLevelConfiguration'

/** A server in memory whose objects outlive the console. */
function memoryServer(): { readonly gateway: ObjectGateway; readonly store: ObjectStore } {
  const store = new ObjectStore(1)
  store.replace(builtInObjects(VERSION))
  const gateway = createSimulatedObjects({
    target: 'memory',
    targetKey: 'memory',
    version: VERSION,
    objects: () => store.objects,
    adopt: (objects) => {
      store.replace(objects)
      gateway.changed()
    },
    now: () => '2026-01-01T00:00:00Z',
  })
  return { gateway: { ...gateway, fleeting: false }, store }
}

const level = (name: string, shares: number, annotations: Record<string, string> = {}): JsonObject => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: LEVEL,
  metadata: { name, annotations },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares: shares, limitResponse: { type: 'Reject' } } },
})
const schema = (name: string, to: string, precedence: number): JsonObject => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'FlowSchema',
  metadata: { name },
  spec: { priorityLevelConfiguration: { name: to }, matchingPrecedence: precedence },
})

/** A source without frames. */
const SILENT: Session['frames'] = { subscribe: () => undefined }

describe('objects of the workspace', () => {
  let stateDir = ''
  let ended = new AbortController()
  beforeEach(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'apf-objects-'))
  })
  afterEach(async () => {
    ended.abort()
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
  })

  const open = (folder = stateDir) => {
    ended.abort()
    ended = new AbortController()
    const connected = new Map<number, ConnectedObjects>()
    const store = openStore(folder)
    const made = createObjects({
      objectsOf(connection) {
        const objects = connected.get(connection)
        if (objects === undefined) throw new ProblemError('not-found', 'not connected')
        return objects
      },
      store,
      environment: { now: () => Date.UTC(2026, 0, 1), random: () => Math.random() },
    })
    const kept = keptProcedures(
      store,
      {
        readClusterObjects: async () => ({ name: 'cluster', objects: { levels: [], schemas: [] }, notes: [] }),
        readManifestFiles: async () => ({ name: 'files', objects: { levels: [], schemas: [] }, notes: [] }),
      },
      { now: () => Date.UTC(2026, 0, 1) },
    )
    const states: ObjectsState[] = []
    let id = 0
    const connect = (objects: ObjectGateway): void => {
      id++
      const picture: { objects?: ObjectsReading } = {}
      // The only members of a session that are used.
      const session = {
        connection: { id },
        objects,
        frames: SILENT,
        ended: ended.signal,
        picture,
        readObjects: (listener: (reading: ObjectsReading) => void) =>
          objects.start(ended.signal, (reading) => {
            picture.objects = reading
            listener(reading)
          }),
      }
      const opened = connectObjects(session as unknown as Session, { now: () => Date.UTC(2026, 0, 1) })
      connected.set(id, opened)
      opened.states.subscribe((state) => states.push(state), ended.signal)
      made.resolveOnce(opened, ended.signal)
    }
    return { call: aboutConnection({ ...made.procedures, ...kept }, () => id), states, connect, store }
  }

  it('tells what is connected, editing off, and refuses what is impossible', async () => {
    const { call, states, connect } = open()
    await expect(call['editing.switch']({ on: true })).rejects.toMatchObject({ problem: { code: 'not-found' } })
    connect(noObjects('page.txt', 'Metrics alone.'))
    expect(states.at(-1)).toMatchObject({ connection: 1, origin: 'none', state: 'unavailable' })
    await expect(call['editing.switch']({ on: true })).rejects.toThrow('Metrics alone.')
    await expect(call['objects.check']({ changes: [] })).rejects.toMatchObject({ problem: { code: 'unsupported' } })

    const { gateway } = memoryServer()
    connect(gateway)
    expect(states.at(-1)).toMatchObject({
      connection: 2,
      origin: 'simulation',
      state: 'current',
      editing: { state: 'off' },
    })
    const changes = [{ kind: LEVEL, name: 'a', object: level('a', 1) }] satisfies ObjectChange[]
    await expect(call['objects.apply']({ changes, force: false })).rejects.toMatchObject({
      problem: { code: 'forbidden', message: expect.stringContaining('memory') },
    })
    expect(await call['editing.switch']({ on: true })).toEqual({ state: 'on', since: '2026-01-01T00:00:00.000Z' })
    expect(states.at(-1)?.editing.state).toBe('on')
    expect((await call['objects.apply']({ changes, force: false })).verdicts).toMatchObject([{ outcome: 'accepted' }])
    expect(states.at(-1)?.objects.levels.map(({ metadata }) => metadata.name)).toContain('a')
    // Another connection needs its own decision.
    connect(gateway)
    expect(states.at(-1)?.editing.state).toBe('off')
  })

  it('sends nothing under the name of something else', async () => {
    const { call, connect } = open()
    connect(memoryServer().gateway)
    await call['editing.switch']({ on: true })
    const wrong: ObjectChange[] = [
      { kind: LEVEL, name: 'a', object: level('b', 1) },
      { kind: 'FlowSchema', name: 'a', object: level('a', 1) },
      { kind: LEVEL, name: 'a', object: { ...level('a', 1), apiVersion: 'v1' } },
      { kind: LEVEL, name: 'a', object: { kind: LEVEL, apiVersion: 'flowcontrol.apiserver.k8s.io/v1' } },
    ]
    for (const change of wrong) {
      await expect(call['objects.apply']({ changes: [change], force: true })).rejects.toMatchObject({
        problem: { code: 'invalid-input' },
      })
      await expect(call['objects.check']({ changes: [change] })).rejects.toThrow('holds something else')
    }
  })

  it('keeps drafts and tests for the next start, each target its own', async () => {
    const first = open()
    first.connect(memoryServer().gateway)
    expect(await first.call['drafts.read'](null)).toEqual({ entries: [] })
    const entry = { kind: LEVEL, name: 'a', text: 'kind: …\n' } as const
    await first.call['drafts.write']({ targetKey: 'memory', draft: { entries: [entry] } })
    await first.call['drafts.write']({ targetKey: '../../elsewhere', draft: { entries: [] } })
    await first.call['requests.change']({
      put: [{ id: '1', label: 'a', request: { user: 'u', groups: [], method: 'GET', url: '/' } }],
      remove: [],
    })
    const second = open()
    second.connect(memoryServer().gateway)
    expect(await second.call['drafts.read'](null)).toMatchObject({ entries: [entry] })
    expect(await second.call['requests.read'](null)).toHaveLength(1)
  })

  it('forgets what was applied to a simulation that is no more', async () => {
    const { call, connect } = open()
    const { gateway } = memoryServer()
    connect({ ...gateway, fleeting: true })
    await call['editing.switch']({ on: true })
    await call['objects.apply']({ changes: [{ kind: LEVEL, name: 'a', object: level('a', 1) }], force: false })
    expect(await call['journal.read'](null)).toHaveLength(1)
    connect({ ...memoryServer().gateway, fleeting: true })
    await expect.poll(() => call['journal.read'](null)).toEqual([])
  })

  it('undoes the rest of an entry of which only a part could be undone', async () => {
    const { call, connect } = open()
    const { gateway, store } = memoryServer()
    if ('impossible' in gateway.editor) throw new Error('it can be edited')
    const { editor } = gateway
    let failing = ''
    connect({
      ...gateway,
      editor: {
        ...editor,
        apply: async (change, force, announce) =>
          change.name === failing ? { verdict: verdictOf(change, 'failed') } : editor.apply(change, force, announce),
      },
    })
    await call['editing.switch']({ on: true })
    const made = ['a', 'b', 'c'].map((name): ObjectChange => ({ kind: LEVEL, name, object: level(name, 1) }))
    const { entry } = await call['objects.apply']({ changes: made, force: false, label: 'three' })
    failing = 'b'
    const { verdicts } = await call['journal.undo']({ id: entry?.id ?? '', force: false })
    expect(verdicts.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual(['c accepted', 'b failed', 'a skipped'])
    const states = async (): Promise<string[]> =>
      (await call['journal.read'](null)).flatMap(({ changes }) => changes.map(({ name, state }) => `${name} ${state}`))
    expect(await states()).toEqual(['a applied', 'b applied', 'c undone'])
    failing = ''
    await call['journal.undo']({ id: entry?.id ?? '', force: false })
    expect(store.objects.levels).toHaveLength(builtInObjects(VERSION).levels.length)
    expect(await states()).toEqual(['a undone', 'b undone', 'c undone'])
  })

  // Each change is written to the disk twice.
  it('takes back any sequence to exactly the objects before, and applies it again', async () => {
    const names = ['a', 'b', 'workload-low']
    const wish = fc.oneof(
      fc.record({
        kind: fc.constant<Kind>(LEVEL),
        name: fc.constantFrom(...names),
        shares: fc.nat({ max: 5 }),
        note: fc.constantFrom('', 'x'),
      }),
      fc.record({
        kind: fc.constant<Kind>('FlowSchema'),
        name: fc.constantFrom(...names),
        shares: fc.integer({ min: 2, max: 5 }),
        note: fc.constant(''),
      }),
    )
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant('apply' as const),
          wishes: fc.array(fc.record({ wish, gone: fc.boolean() }), { minLength: 1, maxLength: 3 }),
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('undo' as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('redo' as const) }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const folder = await mkdtemp(join(stateDir, 'run-'))
        const { gateway, store } = memoryServer()
        let console = open(folder)
        console.connect(gateway)
        await console.call['editing.switch']({ on: true })
        const snapshot = () => objectsOf(store)
        /** Snapshots before each entry, and the entries; `at` of them are applied. */
        const history: { readonly id: string; readonly before: string; readonly after: string }[] = []
        let at = 0
        const undo = async (): Promise<void> => {
          const last = history[at - 1]
          if (last === undefined) throw new Error('There is nothing to undo.')
          assertDone(await console.call['journal.undo']({ id: last.id, force: false }))
          expect(snapshot()).toBe(last.before)
          at--
        }
        const redo = async (): Promise<void> => {
          const next = history[at]
          if (next === undefined) throw new Error('There is nothing to redo.')
          assertDone(await console.call['journal.redo']({ id: next.id, force: false }))
          expect(snapshot()).toBe(next.after)
          at++
        }
        for (const one of steps) {
          if (one.do === 'undo') {
            if (at > 0) await undo()
          } else if (one.do === 'redo') {
            if (at < history.length) await redo()
          } else {
            const changes = one.wishes.map(({ wish: { kind, name, shares, note }, gone }) =>
              changeOf(store, kind, name, gone ? null : objectFor(kind, name, shares, note)),
            )
            const before = snapshot()
            const { entry } = await console.call['objects.apply']({ changes, force: false })
            if (entry === undefined) continue
            history.splice(at, Number.POSITIVE_INFINITY, { id: entry.id, before, after: snapshot() })
            at++
          }
        }
        // A restarted console does the rest.
        console = open(folder)
        console.connect(gateway)
        await console.call['editing.switch']({ on: true })
        const end = snapshot()
        const applied = at
        for (let left = applied; left > 0; left--) await undo()
        expect(snapshot()).toBe(history[0]?.before ?? end)
        for (let left = applied; left > 0; left--) await redo()
        expect(snapshot()).toBe(end)
      }),
      { numRuns: 40 },
    )
  })

  describe('when a console ends while it sends', () => {
    /**
     * A console that ends as if it were killed: immediately, without any clean-up. `done`: the server applied the
     * change.
     */
    const killWhileSending = async (
      gateway: ObjectGateway,
      done: boolean,
      send: (console: Opened) => Promise<unknown>,
    ) => {
      const console = open()
      const sent = Promise.withResolvers<void>()
      if ('impossible' in gateway.editor) throw new Error('it can be edited')
      const { editor } = gateway
      console.connect({
        ...gateway,
        editor: {
          ...editor,
          apply: (change, force, announce) =>
            new Promise(() => {
              const about = async (announced: Done): Promise<void> => {
                await announce(announced)
                if (!done) sent.resolve()
                if (!done) await new Promise(() => undefined)
              }
              void editor.apply(change, force, about).then(() => sent.resolve())
            }),
        },
      })
      await console.call['editing.switch']({ on: true })
      void send(console)
      await sent.promise
      console.store.close()
      // The lock of a process ends with it.
      await vi.waitFor(async () =>
        expect((await readdir(stateDir)).filter((name) => name.endsWith('.lock'))).toEqual([]),
      )
    }
    type Opened = ReturnType<typeof open>
    const make = { changes: [{ kind: LEVEL, name: 'a', object: level('a', 1) }], force: false } satisfies {
      changes: ObjectChange[]
      force: boolean
    }
    const statesOf = async (console: Opened) =>
      (await console.call['journal.read'](null)).flatMap(({ changes }) =>
        changes.map(({ state, sending }) => (sending === undefined ? state : `${state}, sending ${sending.way}`)),
      )

    it.each([
      [true, 'applied'],
      [false, 'not-applied'],
    ])('the next one finds whether the change was carried out: %s', async (done, state) => {
      const { gateway, store } = memoryServer()
      await killWhileSending(gateway, done, ({ call }) => call['objects.apply'](make))
      expect(await openStore(stateDir).journal.read('memory')).toMatchObject([
        { changes: [{ name: 'a', from: null, state: 'not-applied', sending: { way: 'apply', pid: process.pid } }] },
      ])
      const next = open()
      next.connect(gateway)
      await expect.poll(() => statesOf(next)).toEqual([state])
      if (!done) return
      await next.call['editing.switch']({ on: true })
      const [entry] = await next.call['journal.read'](null)
      assertDone(await next.call['journal.undo']({ id: entry?.id ?? '', force: false }))
      expect(store.objects.levels.map(({ metadata }) => metadata.name)).not.toContain('a')
    })

    it.each([
      [true, 'undone'],
      [false, 'applied'],
    ])('the same holds for an undo: %s', async (done, state) => {
      const { gateway } = memoryServer()
      const first = open()
      first.connect(gateway)
      await first.call['editing.switch']({ on: true })
      const { entry } = await first.call['objects.apply'](make)
      first.store.close()
      await killWhileSending(gateway, done, ({ call }) => call['journal.undo']({ id: entry?.id ?? '', force: false }))
      const next = open()
      next.connect(gateway)
      await expect.poll(() => statesOf(next)).toEqual([state])
    })

    it('somebody else may change the object before that: then the outcome is unknown, and said to be', async () => {
      const { gateway, store } = memoryServer()
      await killWhileSending(gateway, true, ({ call }) => call['objects.apply'](make))
      const other = changeOf(store, LEVEL, 'a', level('a', 9))
      if ('impossible' in gateway.editor) throw new Error('it can be edited')
      await gateway.editor.apply(other, false, async () => undefined)
      const next = open()
      next.connect(gateway)
      await expect.poll(() => statesOf(next)).toEqual(['unknown'])
    })

    it('what another console is sending is left alone until it ends', async () => {
      const { gateway } = memoryServer()
      const other = openStore(stateDir)
      const presence = await other.presence()
      const sending = { way: 'apply', at: '', console: presence.own(), pid: 1, fieldManager: 'apf-console' } as const
      await other.journal.change('memory', 'x', () => ({
        id: 'x',
        at: '',
        target: 'memory',
        targetKey: 'memory',
        label: '',
        changes: [{ kind: LEVEL, name: 'a', from: null, to: level('a', 1), state: 'not-applied', sending }],
      }))
      const next = open()
      next.connect(gateway)
      expect(await statesOf(next)).toEqual(['not-applied, sending apply'])
      other.close()
      await expect.poll(() => statesOf(next)).toEqual(['not-applied'])
    })
  })

  it('sends nothing that it cannot write down first', async () => {
    const { call, connect } = open()
    const { gateway, store } = memoryServer()
    connect(gateway)
    await call['editing.switch']({ on: true })
    expect(await call['journal.read'](null)).toEqual([])
    const file = new DatabaseSync(join(stateDir, 'console.db'))
    file.exec("CREATE TRIGGER full BEFORE INSERT ON items BEGIN SELECT RAISE(FAIL, 'no space'); END")
    const apply = () =>
      call['objects.apply']({
        changes: [{ kind: LEVEL, name: 'a', object: level('a', 1) }],
        force: false,
      })
    expect((await apply()).verdicts).toMatchObject([
      { outcome: 'skipped', problem: { message: expect.stringMatching(/^Nothing was sent.*no space/) } },
    ])
    expect(store.objects.levels.map(({ metadata }) => metadata.name)).not.toContain('a')
    file.exec('DROP TRIGGER full')
    file.close()
    expect((await apply()).verdicts).toMatchObject([{ outcome: 'accepted' }])
  })

  it('tells what became of a change', async () => {
    const { call, connect } = open()
    const { gateway, store } = memoryServer()
    connect({ ...gateway, lastWrite: () => ({ by: 'somebody', at: '2026-01-01T00:00:00Z' }) })
    await call['editing.switch']({ on: true })
    await call['objects.apply']({ changes: [{ kind: LEVEL, name: 'a', object: level('a', 1) }], force: false })
    const since = async () => (await call['journal.read'](null))[0]?.changes[0]?.since
    expect(await since()).toBeUndefined()
    if ('impossible' in gateway.editor) throw new Error('it can be edited')
    const { editor } = gateway
    const elsewhere = (object: JsonObject | null) =>
      editor.apply(changeOf(store, LEVEL, 'a', object), false, async () => undefined)
    await elsewhere(level('a', 9))
    expect(await since()).toEqual({ what: 'changed', by: 'somebody', at: '2026-01-01T00:00:00Z' })
    await elsewhere(null)
    expect(await since()).toEqual({ what: 'taken-back' })
  })

  it('keeps no more of an object than its manifest', async () => {
    const { call, connect } = open()
    connect(memoryServer().gateway)
    await call['editing.switch']({ on: true })
    await call['objects.apply']({ changes: [{ kind: LEVEL, name: 'a', object: level('a', 1) }], force: false })
    const [entry] = await openStore(stateDir).journal.read('memory')
    expect(entry).toMatchObject({
      target: 'memory',
      label: 'Create PriorityLevelConfiguration a',
      changes: [{ from: null, state: 'applied' }],
    })
    expect(JSON.stringify(entry)).not.toMatch(/managedFields|status|creationTimestamp/)
  })
})

const objectFor = (kind: Kind, name: string, shares: number, note: string): JsonObject =>
  kind === LEVEL ? level(name, shares, note === '' ? {} : { note }) : schema(name, 'global-default', shares)

/** The specs of all objects, independent of their order. */
function objectsOf({ objects: { levels, schemas } }: ObjectStore): string {
  const written = KINDS.flatMap((kind) => (kind === LEVEL ? levels : schemas).map((object) => manifestOf(kind, object)))
  return written
    .map((object) => JSON.stringify(object))
    .toSorted()
    .join('\n')
}

function changeOf({ objects }: ObjectStore, kind: Kind, name: string, object: JsonObject | null): ObjectChange {
  const found = [...(kind === LEVEL ? objects.levels : objects.schemas)].find(({ metadata }) => metadata.name === name)
  const base = found && versionOf(found)
  return { kind, name, object, ...(base && { base }) }
}

function assertDone({ verdicts }: ApplyReport): void {
  expect(verdicts.filter(({ outcome }) => outcome !== 'accepted' && outcome !== 'unchanged')).toEqual([])
}
