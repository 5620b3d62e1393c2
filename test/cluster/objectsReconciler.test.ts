import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { builtInObject } from '../../core/config/builtIn.ts'
import { manifestOf, sameContent, versionOf } from '../../core/config/content.ts'
import {
  AUTOUPDATE_ANNOTATION,
  type FlowSchema,
  type Kind,
  type ObjectMeta,
  type ObjectSet,
  type PriorityLevelConfiguration,
} from '../../core/config/objects.ts'
import type { AppliedChange, ObjectChange } from '../../core/contract/objects.ts'
import { predictReconcile, type ReconcileVerdict } from '../../core/guard/reconciler.ts'
import { reconcile } from '../../core/simulate/objects.ts'
import { readClusterObjects } from '../../main/cluster/readObjects.ts'
import { stateText } from '../../renderer/screens/editor/journal/journal.text.ts'
import { openConsole, type OpenConsole } from './openConsole.ts'
import { noCluster, useCluster } from './suite.ts'
import { allNamed } from '../harness/consent.ts'

/** A pass every minute, and time for it. */
const PASS_MS = 75_000

/** Its field manager. */
const RECONCILER = 'api-priority-and-fairness-config-producer-v1'

type AnyObject = FlowSchema | PriorityLevelConfiguration
interface Edit {
  readonly kind: Kind
  readonly name: string
  readonly what: string
  readonly to: (object: AnyObject | undefined) => AnyObject | null
  readonly expected: ReconcileVerdict
}

const LEVEL = 'PriorityLevelConfiguration'
const SCHEMA = 'FlowSchema'

const annotated = <O extends { readonly metadata: ObjectMeta }>(object: O, value: string | undefined): O => {
  const { [AUTOUPDATE_ANNOTATION]: _before, ...others } = object.metadata.annotations ?? {}
  const annotations = { ...others, ...(value !== undefined && { [AUTOUPDATE_ANNOTATION]: value }) }
  return { ...object, metadata: { ...object.metadata, annotations } }
}
const asLevel = (object: AnyObject | undefined): PriorityLevelConfiguration => {
  if (object === undefined || !('type' in object.spec)) throw new Error('there is such a level')
  return { ...object, spec: object.spec }
}
const withShares = (object: AnyObject | undefined, shares: number): PriorityLevelConfiguration => {
  const found = asLevel(object)
  const { limited, exempt } = found.spec
  return {
    ...found,
    spec: {
      ...found.spec,
      ...(limited && { limited: { ...limited, nominalConcurrencyShares: shares } }),
      ...(exempt && { exempt: { nominalConcurrencyShares: shares, lendablePercent: 25 } }),
    },
  }
}
const own = (name: string, value: string): PriorityLevelConfiguration =>
  annotated(
    {
      metadata: { name },
      spec: {
        type: 'Limited',
        limited: { nominalConcurrencyShares: 1, lendablePercent: 0, limitResponse: { type: 'Reject' } },
      },
    },
    value,
  )

const EDITS: readonly Edit[] = [
  { kind: LEVEL, name: 'workload-low', what: 'shares', to: (o) => withShares(o, 77), expected: 'put-back' },
  {
    kind: LEVEL,
    name: 'workload-high',
    what: 'shares, with the annotation false',
    to: (o) => annotated(withShares(o, 77), 'false'),
    expected: 'kept',
  },
  {
    kind: LEVEL,
    name: 'system',
    what: 'shares, without the annotation',
    to: (o) => annotated(withShares(o, 77), undefined),
    expected: 'annotation-rewritten',
  },
  {
    kind: LEVEL,
    name: 'node-high',
    what: 'only the annotation, to nonsense',
    to: (o) => annotated(asLevel(o), 'maybe'),
    expected: 'annotation-rewritten',
  },
  { kind: LEVEL, name: 'exempt', what: 'shares and lendable percent', to: (o) => withShares(o, 11), expected: 'kept' },
  {
    kind: LEVEL,
    name: 'catch-all',
    what: 'the annotation, to false',
    to: (o) => annotated(asLevel(o), 'false'),
    expected: 'annotation-rewritten',
  },
  { kind: LEVEL, name: 'leader-election', what: 'deleted', to: () => null, expected: 'recreated' },
  {
    kind: LEVEL,
    name: 'global-default',
    what: 'shares, with the annotation T',
    to: (o) => annotated(withShares(o, 7), 'T'),
    expected: 'put-back',
  },
  {
    kind: LEVEL,
    name: 'own-true',
    what: 'made with the annotation true',
    to: () => own('own-true', 'true'),
    expected: 'deleted',
  },
  {
    kind: LEVEL,
    name: 'own-one',
    what: 'made with the annotation 1',
    to: () => own('own-one', '1'),
    expected: 'deleted',
  },
  {
    kind: LEVEL,
    name: 'own-false',
    what: 'made with the annotation false',
    to: () => own('own-false', 'false'),
    expected: 'kept',
  },
  {
    kind: LEVEL,
    name: 'own-yes',
    what: 'made with the annotation yes',
    to: () => own('own-yes', 'yes'),
    expected: 'kept',
  },
  {
    kind: SCHEMA,
    name: 'probes',
    what: 'the annotation taken away',
    to: (o) => (o === undefined ? null : annotated(o, undefined)),
    expected: 'annotation-rewritten',
  },
  { kind: SCHEMA, name: 'catch-all', what: 'deleted', to: () => null, expected: 'recreated' },
]

describe.skipIf(noCluster)("the API server's own reconciler", () => {
  const cluster = useCluster()
  let folder = ''
  let apf: OpenConsole
  /** Objects just before the edits and just after them, and after a pass. */
  let before: ObjectSet
  let edited: ObjectSet
  let after: ObjectSet
  let version = ''

  const all = ({ levels, schemas }: ObjectSet, kind: Kind): readonly AnyObject[] => (kind === LEVEL ? levels : schemas)
  const find = (objects: ObjectSet, { kind, name }: Pick<Edit, 'kind' | 'name'>): AnyObject | undefined =>
    all(objects, kind).find(({ metadata }) => metadata.name === name)
  const read = async (): Promise<ObjectSet> =>
    (await readClusterObjects({ kind: 'kubeconfig', file: cluster().kubeconfig }, allNamed)).objects

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'apf-reconciler-'))
    apf = await openConsole(join(folder, 'state'))
    const state = await apf.connect(cluster().kubeconfig)
    version = state.version ?? ''
    before = state.objects
    await apf.call('editing.switch', { on: true })
    const changes = EDITS.map((edit): ObjectChange => {
      const from = find(before, edit)
      const to = edit.to(from)
      const base = from && versionOf(from)
      return { kind: edit.kind, name: edit.name, object: to && { ...manifestOf(edit.kind, to) }, ...(base && { base }) }
    })
    const { verdicts } = await apf.call('objects.apply', { changes, force: true })
    const refused = verdicts.find(({ outcome }) => outcome !== 'accepted')
    if (refused !== undefined) throw new Error(JSON.stringify(refused))
    edited = await read()
    const marker = EDITS[0]
    if (marker === undefined) throw new Error('there are edits')
    const putBack = async (): Promise<boolean> => {
      const now = find(await read(), marker)
      return now !== undefined && sameContent(now, builtInObject(marker.kind, marker.name, version) ?? {})
    }
    await vi.waitUntil(putBack, { timeout: PASS_MS, interval: 250 })
    // The rest of the same pass.
    await sleep(3_000)
    after = await read()
  }, 200_000)
  afterAll(async () => {
    await apf.close()
    await rm(folder, { recursive: true, force: true })
  })

  it.each(EDITS)('does to $kind $name ($what) what the guard rail predicts: $expected', (edit) => {
    const [from, to, now] = [find(before, edit) ?? null, find(edited, edit) ?? null, find(after, edit) ?? null]
    const change = { kind: edit.kind, name: edit.name, from, to } as Parameters<typeof predictReconcile>[0]
    const { verdict, annotation } = predictReconcile(change, version)
    expect(verdict).toBe(edit.expected)
    const builtIn = builtInObject(edit.kind, edit.name, version)
    switch (verdict) {
      case 'kept':
        return expect(now && sameContent(now, to ?? {})).toBe(true)
      case 'deleted':
        return expect(now).toBeNull()
      case 'annotation-rewritten':
        return expect(now && sameContent(now, annotated(to ?? find(before, edit)!, annotation))).toBe(true)
      case 'recreated':
      case 'put-back':
        expect(now?.spec).toEqual(builtIn?.spec)
        return expect(now?.metadata.annotations?.[AUTOUPDATE_ANNOTATION]).toBe(
          annotation ?? to?.metadata.annotations?.[AUTOUPDATE_ANNOTATION],
        )
    }
  })

  it('is named by the journal where it took a change back, and nowhere else', async () => {
    const became = async (): Promise<ReadonlyMap<string, AppliedChange>> => {
      const [entry] = await apf.call('journal.read', null)
      return new Map(entry?.changes.map((change) => [`${change.kind}/${change.name}`, change]))
    }
    const of = (changes: ReadonlyMap<string, AppliedChange>, { kind, name }: Pick<Edit, 'kind' | 'name'>) =>
      changes.get(`${kind}/${name}`)
    const marker = { kind: LEVEL, name: 'workload-low' } as const
    // The console receives it by its watch.
    await vi.waitUntil(async () => of(await became(), marker)?.since !== undefined, { timeout: 10_000, interval: 100 })
    const changes = await became()
    const takenBack = of(changes, marker)
    expect(takenBack?.since).toEqual({ what: 'taken-back', by: RECONCILER, at: expect.any(String) })
    expect(takenBack && stateText(takenBack)).toMatch(/^reverted by the API server’s reconciler at /)
    const same = (a: AnyObject | undefined, b: AnyObject | undefined): boolean =>
      a === undefined || b === undefined ? a === b : sameContent(a, b)
    for (const edit of EDITS) {
      const [from, to, now] = [find(before, edit), find(edited, edit), find(after, edit)]
      const what = same(now, to) ? undefined : same(now, from) ? 'taken-back' : 'changed'
      const since = of(changes, edit)?.since
      const by = what === undefined || now === undefined ? undefined : RECONCILER
      expect({ edit: edit.what, what: since?.what, by: since?.by }).toEqual({ edit: edit.what, what, by })
    }
  })

  it('does to all objects what the simulated server does to them', () => {
    const simulated = reconcile(edited, version)
    for (const kind of [LEVEL, SCHEMA] as const) {
      const names = (objects: ObjectSet): string[] =>
        all(objects, kind)
          .map(({ metadata }) => metadata.name)
          .toSorted()
      expect(names(simulated)).toEqual(names(after))
      const different = all(after, kind).filter((object) => {
        const ours = find(simulated, { kind, name: object.metadata.name })
        return ours === undefined || !sameContent(ours, object)
      })
      expect(different.map(({ metadata }) => metadata.name)).toEqual([])
    }
  })
})
