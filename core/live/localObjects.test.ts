import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import { sameContent } from '../config/content.ts'
import type { ObjectSet, PriorityLevelConfiguration } from '../config/objects.ts'
import { ObjectStore } from '../simulate/objects.ts'
import { LocalObjects } from './localObjects.ts'

const SERVER = new ObjectStore(1).replace(builtInObjects('v1.36.3'))

const withShares = (objects: ObjectSet, name: string, shares: number): ObjectSet => ({
  ...objects,
  levels: objects.levels.map((level) =>
    level.metadata.name === name && level.spec.limited !== undefined
      ? { ...level, spec: { ...level.spec, limited: { ...level.spec.limited, nominalConcurrencyShares: shares } } }
      : level,
  ),
})
const level = ({ levels }: ObjectSet, name: string): PriorityLevelConfiguration | undefined =>
  levels.find(({ metadata }) => metadata.name === name)
const sharesOf = (objects: ObjectSet, name: string): number | undefined =>
  level(objects, name)?.spec.limited?.nominalConcurrencyShares

describe('objects that follow a server', () => {
  it('are the server’s own until one is edited, with their UIDs and versions', () => {
    const local = new LocalObjects(SERVER, () => 'new')
    expect(local.objects).toBe(SERVER)
    expect(local.replace(SERVER)).toEqual(SERVER)
    expect(local.edited).toEqual([])
  })

  it('keep local edits, with the UID of the server and a version of their own', () => {
    const local = new LocalObjects(SERVER, () => 'new')
    const edited = local.replace(withShares(SERVER, 'workload-low', 7))
    const [before, after] = [level(SERVER, 'workload-low'), level(edited, 'workload-low')]
    expect(after?.metadata).toMatchObject({ uid: before?.metadata.uid, resourceVersion: 'local-1' })
    expect(local.edited).toEqual(['workload-low'])
    // Changes on the server come through alongside.
    const followed = local.follow(withShares(withShares(SERVER, 'workload-low', 55), 'system', 99))
    expect([sharesOf(followed, 'workload-low'), sharesOf(followed, 'system')]).toEqual([7, 99])
    // An edit that equals the server's object is no longer an edit.
    local.replace(withShares(followed, 'workload-low', 55))
    expect(local.edited).toEqual([])
    expect(sharesOf(local.follow(SERVER), 'workload-low')).toBe(100)
  })

  it('can be created and deleted', () => {
    const local = new LocalObjects(SERVER, (kind, name) => `${kind}/${name}`)
    const template = level(SERVER, 'workload-low')
    const made: PriorityLevelConfiguration = { metadata: { name: 'mine' }, spec: template?.spec ?? { type: 'Limited' } }
    const without = SERVER.schemas.filter(({ metadata }) => metadata.name !== 'service-accounts')
    const now = local.replace({ levels: [...SERVER.levels, made], schemas: without })
    expect(level(now, 'mine')?.metadata.uid).toBe('PriorityLevelConfiguration/mine')
    expect(local.edited).toEqual(['mine', 'service-accounts'])
    expect(local.follow(SERVER).schemas.map(({ metadata }) => metadata.name)).not.toContain('service-accounts')
    expect(local.replace(SERVER)).toEqual(SERVER)
  })

  it('are no longer edited once the server has the same, whatever is edited before it changes again', () => {
    for (const others of [[], ['catch-all']]) {
      const local = new LocalObjects(SERVER, () => 'new')
      local.replace(withShares(SERVER, 'leader-election', 212))
      local.follow(withShares(SERVER, 'leader-election', 212))
      for (const other of others) local.replace(withShares(local.objects, other, 7))
      local.follow(withShares(SERVER, 'leader-election', 3))
      expect(sharesOf(local.objects, 'leader-election')).toBe(3)
    }
  })

  it('keep the edits, however other objects change on the server', () => {
    const names = SERVER.levels.map(({ metadata }) => metadata.name)
    const edit = fc.record({ name: fc.constantFrom(...names), shares: fc.nat(500), here: fc.boolean() })
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 30 }), (edits) => {
        const local = new LocalObjects(SERVER, () => 'new')
        let theirs = SERVER
        const own = new Map<string, number>()
        for (const { name, shares, here } of edits) {
          if (here) {
            local.replace(withShares(local.objects, name, shares))
            if (sharesOf(theirs, name) === undefined) continue
            if (sharesOf(theirs, name) === shares) own.delete(name)
            else own.set(name, shares)
          } else {
            theirs = withShares(theirs, name, shares)
            local.follow(theirs)
            if (own.get(name) === shares) own.delete(name)
          }
        }
        for (const name of names) {
          expect(sharesOf(local.objects, name)).toBe(own.get(name) ?? sharesOf(theirs, name))
        }
        const untouched = local.objects.schemas.every((schema, at) => {
          const their = theirs.schemas[at]
          return their !== undefined && sameContent({ ...schema }, { ...their })
        })
        expect(untouched).toBe(true)
      }),
    )
  })
})
