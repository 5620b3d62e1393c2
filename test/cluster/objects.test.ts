import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { manifestOf, sameContent, versionOf } from '../../core/config/content.ts'
import { isJsonObject, type JsonObject } from '../../core/config/jsonValues.ts'
import type { Kind, ObjectSet } from '../../core/config/objects.ts'
import type { ObjectChange } from '../../core/contract/objects.ts'
import { startCutter, type Cutter } from './cutter.ts'
import { flowControl, LEVEL, level, limited } from './flowControl.ts'
import { ADMIN } from './identities.ts'
import { openConsole, type OpenConsole } from './openConsole.ts'
import { noCluster, useCluster } from './suite.ts'

const schema = (name: string, to: string, metadata: object = {}): JsonObject => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'FlowSchema',
  metadata: { name, ...metadata },
  spec: {
    priorityLevelConfiguration: { name: to },
    matchingPrecedence: 7_777,
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: 'nobody-else' } }],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/nowhere'] }],
      },
    ],
  },
})

describe.skipIf(noCluster)('objects of a cluster', () => {
  const cluster = useCluster()
  let folder = ''
  let cutter: Cutter
  let apf: OpenConsole

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'apf-objects-'))
    cutter = await startCutter(cluster(), ADMIN, folder)
    apf = await openConsole(join(folder, 'state'))
  })
  afterEach(async () => {
    await apf.close()
    await cutter.close()
    await rm(folder, { recursive: true, force: true })
  })

  const { read, applyAs, remove } = flowControl(cluster)

  const named = (objects: ObjectSet, kind: Kind, name: string): JsonObject => {
    const found = [...(kind === LEVEL ? objects.levels : objects.schemas)].find((one) => one.metadata.name === name)
    if (found === undefined) throw new Error(`${kind} ${name} is not shown`)
    return { ...found }
  }
  /** A change of what the console shows now. */
  const change = (kind: Kind, name: string, object: JsonObject | null): ObjectChange => {
    const state = apf.states.at(-1)
    if (state === undefined) throw new Error('no state')
    const base = versionOf(named(state.objects, kind, name))
    return { kind, name, object, ...(base && { base }) }
  }
  const create = (object: JsonObject): ObjectChange => {
    const { kind, metadata } = object
    const name = isJsonObject(metadata) ? String(metadata['name']) : ''
    return { kind: kind === LEVEL ? LEVEL : 'FlowSchema', name, object }
  }
  const shown = (kind: Kind, name: string) =>
    apf.until(({ objects }) =>
      (kind === LEVEL ? objects.levels : objects.schemas).some(({ metadata }) => metadata.name === name),
    )
  const apply = (changes: ObjectChange[], force = false) => apf.call('objects.apply', { changes, force })
  const edit = async (): Promise<void> => {
    await apf.connect(cutter.kubeconfig)
    expect(await apf.call('editing.switch', { on: true })).toMatchObject({ state: 'on' })
  }

  it('shows what another writer changes, and survives a restart of the server', async () => {
    const first = await apf.connect(cutter.kubeconfig)
    expect(first).toMatchObject({ origin: 'cluster', version: cluster().version, editing: { state: 'off' } })
    expect(first.objects.levels.map(({ metadata }) => metadata.name)).toContain('workload-low')

    await applyAs('somebody', level('watched', limited(5)))
    await shown(LEVEL, 'watched')
    await applyAs('somebody', level('watched', limited(6)))
    await apf.until(({ objects }) =>
      JSON.stringify(named(objects, LEVEL, 'watched')).includes('"nominalConcurrencyShares":6'),
    )

    await cluster().stopApiserver()
    const stale = await apf.until(({ state }) => state === 'stale')
    expect(stale.problem?.message).toBeTruthy()
    expect(stale.objects.levels.length).toBeGreaterThan(8)
    await cluster().startApiserver()
    await apf.until(({ state }) => state === 'current', 60_000)
    await remove(LEVEL, 'watched')
    await apf.until(({ objects }) => objects.levels.every(({ metadata }) => metadata.name !== 'watched'))
  })

  it('asks the server for its verdict without changing anything', async () => {
    await apf.connect(cutter.kubeconfig)
    const wrong = level('dry', {
      type: 'Limited',
      limited: { nominalConcurrencyShares: -1, limitResponse: { type: 'Queue' } },
    })
    const { verdicts } = await apf.call('objects.check', {
      changes: [
        create(level('dry', limited(5))),
        create(wrong),
        create({ ...level('dry', limited(5)), spec: { ...limited(5), shares: 3 } }),
        change(LEVEL, 'workload-low', named(apf.states.at(-1)!.objects, LEVEL, 'workload-low')),
      ].map((one) => ({ ...one, object: one.object && manifestOf(one.kind, one.object) })),
    })
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(['accepted', 'rejected', 'rejected', 'unchanged'])
    expect(verdicts[0]?.object).toMatchObject({ spec: { limited: { lendablePercent: 0 } } })
    expect(verdicts[1]?.causes.map(({ field, reason }) => [field, reason])).toEqual([
      ['spec.limited.nominalConcurrencyShares', 'FieldValueInvalid'],
      ['spec.limited.limitResponse.queuing', 'FieldValueRequired'],
    ])
    expect(verdicts[2]?.causes).toMatchObject([{ field: 'spec.shares', reason: 'FieldUnknown' }])
    expect(verdicts.map(({ differences }) => differences)).toEqual([[], [], [], []])
    expect(await read(LEVEL, 'dry')).toBeUndefined()
  })

  it('refuses to apply while editing is off, and says for which cluster', async () => {
    await apf.connect(cutter.kubeconfig)
    await expect(apply([create(level('off', limited(5)))])).rejects.toMatchObject({
      problem: { code: 'forbidden', message: expect.stringContaining('cut (http://127.0.0.1') },
    })
  })

  it('offers the role where the user may not write', async () => {
    await apf.connect(cluster().viewerKubeconfig)
    const editing = await apf.call('editing.switch', { on: true })
    expect(editing).toMatchObject({ state: 'impossible', why: expect.stringContaining('apf-viewer may not') })
    expect(editing).toMatchObject({ role: expect.stringContaining('kind: ClusterRoleBinding') })
  })

  it('says what is missing where the user may not read', async () => {
    const target = { kind: 'kubeconfig' as const, file: cluster().nobodyKubeconfig }
    await apf.call('sources.connect', {
      spec: { kind: 'scrape', target, cadence: { intervalMs: 1_000, dumpsEveryMs: null } },
    })
    const { problem } = await apf.until(({ state }) => state === 'unavailable')
    expect(problem).toMatchObject({ code: 'forbidden', details: expect.stringContaining('kind: ClusterRole') })
  })

  it('makes an object exactly as wished, also where the wish takes a field away', async () => {
    await applyAs(
      'kubectl',
      level('exact', limited(5, { borrowingLimitPercent: 40 }), { labels: { of: 'kubectl', keep: 'x' } }),
    )
    await edit()
    await shown(LEVEL, 'exact')
    const wish = level('exact', limited(7), { labels: { keep: 'x' } })
    const polite = await apply([change(LEVEL, 'exact', wish)])
    expect(polite.verdicts[0]).toMatchObject({ outcome: 'conflict' })
    expect(polite.verdicts[0]?.conflicts.map(({ manager, field }) => `${manager} ${field}`).toSorted()).toEqual([
      'kubectl metadata.labels.of',
      'kubectl spec.limited.borrowingLimitPercent',
      'kubectl spec.limited.nominalConcurrencyShares',
    ])
    expect(polite.entry).toBeUndefined()

    const forced = await apply([change(LEVEL, 'exact', wish)], true)
    expect(forced.verdicts[0]).toMatchObject({ outcome: 'accepted' })
    const after = await read(LEVEL, 'exact')
    expect(after).toMatchObject({ metadata: { labels: { keep: 'x' } } })
    const withDefaults = level('exact', limited(7, { lendablePercent: 0 }), { labels: { keep: 'x' } })
    expect(sameContent(after ?? {}, withDefaults)).toBe(true)

    // Fields taken are ours: the next edits need no confirmation, whichever fields they set or remove.
    for (const next of [limited(9, { borrowingLimitPercent: 10 }), limited(9), limited(11, { lendablePercent: 50 })]) {
      const now = await read(LEVEL, 'exact')
      const base = versionOf(now ?? {})
      const report = await apply([
        { kind: LEVEL, name: 'exact', object: level('exact', next, { labels: { keep: 'x' } }), ...(base && { base }) },
      ])
      expect(report.verdicts[0]).toMatchObject({ outcome: 'accepted', conflicts: [] })
      const got = await read(LEVEL, 'exact')
      expect(got?.['spec']).toEqual({ ...next, limited: { lendablePercent: 0, ...(next['limited'] as object) } })
    }
    await remove(LEVEL, 'exact')
  })

  it('takes the queues away that another manager set, which a merge could not', async () => {
    const queuing = { queues: 16, handSize: 4, queueLengthLimit: 50 }
    await applyAs('kubectl', level('to-reject', limited(5, { limitResponse: { type: 'Queue', queuing } })))
    await edit()
    await shown(LEVEL, 'to-reject')
    const wish = level('to-reject', limited(5))
    const { verdicts } = await apf.call('objects.check', { changes: [change(LEVEL, 'to-reject', wish)] })
    expect(verdicts[0]?.conflicts.map(({ field }) => field)).toContain('spec.limited.limitResponse.queuing')
    expect((await apply([change(LEVEL, 'to-reject', wish)], true)).verdicts[0]).toMatchObject({ outcome: 'accepted' })
    expect(await read(LEVEL, 'to-reject')).toMatchObject({ spec: { limited: { limitResponse: { type: 'Reject' } } } })
    expect(JSON.stringify((await read(LEVEL, 'to-reject'))?.['spec'])).not.toContain('queuing')
    await remove(LEVEL, 'to-reject')
  })

  it('does nothing when somebody else changed the object meanwhile, and shows theirs', async () => {
    await applyAs('kubectl', level('meanwhile', limited(5)))
    await edit()
    await shown(LEVEL, 'meanwhile')
    const mine = change(LEVEL, 'meanwhile', level('meanwhile', limited(50)))
    await applyAs('kubectl', level('meanwhile', limited(6)))
    const gone = create(level('after-it', limited(1)))
    const { verdicts, entry } = await apply([mine, gone], true)
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(['conflict', 'skipped'])
    expect(verdicts[0]?.theirs).toMatchObject({ spec: { limited: { nominalConcurrencyShares: 6 } } })
    expect(entry).toBeUndefined()
    expect(await read(LEVEL, 'meanwhile')).toMatchObject({ spec: { limited: { nominalConcurrencyShares: 6 } } })
    expect(await read(LEVEL, 'after-it')).toBeUndefined()
    // An object that exists is not made, one that is gone is not changed.
    await apf.until(({ objects }) => JSON.stringify(named(objects, LEVEL, 'meanwhile')).includes('Shares":6'))
    const stale = change(LEVEL, 'meanwhile', level('meanwhile', limited(7)))
    expect((await apply([create(level('meanwhile', limited(9)))], true)).verdicts).toMatchObject([
      { outcome: 'conflict' },
    ])
    await remove(LEVEL, 'meanwhile')
    const deleted = (await apply([stale], true)).verdicts
    expect(deleted).toMatchObject([{ outcome: 'conflict' }])
    expect(deleted[0]?.theirs).toBeUndefined()
  })

  it('takes no harm from a status that the server writes meanwhile', async () => {
    await applyAs('kubectl', schema('dangles', 'not-yet'))
    await edit()
    const dangling = (status: string) =>
      apf.until(({ objects }) =>
        objects.schemas.some(
          ({ metadata, status: told }) =>
            metadata.name === 'dangles' && told?.conditions?.some((condition) => condition.status === status) === true,
        ),
      )
    await dangling('True')
    const wish = { ...schema('dangles', 'not-yet'), metadata: { name: 'dangles', labels: { edited: 'yes' } } }
    const mine = change('FlowSchema', 'dangles', wish)
    await applyAs('kubectl', level('not-yet', limited(1)))
    await dangling('False')
    expect((await apply([mine], true)).verdicts).toMatchObject([{ outcome: 'accepted' }])
    await remove('FlowSchema', 'dangles')
    await remove(LEVEL, 'not-yet')
  })

  it('loses nothing when the connection is cut while it applies', async () => {
    await edit()
    cutter.setFault('lost-after')
    const made = await apply([create(level('cut', limited(5)))])
    expect(made.verdicts).toMatchObject([
      { outcome: 'accepted', warnings: [expect.stringContaining('response of the server was lost')] },
    ])
    expect(made.entry?.changes).toMatchObject([{ name: 'cut', from: null }])
    await shown(LEVEL, 'cut')

    cutter.setFault('lost-before')
    const mine = change(LEVEL, 'cut', level('cut', limited(6)))
    const lost = await apply([mine, create(level('never', limited(1)))])
    expect(lost.verdicts.map(({ outcome }) => outcome)).toEqual(['failed', 'skipped'])
    expect(lost.verdicts[0]?.problem?.message).toContain('is as it was before')
    // It may still have been in progress; the journal reads the object again.
    const [looked] = await apf.call('journal.read', null)
    expect(looked).toMatchObject({ id: lost.entry?.id, changes: [{ name: 'cut', state: 'not-applied' }] })
    expect(looked?.changes[0]?.sending).toBeUndefined()
    expect(await read(LEVEL, 'cut')).toMatchObject({ spec: { limited: { nominalConcurrencyShares: 5 } } })

    cutter.setFault('lost-after')
    expect((await apply([mine])).verdicts).toMatchObject([{ outcome: 'accepted' }])
    await apf.until(({ objects }) => JSON.stringify(named(objects, LEVEL, 'cut')).includes('Shares":6'))

    cutter.setDown(true)
    await apf.until(({ state }) => state === 'stale')
    const dark = await apply([change(LEVEL, 'cut', null)])
    expect(dark.verdicts).toMatchObject([{ outcome: 'failed' }])
    cutter.setDown(false)
    await apf.until(({ state }) => state === 'current', 60_000)

    cutter.setFault('lost-after')
    expect((await apply([change(LEVEL, 'cut', null)])).verdicts).toMatchObject([{ outcome: 'accepted' }])
    expect(await read(LEVEL, 'cut')).toBeUndefined()
  })

  it('stops at what the server rejects, and keeps what was done in the journal', async () => {
    await edit()
    const { verdicts, entry } = await apply([
      create(level('first', limited(5))),
      create(level('second', limited(-5))),
      create(level('third', limited(5))),
    ])
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(['accepted', 'rejected', 'skipped'])
    expect(entry).toMatchObject({ user: ADMIN, changes: [{ name: 'first', state: 'applied' }] })
    expect(await apf.call('journal.read', null)).toMatchObject([{ id: entry?.id }])
    expect(await read(LEVEL, 'third')).toBeUndefined()
    await remove(LEVEL, 'first')
  })

  it('undoes and redoes a sequence, deletions and creations included, also after a restart of the console', async () => {
    const labels = { labels: { team: 'blue' }, annotations: { why: 'because' } }
    await applyAs('kubectl', level('seq', limited(5, { borrowingLimitPercent: 40 }), labels))
    await edit()
    await shown(LEVEL, 'seq')
    const original = await read(LEVEL, 'seq')
    const at = async (object: JsonObject | null, kind: Kind, name: string): Promise<void> => {
      const base = versionOf((await read(kind, name)) ?? {})
      const { verdicts } = await apply([{ kind, name, object, ...(base && { base }) }], true)
      expect(verdicts).toMatchObject([{ outcome: 'accepted' }])
    }
    await at(level('seq', limited(9)), LEVEL, 'seq')
    await at(schema('seq', 'seq'), 'FlowSchema', 'seq')
    await at(null, LEVEL, 'seq')
    await at(null, 'FlowSchema', 'seq')

    const turn = async (way: 'undo' | 'redo', state: 'applied' | 'undone', oldest: boolean): Promise<void> => {
      const entries = (await apf.call('journal.read', null)).filter(({ changes }) =>
        changes.every((one) => one.state === state),
      )
      const entry = oldest ? entries.at(-1) : entries[0]
      const { verdicts } = await apf.call(`journal.${way}`, { id: entry?.id ?? '', force: false })
      expect(verdicts).toMatchObject([{ outcome: 'accepted' }])
    }
    await turn('undo', 'applied', false)
    await turn('undo', 'applied', false)
    expect(sameContent((await read('FlowSchema', 'seq')) ?? {}, schema('seq', 'seq'))).toBe(true)

    await apf.close()
    apf = await openConsole(join(folder, 'state'))
    await edit()
    await turn('undo', 'applied', false)
    expect(await read('FlowSchema', 'seq')).toBeUndefined()
    await turn('undo', 'applied', false)
    expect(manifestOf(LEVEL, (await read(LEVEL, 'seq')) ?? {})).toEqual(manifestOf(LEVEL, original ?? {}))
    for (let left = 4; left > 0; left--) await turn('redo', 'undone', true)
    expect([await read(LEVEL, 'seq'), await read('FlowSchema', 'seq')]).toEqual([undefined, undefined])

    // Another client has created one of the same name meanwhile: it is not deleted.
    await applyAs('somebody', level('seq', limited(77)))
    const [latest] = await apf.call('journal.read', null)
    const deletion = (await apf.call('journal.read', null)).find(
      ({ changes }) => changes[0]?.kind === LEVEL && changes[0].to === null,
    )
    expect(latest?.changes[0]?.state).toBe('applied')
    const { verdicts } = await apf.call('journal.undo', { id: deletion?.id ?? '', force: true })
    expect(verdicts).toMatchObject([
      { outcome: 'conflict', theirs: { spec: { limited: { nominalConcurrencyShares: 77 } } } },
    ])
    await remove(LEVEL, 'seq')
  })
})
