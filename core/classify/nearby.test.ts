import fc from 'fast-check'
import { expect, test } from 'vitest'
import { objectSet, requestSample } from '../../test/harness/classify/arbitraries.ts'
import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../config/builtIn.ts'
import { sameElsewhere } from './elsewhere.ts'
import { explainer } from './explain.ts'
import { whatWouldChange } from './nearby.ts'
import { resolveUids } from './builtInResources.ts'
import { landings, runRequestTests } from './configuration.ts'

const objects = {
  levels: [...mandatoryLevels, ...suggestedLevels],
  schemas: [...mandatorySchemas, ...suggestedSchemas],
}
const scanner = {
  user: 'system:serviceaccount:inventory:scanner',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:inventory', 'system:authenticated'],
  method: 'GET',
  url: '/api/v1/namespaces/tenant-4417/pods?resourceVersion=0',
}

test('the smallest changes that lead elsewhere', () => {
  expect(whatWouldChange(objects, scanner, 4).map(({ change, priorityLevel }) => [change, priorityLevel])).toEqual([
    ['account in namespace kube-system', 'workload-high'],
    ['user in group system:masters', 'exempt'],
    ['not a service account', 'global-default'],
    ['GET /readyz instead', 'exempt'],
  ])
})

test('every nearby request lands where it says, and elsewhere', () => {
  fc.assert(
    fc.property(objectSet, requestSample, (given, request) => {
      const land = landings(given)
      const here = land(request)
      const nearby = whatWouldChange(given, request)
      for (const { request: other, flowSchema, priorityLevel } of nearby) {
        expect(land(other)).toEqual({ ok: true, flowSchema, priorityLevel })
        expect(here.ok && here.flowSchema).not.toBe(flowSchema)
      }
      expect(nearby.length).toBeLessThanOrEqual(6)
    }),
    { numRuns: 200 },
  )
})

test('the seats of other versions', () => {
  const context = { objects: { count: 20_000, averageSize: 4_000 } }
  expect(
    sameElsewhere(objects, scanner, context).map(({ version, rule, seats }) => [version, rule, seats.width]),
  ).toEqual([
    ['v1.30', 'by number of objects, at most 10', 10],
    ['v1.33', 'by number of objects, at most 10', 10],
    ['v1.36', 'by size, at most 37', 10],
  ])
  const fromEtcd = { ...scanner, url: `${scanner.url}&resourceVersionMatch=Exact` }
  expect(sameElsewhere(objects, fromEtcd, context).map(({ seats }) => seats.width)).toEqual([10, 10, 37])
})

test('saved requests keep matching, or do not', () => {
  const expected = { flowSchema: 'service-accounts', priorityLevel: 'workload-low' }
  const results = runRequestTests(objects, [
    { id: '1', label: 'scanner', request: scanner, expect: expected },
    { id: '2', label: 'other level', request: scanner, expect: { ...expected, priorityLevel: 'system' } },
    { id: '3', label: 'new', request: scanner },
    { id: '4', label: 'broken', request: { ...scanner, url: '/%' }, expect: expected },
  ])
  expect(results.map(({ outcome }) => outcome)).toEqual(['passed', 'failed', 'no-expectation', 'unclassifiable'])
  const { levels, schemas } = objects
  const without = { levels, schemas: schemas.filter(({ metadata }) => metadata.name !== 'service-accounts') }
  expect(runRequestTests(without, [{ id: '1', label: '', request: scanner, expect: expected }])[0]).toMatchObject({
    outcome: 'failed',
    actual: { flowSchema: 'global-default', priorityLevel: 'global-default' },
  })
})

test('UIDs of response headers', () => {
  const uid = 'c1d9a7e4-03b7-4f62-b1a8-90e4d2f6577b'
  const [level, schema] = [objects.levels[1], objects.schemas[2]]
  if (level === undefined || schema === undefined) throw new Error('no objects')
  const given = {
    levels: [{ ...level, metadata: { name: 'own-level', uid: '6f0e2b1c-8a41-4d0e-9c55-1d7be0a4f3a2' } }],
    schemas: [{ ...schema, metadata: { name: 'own-schema', uid } }],
  }
  const pasted = `HTTP/2 200\r\nx-kubernetes-pf-flowschema-uid: ${uid}\r\nX-Kubernetes-PF-PriorityLevel-UID: 6f0e2b1c-8a41-4d0e-9c55-1d7be0a4f3a2\r\n`
  expect(resolveUids(given, pasted).map(({ message }) => message)).toEqual([
    'flow schema own-schema',
    'priority level own-level',
  ])
  expect(resolveUids(given, 'c1d9a7e4-03b7').map(({ message }) => message)).toEqual(['flow schema own-schema'])
  expect(resolveUids(given, 'X-Kubernetes-Pf-Flowschema-Uid:')).toMatchObject([
    {
      uid: '',
      header: 'FlowSchema',
      message: 'The header is empty: the server uses its default for a missing built-in flow schema.',
    },
  ])
  expect(resolveUids(given, `X-Kubernetes-PF-PriorityLevel-UID: ${uid}`)).toMatchObject([{ found: [] }])
  expect(resolveUids(given, 'nothing here')).toEqual([])
})

test('what is assumed is said', () => {
  const seats = (context: Parameters<typeof explainer>[1]) => {
    const answer = explainer(objects, context)(scanner)
    return answer.ok ? answer.classification.seats : undefined
  }
  expect(seats({})).toMatchObject({ initial: 1, assumptions: [expect.stringContaining('pods are unknown')] })
  expect(seats({ objects: 'none' })).toMatchObject({ initial: 1, assumptions: [] })
  expect(seats({ objects: { count: 42, averageSize: 3_900, ageSeconds: 12 } })).toMatchObject({
    initial: 2,
    assumptions: [],
  })
  expect(seats({ objects: { count: 42, averageSize: 3_900, ageSeconds: 181 } })).toMatchObject({ initial: 10 })
  expect(seats({ objects: { count: 42 } })?.assumptions).toHaveLength(1)
})
