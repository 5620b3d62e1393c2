import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { identityOf } from '../classify/identity.ts'
import { parseRequestTarget } from '../request/requestTarget.ts'
import { requestInfo } from '../request/requestInfo.ts'
import { type RequestDigest } from '../request/match.ts'
import { assuredLimits, classifyByDraft, matchesAny } from './classifyDraft.ts'
import type { Atom, DraftSet } from './draftObjects.ts'
import { EXAMPLE } from './examples.ts'
import { compilePattern } from './pattern.ts'
import { readDraft } from './readDraft.ts'

const example = readDraft(EXAMPLE, 'kep.yaml')

function digestOf(user: string, groups: readonly string[], request: string): RequestDigest {
  const [method = '', url = ''] = request.split(' ')
  const target = parseRequestTarget(url)
  if (target === undefined) throw new Error(url)
  return { user: { name: user, groups }, info: requestInfo(method, target).info }
}

const MASTERS = ['system:masters', 'system:authenticated']
const NODE = ['system:node:127.0.0.1', ['system:nodes', 'system:authenticated']] as const
const SCHEDULER = ['system:kube-scheduler', ['system:authenticated']] as const
const CONTROLLERS = ['system:kube-controller-manager', ['system:authenticated']] as const
const account = (namespace: string, name: string) => {
  const user = `system:serviceaccount:${namespace}:${name}`
  return [user, identityOf(user).groups] as const
}
const KOS = account('example-com', 'kos-controller-manager')

/** The requests that the KEP observed. Numbers are those of section 3 of the scenarios specification. */
describe('the observed requests under the example of the draft', () => {
  test.each([
    [
      1,
      'system:apiserver',
      MASTERS,
      'GET /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
      'system-top',
      'system-top',
      '',
    ],
    [4, ...CONTROLLERS, 'POST /apis/authentication.k8s.io/v1/tokenreviews', 'workload-high', 'workload-high', ''],
    [
      5,
      ...account('example-com', 'network-apiserver'),
      'POST /apis/authorization.k8s.io/v1/subjectaccessreviews',
      'system-top-2',
      'system-top',
      '',
    ],
    [6, 'system:admin', MASTERS, 'GET /openapi/v2', 'system-top', 'system-top', ''],
    [8, ...NODE, 'PATCH /api/v1/nodes/127.0.0.1/status', 'system-high', 'system-high', 'system:node:127.0.0.1'],
    [
      9,
      ...NODE,
      'PUT /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/a',
      'workload-high',
      'workload-high',
      'kube-node-lease',
    ],
    [10, ...CONTROLLERS, 'GET /apis/coordination.k8s.io/v1/leases', 'workload-high', 'workload-high', ''],
    [
      12,
      ...account('kube-system', 'deployment-controller'),
      'PUT /apis/apps/v1/namespaces/kube-system/deployments/a/status',
      'workload-low',
      'workload-high',
      'kube-system',
    ],
    [
      13,
      ...account('example-com', 'default'),
      'GET /api/v1/namespaces/example-com/pods',
      'workload-low',
      'workload-high',
      'example-com',
    ],
    [
      15,
      ...SCHEDULER,
      'POST /api/v1/namespaces/example-com/pods/a/binding',
      'workload-high',
      'workload-high',
      'example-com',
    ],
    [16, ...account('kube-system', 'pod-garbage-collector'), 'GET /api/v1/nodes', 'workload-low', 'workload-high', ''],
    [17, ...account('kube-system', 'generic-garbage-collector'), 'GET /api', 'workload-low', 'workload-high', ''],
    [19, ...SCHEDULER, 'GET /apis/storage.k8s.io/v1/storageclasses', 'workload-high', 'workload-high', ''],
    [
      21,
      ...SCHEDULER,
      'PUT /api/v1/namespaces/kube-system/pods/a/status',
      'workload-high',
      'workload-high',
      'kube-system',
    ],
    [23, ...NODE, 'PATCH /api/v1/namespaces/default/pods/a/status', 'workload-high', 'workload-high', 'default'],
    [24, ...KOS, 'GET /apis/network.example.com/v1alpha1/subnets', 'workload-low', 'workload-high', ''],
    [
      26,
      ...KOS,
      'PUT /apis/network.example.com/v1alpha1/namespaces/default/subnets/a',
      'workload-low',
      'workload-high',
      'default',
    ],
    [31, 'system:unsecured', MASTERS, 'GET /healthz/zzz', 'system-top', 'system-top', ''],
    [32, 'system:unsecured', MASTERS, 'GET /api/v1/namespaces/fooobar', 'system-top', 'system-top', ''],
  ] as const)('row %i: %s %s %s', (_, user, groups, request, schema, level, distinguisher) => {
    const found = classifyByDraft(example, digestOf(user, groups, request))
    expect({ ...found, level: found.level.name }).toEqual({ schema, level, distinguisher, backstop: false })
  })
})

test('gives levels their part of the server limit, rounded up', () => {
  expect([...assuredLimits(example, 600)]).toEqual([
    ['system-high', 231],
    ['system-low', 70],
    ['workload-high', 70],
    ['workload-low', 231],
  ])
})

test('imagines what a configuration lacks', () => {
  const nothing: DraftSet = { levels: [], schemas: [] }
  const get = 'GET /api/v1/pods'
  expect(classifyByDraft(nothing, digestOf('a', MASTERS, get))).toMatchObject({
    schema: 'system-top',
    level: { exempt: true },
    backstop: true,
  })
  expect(classifyByDraft(nothing, digestOf('a', [], get))).toMatchObject({
    schema: 'non-top-backstop',
    level: { name: 'workload-low' },
    distinguisher: 'a',
    backstop: true,
  })
  const bare = { ...example, schemas: [] }
  expect(classifyByDraft(bare, digestOf('a', [], get)).level).toBe(example.levels[4])
})

test('takes the tenant from the name of a user', () => {
  const compiled = compilePattern('^([^-]*)-.*$')
  if (!('pattern' in compiled)) throw new Error('it compiles')
  const [, level] = example.levels
  if (level === undefined) throw new Error('there are levels')
  const tenants: DraftSet = {
    levels: [level],
    schemas: [
      {
        name: 's',
        level: level.name,
        matchingPriority: 1,
        match: [[]],
        flowDistinguisher: { source: 'user', transform: compiled.pattern },
      },
    ],
  }
  const flow = (user: string): string => classifyByDraft(tenants, digestOf(user, [], 'GET /api')).distinguisher
  expect(['blue-a', 'blue-b', 'red-a', 'nobody'].map(flow)).toEqual(['blue', 'blue', 'red', ''])
})

const VALUES = ['a', 'b']
const fieldAndTest: fc.Arbitrary<Atom> = fc.oneof(
  fc.record({
    field: fc.constantFrom('user', 'namespace', 'verb'),
    negated: fc.boolean(),
    test: fc.constant('equals'),
    value: fc.constantFrom(...VALUES),
  }),
  fc.record({
    field: fc.constantFrom('user', 'namespace'),
    negated: fc.boolean(),
    test: fc.constant('inSet'),
    set: fc.subarray(VALUES),
  }),
  fc.record({
    field: fc.constantFrom('groups', 'namespace'),
    negated: fc.boolean(),
    test: fc.constant('superSet'),
    set: fc.subarray(VALUES),
  }),
)

test('predicates are true where the table of their tests says so, and inverse tests are complements', () => {
  const requests = fc.record({
    user: fc.constantFrom<string>('a', 'b', 'c'),
    groups: fc.subarray<string>(['a', 'b', 'c']),
    namespace: fc.constantFrom('', 'a', 'b', 'c'),
  })
  fc.assert(
    fc.property(
      fc.array(fc.array(fieldAndTest, { maxLength: 3 }), { maxLength: 3 }),
      requests,
      (match, { user, groups, namespace }) => {
        const request = digestOf(
          user,
          groups,
          namespace === '' ? 'GET /healthz' : `GET /api/v1/namespaces/${namespace}/pods/x`,
        )
        const attributes: Readonly<Record<string, readonly string[] | undefined>> = {
          user: [user],
          groups,
          namespace: namespace === '' ? undefined : [namespace],
          verb: ['get'],
        }
        const truth = (atom: Atom): boolean => {
          const has = attributes[atom.field]
          const wants = atom.test === 'equals' ? [atom.value] : atom.test === 'patternMatch' ? [] : atom.set
          const holds =
            has !== undefined &&
            (atom.test === 'superSet'
              ? wants.every((one) => has.includes(one))
              : has.some((one) => wants.includes(one)))
          return holds !== atom.negated
        }
        expect(matchesAny(match, request)).toBe(match.some((atoms) => atoms.every(truth)))
        for (const atom of match.flat()) {
          expect(matchesAny([[atom]], request)).toBe(!matchesAny([[{ ...atom, negated: !atom.negated }]], request))
        }
      },
    ),
  )
})
