import { describe, expect, test } from 'vitest'
import { mandatoryLevels, mandatorySchemas } from '../config/builtIn.ts'
import { ObjectStore } from './objects.ts'

const CONFIGURATION = { levels: mandatoryLevels, schemas: mandatorySchemas }

describe('objects of the simulated server', () => {
  test('have a UID that stays, whatever is applied', () => {
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

  test('carry the conditions that the engine wants written', () => {
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
