import fc from 'fast-check'
import type {
  FlowSchema,
  ObjectSet,
  PolicyRules,
  PriorityLevelConfiguration,
  Subject,
} from '../../../core/config/objects.ts'
import type { RequestSample } from '../../../core/contract/objects.ts'

/**
 * Configurations and requests in which much matches and much does not: few names, taken by both, wildcards where they
 * count and where they do not, and what validation would refuse.
 */
const name = fc.constantFrom('a', 'b', 'a:b', '*', 'system:serviceaccount:a:b', '')
const groupName = fc.constantFrom('a', 'b', '*', 'system:masters', 'system:authenticated')
const subject: fc.Arbitrary<Subject> = fc.oneof(
  fc.record({ kind: fc.constant('User'), user: fc.record({ name }) }),
  fc.record({ kind: fc.constant('Group'), group: fc.record({ name: groupName }) }),
  fc.record({ kind: fc.constant('ServiceAccount'), serviceAccount: fc.record({ namespace: name, name }) }),
  fc.record({ kind: fc.constantFrom('User', 'Group', 'ServiceAccount', 'Else') }),
)

const namesOf = (...names: readonly string[]): fc.Arbitrary<string[]> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<string[]>(['*']) },
    { weight: 3, arbitrary: fc.array(fc.constantFrom('*', '', ...names), { maxLength: 3 }) },
  )
const verbs = namesOf('get', 'list', 'create', 'delete', 'post')
const url = fc.constantFrom('*', '/', '/*', '/healthz', '/healthz/*', '/healthz/', '')

export const rules: fc.Arbitrary<PolicyRules> = fc.record({
  subjects: fc.array(subject, { maxLength: 3 }),
  resourceRules: fc.array(
    fc.record({
      verbs,
      apiGroups: namesOf('apps'),
      resources: namesOf('pods', 'pods/status', 'namespaces', 'a'),
      namespaces: namesOf('a', 'b'),
      clusterScope: fc.boolean(),
    }),
    { maxLength: 2 },
  ),
  nonResourceRules: fc.array(fc.record({ verbs, nonResourceURLs: fc.array(url, { maxLength: 3 }) }), { maxLength: 2 }),
})

const LEVELS = ['first', 'second', 'single', 'rejecting', 'exempt', 'catch-all'] as const

const level = (levelName: (typeof LEVELS)[number]): PriorityLevelConfiguration => {
  const metadata = { name: levelName, uid: `level-${levelName}` }
  if (levelName === 'exempt') return { metadata, spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0 } } }
  const queues = { first: 64, second: 128, single: 1, rejecting: 0, 'catch-all': 0 }[levelName]
  const limitResponse =
    queues === 0
      ? { type: 'Reject' }
      : { type: 'Queue', queuing: { queues, handSize: Math.min(queues, 6), queueLengthLimit: 50 } }
  return { metadata, spec: { type: 'Limited', limited: { nominalConcurrencyShares: 30, limitResponse } } }
}

const schema = fc.record({
  priorityLevel: fc.constantFrom(...LEVELS, 'missing'),
  precedence: fc.integer({ min: 1, max: 9 }),
  distinguisher: fc.constantFrom('ByUser', 'ByNamespace', undefined),
  rules: fc.array(rules, { maxLength: 3 }),
})

/** Up to 12 schemas, mandatory ones sometimes among them, on some of six levels. */
export const objectSet: fc.Arbitrary<ObjectSet> = fc
  .record({
    levels: fc.subarray([...LEVELS]),
    schemas: fc.array(schema, { maxLength: 12 }),
    mandatory: fc.subarray(['exempt', 'catch-all']),
  })
  .map(({ levels, schemas, mandatory }) => ({
    levels: levels.map(level),
    schemas: schemas.map((given, index): FlowSchema => {
      const schemaName = mandatory[index] ?? `schema-${index}`
      return {
        metadata: { name: schemaName, uid: `schema-${schemaName}` },
        spec: {
          priorityLevelConfiguration: { name: given.priorityLevel },
          matchingPrecedence: given.precedence,
          ...(given.distinguisher === undefined ? {} : { distinguisherMethod: { type: given.distinguisher } }),
          rules: given.rules,
        },
      }
    }),
  }))

export const requestSample: fc.Arbitrary<RequestSample> = fc.record({
  user: fc.constantFrom(
    'a',
    'b',
    'system:serviceaccount:a:b',
    'system:serviceaccount:a:b:b',
    'system:serviceaccount::',
  ),
  groups: fc.array(fc.constantFrom('a', 'b', 'system:masters', 'system:authenticated'), { maxLength: 2 }),
  method: fc.constantFrom('GET', 'POST', 'DELETE', 'get'),
  url: fc.constantFrom(
    '/healthz',
    '/healthz/etcd',
    '/healthzz',
    '/',
    '/api/v1',
    '/api/v1/pods',
    '/api/v1/pods?watch=1',
    '/api/v1/namespaces/a',
    '/api/v1/namespaces/a/pods/x/status',
    '/api/v1/namespaces/b/pods?limit=x',
    '/apis/apps/v1/namespaces/b/a',
  ),
})
