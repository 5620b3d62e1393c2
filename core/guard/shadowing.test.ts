import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyingConfiguration } from '../classify/configuration.ts'
import { identityOf } from '../classify/identity.ts'
import { type RequestDigest, type User, matchesFlowSchema } from '../request/match.ts'
import { requestInfo } from '../request/requestInfo.ts'
import { builtInObjects } from '../config/builtIn.ts'
import type { FlowSchema, ObjectSet, PolicyRules, Subject } from '../config/objects.ts'
import { changesBetween, defaulted, railInput, sideOf } from './changes.ts'
import { matchingRail } from './schemaRails.ts'
import { overlap, namesDecideIn, shadowedBy, representatives } from './shadowing.ts'

const builtIn = builtInObjects('v1.36.3')
const group = (name: string): Subject => ({ kind: 'Group', group: { name } })
const user = (name: string): Subject => ({ kind: 'User', user: { name } })
const account = (namespace: string, name: string): Subject => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace, name },
})

const ALL: PolicyRules = {
  subjects: [],
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}
const schema = (name: string, matchingPrecedence: number, ...rules: readonly PolicyRules[]): FlowSchema => ({
  metadata: { name },
  spec: { priorityLevelConfiguration: { name: 'workload-low' }, matchingPrecedence, rules },
})
const everything = (...subjects: readonly Subject[]): PolicyRules => ({ ...ALL, subjects })
const shadowed = (...schemas: readonly FlowSchema[]) =>
  shadowedBy({ ...builtIn, schemas: [...builtIn.schemas, ...schemas] })

describe('shadowedBy', () => {
  it('finds only catch-all among the built-in objects', () => {
    expect(shadowedBy(builtIn)).toEqual([{ schema: 'catch-all', by: ['global-default'] }])
  })

  it('knows that everybody is authenticated or is not', () => {
    const [first] = shadowed(schema('late', 9_950, everything(group('*'))))
    expect(first).toEqual({ schema: 'late', by: ['global-default'] })
    const half = shadowed(
      schema('a', 9_000, everything(group('system:authenticated'))),
      schema('b', 9_001, everything(user('*'))),
    )
    expect(half.map((one) => one.schema)).toEqual(['service-accounts', 'global-default', 'catch-all'])
  })

  it('knows the groups of service accounts and nodes', () => {
    const names = shadowed(
      schema('account', 9_001, everything(account('team', 'app'))),
      schema('accounts', 9_002, everything(account('team', '*'))),
      schema('group', 9_003, everything(group('system:serviceaccounts:team'))),
      schema('node', 600, everything(user('system:node:n1'))),
      schema('person', 9_004, everything(user('alice'))),
    ).map((one) => one.schema)
    expect(names).toEqual(['node', 'account', 'accounts', 'group', 'catch-all'])
  })

  it('puts several earlier schemas together, and names them', () => {
    const part = (name: string, precedence: number, verbs: readonly string[]) =>
      schema(name, precedence, {
        subjects: [user('alice')],
        resourceRules: [{ verbs, apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
      })
    const both = part('both', 1_003, ['get', 'list'])
    expect(shadowed(part('gets', 1_001, ['get']), part('lists', 1_002, ['list']), both)[0]).toEqual({
      schema: 'both',
      by: ['gets', 'lists'],
    })
    expect(
      shadowed(part('gets', 1_001, ['get']), part('lists', 1_002, ['watch']), both).map((one) => one.schema),
    ).not.toContain('both')
    // All existing verbs together are not equivalent to `*`.
    expect(
      shadowed(part('all', 1_001, ['get', 'list']), part('star', 1_002, ['*'])).map((one) => one.schema),
    ).not.toContain('star')
  })

  it('knows that paths cover what lies below them', () => {
    const paths = (name: string, precedence: number, ...nonResourceURLs: readonly string[]) =>
      schema(name, precedence, { subjects: [user('alice')], nonResourceRules: [{ verbs: ['get'], nonResourceURLs }] })
    const names = (...schemas: readonly FlowSchema[]) => shadowed(...schemas).map((one) => one.schema)
    expect(names(paths('a', 1_001, '/metrics'), paths('b', 1_002, '/metrics/slis', '/metrics/*'))).toContain('b')
    expect(names(paths('a', 1_001, '/metrics/*'), paths('b', 1_002, '/metrics'))).not.toContain('b')
    expect(names(paths('a', 1_001, '/'), paths('b', 1_002, '*'))).toContain('b')
  })

  it('tells a schema that matches nothing', () => {
    expect(shadowed(schema('empty', 500))).toContainEqual({ schema: 'empty', by: [] })
    expect(shadowed(schema('subjects-only', 500, { subjects: [user('alice')] }))).toContainEqual({
      schema: 'subjects-only',
      by: [],
    })
  })
})

describe('namesDecideIn', () => {
  const namesDecide = (objects: ObjectSet) => namesDecideIn(sideOf(defaulted(objects)).configuration.order)
  const tied = (a: PolicyRules, b: PolicyRules) =>
    namesDecide({ ...builtIn, schemas: [schema('a', 700, a), schema('b', 700, b)] })

  it('is told only of schemas that match requests in common', () => {
    expect(namesDecide(builtIn)).toEqual([])
    expect(tied(everything(user('alice')), everything(group('devs')))).toEqual([
      { precedence: 700, first: 'a', second: 'b' },
    ])
    expect(tied(everything(user('alice')), everything(user('bob')))).toEqual([])
    expect(tied(everything(user('alice')), everything(group('system:unauthenticated')))).toEqual([])
    expect(tied(everything(account('x', '*')), everything(group('system:serviceaccounts:y')))).toEqual([])
    expect(tied(everything(account('x', '*')), everything(user('system:serviceaccount:x:y')))).toHaveLength(1)
    const gets = { subjects: [user('alice')], nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }] }
    const below = {
      subjects: [user('alice')],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/healthz/etcd'] }],
    }
    expect(tied(gets, below)).toHaveLength(1)
    expect(tied(gets, { ...below, nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/livez'] }] })).toEqual([])
  })
})

// Few possible values, so that schemas often cover one another, and every possible request can be tried.
const NAMES = [
  'alice',
  'system:serviceaccount:x:a',
  'system:serviceaccount:x:b',
  'system:serviceaccount:y:a',
  'system:node:n',
  'system:anonymous',
  'nobody-named',
]
const users: readonly User[] = [
  ...NAMES.flatMap((name) => {
    const { groups } = identityOf(name)
    const free =
      groups.includes('system:serviceaccounts') || name === 'system:anonymous'
        ? [[]]
        : [[], ['devs'], ['ops'], ['devs', 'ops']]
    return free.map((more) => ({ name, groups: [...groups, ...more] }))
  }),
  // Certificates and tokens may contain these groups without such a name.
  ...[['system:serviceaccounts'], ['system:serviceaccounts', 'system:serviceaccounts:x'], ['system:nodes']].map(
    (groups) => ({ name: 'stray', groups: [...groups, 'system:authenticated'] }),
  ),
]
const plain = requestInfo('GET', { path: '/', query: new Map() }).info
const infos = [
  ...['get', 'list', 'other'].flatMap((verb) =>
    ['', 'apps', 'else'].flatMap((apiGroup) =>
      ['pods', 'pods/status', 'rest'].flatMap((entry) =>
        ['', 'x', 'y', 'z'].map((namespace) => {
          const [resource = '', subresource = ''] = entry.split('/')
          return { ...plain, isResource: true, verb, apiGroup, resource, subresource, namespace }
        }),
      ),
    ),
  ),
  ...['get', 'post'].flatMap((verb) =>
    ['/', '/healthz', '/healthz/etcd', '/metrics', '/healthz/else', '/metrics/else', '/else'].map((path) => ({
      ...plain,
      verb,
      path,
    })),
  ),
]
const world: readonly RequestDigest[] = users.flatMap((one) => infos.map((info) => ({ user: one, info })))

const someOf = (...values: readonly string[]) =>
  fc.oneof(fc.constant(['*']), fc.subarray([...values], { minLength: 1 }))
const subject: fc.Arbitrary<Subject> = fc.constantFrom(
  user('alice'),
  user('*'),
  user('system:serviceaccount:x:a'),
  group('devs'),
  group('*'),
  group('system:authenticated'),
  group('system:unauthenticated'),
  group('system:serviceaccounts'),
  group('system:serviceaccounts:x'),
  group('system:nodes'),
  account('x', '*'),
  account('x', 'a'),
)
const rules: fc.Arbitrary<PolicyRules> = fc.record({
  subjects: fc.array(subject, { minLength: 1, maxLength: 3 }),
  resourceRules: fc.array(
    fc.record({
      verbs: someOf('get', 'list'),
      apiGroups: someOf('', 'apps'),
      resources: someOf('pods', 'pods/status'),
      clusterScope: fc.boolean(),
      namespaces: someOf('x', 'y'),
    }),
    { maxLength: 2 },
  ),
  nonResourceRules: fc.array(
    fc.record({
      verbs: someOf('get'),
      nonResourceURLs: someOf('/', '/healthz', '/healthz/*', '/healthz/etcd', '/metrics'),
    }),
    { maxLength: 1 },
  ),
})
const configuration = fc
  .array(fc.tuple(fc.integer({ min: 2, max: 6 }), fc.array(rules, { maxLength: 2 })), { minLength: 2, maxLength: 6 })
  .map((all) =>
    defaulted({
      levels: builtIn.levels,
      schemas: all.map(([precedence, own], index) => schema(`s-${index}`, precedence, ...own)),
    }),
  )

describe('with random schemas', () => {
  it('exactly those are called shadowed that win none of all requests', () => {
    fc.assert(
      fc.property(configuration, (objects) => {
        const { schemaOf } = classifyingConfiguration(objects)
        const winners = new Set(world.map((request) => schemaOf(request).metadata.name))
        const losers = objects.schemas.map(({ metadata }) => metadata.name).filter((name) => !winners.has(name))
        const called = shadowedBy(objects).map((one) => one.schema)
        expect(called.toSorted()).toEqual(losers.toSorted())
      }),
      { numRuns: 200 },
    )
  })

  it('the witnesses alone take all that a shadowed schema matches', () => {
    fc.assert(
      fc.property(configuration, (objects) => {
        for (const { schema: name, by } of shadowedBy(objects)) {
          const kept = objects.schemas.filter(({ metadata }) => metadata.name === name || by.includes(metadata.name))
          const { schemaOf } = classifyingConfiguration({ ...objects, schemas: kept })
          expect(world.map((request) => schemaOf(request).metadata.name)).not.toContain(name)
        }
      }),
      { numRuns: 100 },
    )
  })

  it('an edit is told of exactly those that it makes unreachable', () => {
    fc.assert(
      fc.property(configuration, configuration, fc.nat({ max: 63 }), (before, other, taken) => {
        const moved = other.schemas.filter((_, index) => (taken >> index) % 2 === 1)
        const names = new Set(moved.map(({ metadata }) => metadata.name))
        const stay = before.schemas.filter(({ metadata }) => !names.has(metadata.name))
        const after = { ...before, schemas: [...stay, ...moved] }
        const [was, is] = [before, after].map((objects) => shadowedBy(objects).map((one) => one.schema))
        const changed = new Set(changesBetween(before, after).map(({ name }) => name))
        const expected = is?.filter((name) => changed.has(name) || was?.includes(name) !== true)
        const told = matchingRail(railInput({ before, after, context: { serverLimit: 600, origin: 'files' } })).flatMap(
          ({ code, objects: [first] }) =>
            code === 'matching/shadowed' || code === 'matching/nothing' ? [first?.name] : [],
        )
        expect(told).toEqual(expected)
      }),
      { numRuns: 200 },
    )
  })

  it('every representative matches its own schema', () => {
    fc.assert(
      fc.property(fc.array(rules, { maxLength: 2 }), (own) => {
        const one = schema('s', 5, ...own)
        for (const request of representatives(one)) expect(matchesFlowSchema(one, request)).toBe(true)
      }),
    )
  })

  it('schemas overlap whenever some request matches both', () => {
    fc.assert(
      fc.property(rules, rules, (a, b) => {
        const [x, y] = [schema('a', 5, a), schema('b', 5, b)]
        const common = world.some((request) => matchesFlowSchema(x, request) && matchesFlowSchema(y, request))
        expect(overlap(x, y)).toBe(overlap(y, x))
        if (common) expect(overlap(x, y)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
