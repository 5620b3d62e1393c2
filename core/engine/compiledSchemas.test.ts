import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classify } from '../classify/flowSchemas.ts'
import type { RequestDigest } from '../classify/match.ts'
import { requestInfo } from '../classify/requestInfo.ts'
import { mandatorySchemas } from '../config/builtIn.ts'
import type { FlowSchema, PolicyRules, Subject } from '../config/objects.ts'
import { CompiledSchemas } from './compiledSchemas.ts'

const name = fc.constantFrom('a', 'b', 'a:b', '*', 'system:serviceaccount:a:b', '')
const names = fc.array(fc.constantFrom('*', 'get', 'list', 'pods', 'pods/status', '', 'apps', 'a', 'b'), {
  maxLength: 3,
})
const subject: fc.Arbitrary<Subject> = fc.oneof(
  fc.record({ kind: fc.constant('User'), user: fc.record({ name }) }),
  fc.record({ kind: fc.constant('Group'), group: fc.record({ name }) }),
  fc.record({ kind: fc.constant('ServiceAccount'), serviceAccount: fc.record({ namespace: name, name }) }),
  fc.record({ kind: fc.constantFrom('User', 'Group', 'ServiceAccount', 'Else') }),
)
const url = fc.constantFrom('*', '/', '/*', '/healthz', '/healthz/*', '/healthz/', '')
const rules: fc.Arbitrary<PolicyRules> = fc.record({
  subjects: fc.array(subject, { maxLength: 3 }),
  resourceRules: fc.array(
    fc.record({ verbs: names, apiGroups: names, resources: names, namespaces: names, clusterScope: fc.boolean() }),
    { maxLength: 2 },
  ),
  nonResourceRules: fc.array(fc.record({ verbs: names, nonResourceURLs: fc.array(url, { maxLength: 3 }) }), {
    maxLength: 2,
  }),
})
// Enough rules for several words of the index.
const schemas: fc.Arbitrary<readonly FlowSchema[]> = fc
  .array(fc.array(rules, { maxLength: 3 }), { maxLength: 60 })
  .map((all) =>
    all.map((some, i) => ({
      metadata: { name: `schema-${i}` },
      spec: { priorityLevelConfiguration: { name: 'level' }, matchingPrecedence: 1 + i, rules: some },
    })),
  )
const digest: fc.Arbitrary<RequestDigest> = fc
  .record({
    user: fc.constantFrom(
      'a',
      'b',
      'system:serviceaccount:a:b',
      'system:serviceaccount:a:b:b',
      'system:serviceaccount::',
    ),
    groups: fc.array(fc.constantFrom('a', 'b', 'system:masters', 'system:authenticated'), { maxLength: 2 }),
    method: fc.constantFrom('GET', 'POST'),
    path: fc.constantFrom(
      '/healthz',
      '/healthz/etcd',
      '/healthzz',
      '/',
      '/api/v1/pods',
      '/api/v1/namespaces/a/pods/x/status',
      '/apis/apps/v1/namespaces/b/a',
    ),
  })
  .map(({ user, groups, method, path }) => ({
    user: { name: user, groups },
    info: requestInfo(method, { path, query: new Map() }).info,
  }))

test('compiled schemas classify as the plain ones do', () => {
  fc.assert(
    fc.property(schemas, fc.array(digest, { minLength: 1, maxLength: 20 }), (given, digests) => {
      const order = [...given, ...mandatorySchemas]
      const compiled = new CompiledSchemas(order, ({ metadata }) => metadata.name)
      for (const each of digests) expect(compiled.classify(each)).toBe(classify(order, each).metadata.name)
    }),
    { numRuns: 500 },
  )
})
