import { describe, expect, test } from 'vitest'
import { mandatoryLevels, mandatorySchemas, builtInObjects } from '../config/builtIn.ts'
import { AUTOUPDATE_ANNOTATION, type ObjectSet, type PriorityLevelConfiguration } from '../config/objects.ts'
import { ObjectStore, reconcile } from './objects.ts'

const CONFIGURATION = { levels: mandatoryLevels, schemas: mandatorySchemas }

describe('objects of the simulated server', () => {
  test('keep their UID whatever is applied', () => {
    const first = new ObjectStore(1).replace(CONFIGURATION)
    const uids = first.levels.map(({ metadata }) => metadata.uid)
    expect(new Set(uids).size).toBe(uids.length)
    for (const uid of uids) expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new ObjectStore(1).replace(CONFIGURATION)).toEqual(first)
    expect(new ObjectStore(2).replace(CONFIGURATION)).not.toEqual(first)
  })

  test('get a new generation and version only when they change', () => {
    const store = new ObjectStore(1)
    const [level] = store.replace(CONFIGURATION).levels
    if (level === undefined) throw new Error('there is a level')
    const version = store.resourceVersion
    expect(store.replace(CONFIGURATION).levels[0]).toEqual(level)
    expect(store.resourceVersion).toBe(version)

    const limited = { ...level.spec.limited, nominalConcurrencyShares: 7, limitResponse: { type: 'Reject' } }
    const changed = { ...level, spec: { ...level.spec, limited } }
    const [after] = store.replace({ ...CONFIGURATION, levels: [changed, ...mandatoryLevels.slice(1)] }).levels
    expect(after?.metadata).toMatchObject({
      uid: level.metadata.uid,
      generation: 2,
      resourceVersion: store.resourceVersion,
    })
    expect(store.resourceVersion).not.toBe(version)
  })

  test('have the conditions that the engine reports', () => {
    const store = new ObjectStore(1)
    store.replace(CONFIGURATION)
    const condition = { type: 'Dangling', status: 'True', reason: 'NotFound' }
    store.writeConditions([{ schema: 'exempt', condition }], '2026-01-01T00:00:00Z')
    const of = (name: string) => store.objects.schemas.find(({ metadata }) => metadata.name === name)
    expect(of('exempt')?.status?.conditions).toEqual([{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }])
    expect(of('exempt')?.metadata.resourceVersion).toBe(store.resourceVersion)
    expect(of('catch-all')?.status).toBeUndefined()
  })
})

const VERSION = 'v1.36.3'
const stored = (objects: ObjectSet = builtInObjects(VERSION)): ObjectStore => {
  const store = new ObjectStore(1)
  store.replace(objects)
  return store
}
const edit = (
  store: ObjectStore,
  name: string,
  change: (level: PriorityLevelConfiguration) => PriorityLevelConfiguration,
): ObjectSet => {
  const { levels, schemas } = store.objects
  return store.replace({
    levels: levels.map((level) => (level.metadata.name === name ? change(level) : level)),
    schemas,
  })
}
const withShares = (level: PriorityLevelConfiguration): PriorityLevelConfiguration => {
  const limited = { ...level.spec.limited, limitResponse: { type: 'Reject' }, nominalConcurrencyShares: 7 }
  return { ...level, spec: { ...level.spec, limited } }
}
const annotated = (level: PriorityLevelConfiguration, value: string): PriorityLevelConfiguration => ({
  ...level,
  metadata: { ...level.metadata, annotations: { [AUTOUPDATE_ANNOTATION]: value } },
})
const named = ({ levels }: ObjectSet, name: string) => levels.find(({ metadata }) => metadata.name === name)

describe('a pass of the reconciler', () => {
  test.each(['v1.29.1', 'v1.33.13', VERSION])('leaves the objects of %s as they are', (version) => {
    const { objects } = stored(builtInObjects(version))
    expect(reconcile(objects, version)).toBe(objects)
  })

  test('creates missing objects again', () => {
    const { levels, schemas } = builtInObjects(VERSION)
    const after = reconcile({ levels: levels.slice(1), schemas: schemas.slice(2) }, VERSION)
    expect(new Set(after.levels)).toEqual(new Set(levels))
    expect(new Set(after.schemas)).toEqual(new Set(schemas))
  })

  test('reverts an edit unless the annotation is false', () => {
    const store = stored()
    const before = named(store.objects, 'workload-low')
    const edited = edit(store, 'workload-low', withShares)
    expect(named(reconcile(edited, VERSION), 'workload-low')?.spec).toEqual(before?.spec)
    const kept = edit(store, 'workload-low', (level) => annotated(withShares(level), 'false'))
    expect(reconcile(kept, VERSION)).toBe(kept)
  })

  test('deletes objects that only claim to be built in', () => {
    const { levels, schemas } = builtInObjects(VERSION)
    const own = (name: string, value: string) =>
      annotated({ metadata: { name }, spec: levels[0]?.spec ?? { type: '' } }, value)
    const after = reconcile({ levels: [...levels, own('mine', 'true'), own('yours', 'false')], schemas }, VERSION)
    expect(named(after, 'mine')).toBeUndefined()
    expect(named(after, 'yours')).toBeDefined()
  })

  test('has nothing left to do when repeated', () => {
    const store = stored()
    edit(store, 'workload-low', withShares)
    edit(store, 'catch-all', (level) => annotated(level, 'no'))
    const after = store.replace(reconcile(store.objects, VERSION))
    expect(reconcile(after, VERSION)).toBe(after)
  })
})
