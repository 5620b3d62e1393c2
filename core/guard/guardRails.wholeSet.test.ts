import { expect, it } from 'vitest'
import { levelFrame, schemaFrame, serverFrame } from '../../test/fixtures/frames.ts'
import { builtInObjects } from '../config/builtIn.ts'
import type { FlowSchema, ObjectSet } from '../config/objects.ts'
import { confirmationsFor, changesBetween } from './changes.ts'
import { wholeSetChecks } from './guardRails.ts'

const VERSION = 'v1.36.3'
const builtIn = builtInObjects(VERSION)
const codes = (objects: ObjectSet) =>
  wholeSetChecks(objects, VERSION).map(({ code, severity }) => `${code} ${severity}`)
const everybody = (name: string, matchingPrecedence: number, level: string): FlowSchema => ({
  metadata: { name },
  spec: {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence,
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: '*' } }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      },
    ],
  },
})

it('finds nothing wrong with the built-in objects, and tells of the loops that they have', () => {
  expect(codes(builtIn)).toEqual([
    'references/passes passes',
    'matching/passes passes',
    'inversion/review expected',
    'inversion/review expected',
    'inversion/webhook expected',
    'reconciler/drift passes',
    'matching/precedence passes',
  ])
})

it('counts what differs from the release, and what is missing', () => {
  const levels = builtIn.levels.filter(({ metadata }) => metadata.name !== 'system')
  const drift = wholeSetChecks({ ...builtIn, levels }, VERSION).find(({ code }) => code === 'reconciler/drift')
  expect(drift).toMatchObject({
    severity: 'expected',
    message: '1 built-in object differs from the server’s release.',
    evidence: ['missing: system'],
  })
  // The two additional schemas of releases up to 1.33.
  const older = wholeSetChecks(builtIn, 'v1.33.4').find(({ code }) => code === 'reconciler/drift')
  expect(older?.objects).toHaveLength(2)
})

it('tells dangling and unreachable schemas and ties', () => {
  const schemas = [
    ...builtIn.schemas,
    everybody('a', 9_950, 'nowhere'),
    everybody('b', 9_950, 'system'),
    everybody('c', 9_950, 'system'),
  ]
  const found = codes({ ...builtIn, schemas })
  expect(found).toContain('references/dangling warns')
  expect(found.filter((code) => code === 'matching/shadowed warns')).toHaveLength(2)
  expect(found).toContain('matching/same-precedence warns')
})

it('asks for names of built-in objects, of what is deleted and of what holds requests', () => {
  const own = (shares: number) => ({
    metadata: { name: 'own' },
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: shares, limitResponse: { type: 'Reject' } } },
  })
  const before = {
    ...builtIn,
    levels: [...builtIn.levels, own(5)],
    schemas: [...builtIn.schemas, everybody('mine', 500, 'own')],
  }
  const after = {
    levels: [
      ...builtIn.levels.filter(({ metadata }) => metadata.name !== 'system'),
      own(6),
      { ...own(1), metadata: { name: 'new' } },
    ],
    schemas: builtIn.schemas,
  }
  const changes = changesBetween(before, after)
  expect(changes.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'PriorityLevelConfiguration new',
    'PriorityLevelConfiguration own',
    'PriorityLevelConfiguration system',
    'FlowSchema mine',
  ])
  const idle = confirmationsFor(changes, { version: VERSION })
  expect(idle.map(({ name }) => name)).toEqual(['system', 'mine'])
  const busy = serverFrame(0, [levelFrame('own', [schemaFrame('mine', { requests: { executing: 2, queued: 1 } })])])
  const asked = confirmationsFor(changes, { version: VERSION, servers: [busy] })
  expect(asked.find(({ name }) => name === 'own')?.reasons).toEqual([
    'own holds 2 executing and 1 queued requests now.',
  ])
  expect(asked.find(({ name }) => name === 'system')?.reasons).toEqual([
    'system is one of Kubernetes’ own objects.',
    'system is deleted.',
  ])
})

it('names the requests that only catch-all takes', () => {
  const uncovered = (schemas: typeof builtIn.schemas) =>
    wholeSetChecks({ ...builtIn, schemas }, VERSION).find(({ code }) => code === 'matching/uncovered')?.evidence
  expect(uncovered(builtIn.schemas)).toBeUndefined()
  const without = builtIn.schemas.filter(({ metadata }) => metadata.name !== 'global-default')
  expect(uncovered(without)).toEqual([
    'other resources in namespaces for system:unauthenticated',
    'other resources in namespaces for system:authenticated',
    'other cluster-wide resources for system:unauthenticated',
    'other cluster-wide resources for system:authenticated',
    'other paths for system:unauthenticated',
    'other paths for system:authenticated',
  ])
})
