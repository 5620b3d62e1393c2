import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkObject } from '../config/checkObject.ts'
import { cleanManifest } from '../manifest/write.ts'
import { matchesFlowSchema } from '../request/match.ts'
import { requestInfo } from '../request/requestInfo.ts'
import { parseRequestTarget } from '../request/requestTarget.ts'
import { matchesAny } from './classifyDraft.ts'
import { convertDraft } from './convertDraft.ts'
import type { Atom, DraftSet } from './draftObjects.ts'
import { EXAMPLE } from './examples.ts'
import { compilePattern, type Pattern } from './pattern.ts'
import { readDraft } from './readDraft.ts'

const converted = convertDraft(readDraft(EXAMPLE, 'kep.yaml'))

test('converts the example of the draft with the losses of the specification', () => {
  expect(converted.losses.map(({ code, object, atom }) => `${code} ${object}: ${atom}`)).toEqual([
    'L2 FlowSchema system-high: user patternMatch system:controller:.*',
    'L1 FlowSchema workload-high: user notPatternMatch system:serviceaccount:.*',
    'L6 RequestPriority workload-low: ',
  ])
  expect(converted.levels.map(({ metadata }) => metadata.name)).toEqual([
    'system-high',
    'system-low',
    'workload-high',
    'workload-low',
  ])
  expect(converted.levels[1]?.spec.limited).toEqual({
    nominalConcurrencyShares: 30,
    lendablePercent: 0,
    borrowingLimitPercent: 0,
    limitResponse: { type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit: 1_000 } },
  })
  const brief = converted.schemas.map(({ metadata, spec }) => [
    metadata.name,
    spec.matchingPrecedence,
    spec.priorityLevelConfiguration.name,
    spec.distinguisherMethod?.type,
    spec.rules?.length,
  ])
  expect(brief).toEqual([
    ['system-low', 900, 'system-low', undefined, 1],
    ['system-top-2', 900, 'exempt', undefined, 1],
    ['system-high', 1_000, 'system-high', 'ByUser', 2],
    ['system-top', 1_000, 'exempt', undefined, 1],
    ['workload-low', 9_999, 'workload-high', 'ByNamespace', 1],
    ['workload-low-catch-all', 9_999, 'workload-low', 'ByUser', 1],
  ])
})

test('makes objects that a server takes', () => {
  for (const level of converted.levels) {
    expect(checkObject(cleanManifest('PriorityLevelConfiguration', level), 'v1.36').findings).toEqual([])
  }
  for (const schema of converted.schemas) {
    expect(checkObject(cleanManifest('FlowSchema', schema), 'v1.36').findings).toEqual([])
  }
})

const [, high] = readDraft(EXAMPLE, 'kep.yaml').levels
if (high === undefined) throw new Error('the example has levels')
const setOf = (
  ...schemas: readonly { readonly match: readonly (readonly Atom[])[]; readonly priority?: number }[]
): DraftSet => ({
  levels: [high],
  schemas: schemas.map(({ match, priority = 1_000 }, index) => ({
    name: `s${index}`,
    level: high.name,
    matchingPriority: priority,
    match,
  })),
})
const pattern = (source: string): Pattern => {
  const compiled = compilePattern(source)
  if (!('pattern' in compiled)) throw new Error(source)
  return compiled.pattern
}
const equals = (field: Atom['field'], value: string, negated = false): Atom => ({
  test: 'equals',
  field,
  negated,
  value,
})
const lossesOf = (atoms: readonly Atom[]): readonly string[] =>
  convertDraft(setOf({ match: [atoms] })).losses.map(({ code }) => code)

test.each<readonly [string, readonly Atom[]]>([
  ['L1', [equals('user', 'a', true)]],
  ['L2', [{ test: 'patternMatch', field: 'user', negated: false, pattern: pattern('a.*b') }]],
  ['L3', [equals('user', 'a'), { test: 'superSet', field: 'groups', negated: false, set: ['g'] }]],
  ['L4', [{ test: 'superSet', field: 'groups', negated: false, set: ['g', 'h'] }]],
  ['L9', [equals('subresource', 'status')]],
])('%s leaves the conjunction out', (code, atoms) => {
  const { schemas, losses } = convertDraft(setOf({ match: [atoms] }))
  expect(losses.map((loss) => loss.code)).toEqual([code])
  expect(schemas).toEqual([])
})

test('leaves a negated test out only where an earlier schema takes what it excludes', () => {
  const excluded = equals('user', 'a')
  const rest = [equals('user', 'a', true), equals('verb', 'list')]
  const { schemas, losses } = convertDraft(
    setOf({ match: [[excluded]], priority: 10 }, { match: [rest], priority: 20 }),
  )
  expect(losses).toEqual([expect.objectContaining({ code: 'L1', instead: expect.stringMatching(/^Not needed/) })])
  expect(schemas).toHaveLength(2)
})

test('reports other losses: flows, flags, levels and precedences', () => {
  const exempt = { ...high, name: 'e', exempt: true }
  const { losses } = convertDraft({
    levels: [{ ...high, assuredConcurrencyShares: 0 }, exempt, { ...exempt, name: 'f' }],
    schemas: [
      {
        name: 'x',
        level: high.name,
        matchingPriority: 20_000,
        match: [[]],
        flowDistinguisher: { source: 'user', transform: pattern('(a).*') },
      },
      { name: 'y', level: high.name, matchingPriority: 30_000, match: [[]] },
    ],
  })
  expect(losses.map(({ code, object }) => `${code} ${object}`)).toEqual([
    'L10 RequestPriority system-high',
    'L7 RequestPriority f',
    'L5 FlowSchema x',
    'L8 FlowSchema x',
    'L8 FlowSchema y',
  ])
})

test('knows service accounts, groups of them, single texts and folders of paths', () => {
  const rulesOf = (...atoms: readonly Atom[]) => convertDraft(setOf({ match: [atoms] })).schemas[0]?.spec.rules?.[0]
  const matching = (field: Atom['field'], source: string): Atom => ({
    test: 'patternMatch',
    field,
    negated: false,
    pattern: pattern(source),
  })
  expect(rulesOf(equals('user', 'system:serviceaccount:a:b'))?.subjects).toEqual([
    { kind: 'ServiceAccount', serviceAccount: { namespace: 'a', name: 'b' } },
  ])
  expect(rulesOf(matching('user', 'system:serviceaccount:a:.*'))?.subjects).toEqual([
    { kind: 'Group', group: { name: 'system:serviceaccounts:a' } },
  ])
  expect(rulesOf(matching('verb', 'list'))?.nonResourceRules?.[0]?.verbs).toEqual(['list'])
  expect(rulesOf(matching('path', '/healthz/.*'))).toMatchObject({
    nonResourceRules: [{ nonResourceURLs: ['/healthz/*'] }],
  })
  expect(rulesOf(matching('path', '/healthz.*'))).toBeUndefined()
  expect(rulesOf(matching('resource', '.*'), equals('resource', 'pods'))?.resourceRules?.[0]?.resources).toEqual([
    'pods',
  ])
  expect(rulesOf(equals('path', '/x'), equals('resource', 'pods'))).toBeUndefined()
})

test('never takes a request that the draft does not', () => {
  const names = fc.constantFrom('a', 'b', 'system:serviceaccount:a:b')
  const atom: fc.Arbitrary<Atom> = fc.oneof(
    fc.record({
      test: fc.constant('equals'),
      field: fc.constantFrom('user', 'namespace', 'resource', 'verb', 'apiGroup', 'name'),
      negated: fc.boolean(),
      value: names,
    }),
    fc.record({
      test: fc.constant('inSet'),
      field: fc.constantFrom('user', 'namespace', 'verb'),
      negated: fc.boolean(),
      set: fc.array(names, { maxLength: 2 }),
    }),
    fc.record({
      test: fc.constant('superSet'),
      field: fc.constantFrom('user', 'groups', 'namespace'),
      negated: fc.boolean(),
      set: fc.array(names, { maxLength: 2 }),
    }),
    fc.record({
      test: fc.constant('patternMatch'),
      field: fc.constantFrom('user', 'namespace', 'resource', 'path', 'verb'),
      negated: fc.boolean(),
      pattern: fc.constantFrom('.*', 'a', 'a.*', 'system:serviceaccount:.*', '/a/.*', '/.*').map(pattern),
    }),
  )
  const request = fc.record({
    user: names,
    groups: fc.subarray(['a', 'b', 'system:serviceaccounts', 'system:authenticated']),
    url: fc.constantFrom(
      '/a/b',
      '/a',
      '/b',
      '/api/v1/a',
      '/api/v1/namespaces/a/a',
      '/api/v1/namespaces/b/a/b',
      '/apis/a/v1/b',
    ),
    method: fc.constantFrom('GET', 'POST'),
  })
  fc.assert(
    fc.property(
      fc.array(fc.array(atom, { maxLength: 3 }), { maxLength: 3 }),
      request,
      (match, { user, groups, url, method }) => {
        const target = parseRequestTarget(url)
        if (target === undefined) throw new Error(url)
        // A service account is always in the group of all service accounts, which replaces the pattern.
        const accounts = user.startsWith('system:serviceaccount:')
        const others = groups.filter((group) => group !== 'system:serviceaccounts')
        const digest = {
          user: { name: user, groups: accounts ? [...others, 'system:serviceaccounts'] : others },
          info: requestInfo(method, target).info,
        }
        const taken = convertDraft(setOf({ match })).schemas.some((schema) => matchesFlowSchema(schema, digest))
        if (taken) expect(matchesAny(match, digest)).toBe(true)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('lists every loss once under its own code', () => {
  expect(lossesOf([equals('user', 'a', true), equals('user', 'b', true)])).toEqual(['L1'])
})
