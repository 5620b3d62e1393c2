import { expect, test } from 'vitest'
import { mandatoryLevels, mandatorySchemas } from '../../core/config/builtIn.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { NOTHING_READ } from '../ports/objectGateway.ts'
import { createEngineObjects } from './engineObjects.ts'
import type { UpstreamObjects } from './upstreamObjects.ts'

const SERVERS: ObjectSet = { levels: mandatoryLevels, schemas: mandatorySchemas }
const GONE = { code: 'unreachable', message: 'Nothing listens at 127.0.0.1:6443.' } as const

function objectsOf(upstream: Pick<UpstreamObjects, 'objects' | 'problem'>) {
  const configured: ObjectSet[] = []
  const following = {
    reading: { state: 'current', objects: NOTHING_READ },
    target: 'prod',
    targetKey: 'prod',
    version: 'v1.36.3',
    names: new Map(),
    ...upstream,
  } satisfies UpstreamObjects
  const objects = createEngineObjects({
    target: 'proxy in front of prod',
    version: 'v1.36.3',
    upstream: following,
    given: undefined,
    configure: (set) => void configured.push(set),
    now: () => 0,
  })
  return { objects, configured, following }
}

test('the engine has the objects of the server, without a notice', () => {
  const { objects, configured } = objectsOf({ objects: SERVERS, problem: undefined })
  expect(configured).toEqual([SERVERS])
  expect(objects.notes()).toEqual([])
})

test('objects that were never read are the built-in ones, with a notice', () => {
  const { objects, configured } = objectsOf({ objects: undefined, problem: GONE })
  expect(configured[0]?.levels.length).toBeGreaterThan(2)
  expect(objects.notes()).toEqual([
    'Cannot read the objects of the server, so the engine uses the built-in ones of v1.36.3. Nothing listens at 127.0.0.1:6443.',
  ])
})

test('objects that can no longer be read stay in force, with a notice', () => {
  const { objects, configured, following } = objectsOf({ objects: SERVERS, problem: undefined })
  Object.assign(following, { problem: GONE })
  objects.follow()
  expect(configured).toHaveLength(1)
  expect(objects.notes()).toEqual([
    'Cannot read the objects of the server now, so the engine keeps the last ones that were read. Nothing listens at 127.0.0.1:6443.',
  ])
})
