import { describe, expect, test, it } from 'vitest'
import fc from 'fast-check'
import { validFlowSchemaArbitrary, validLevelArbitrary } from '../../test/fixtures/configObjects.ts'
import {
  manifestOf,
  sameContent,
  shownObject,
  versionOf,
  withoutNulls,
  createObjectVersions,
  configDiff,
  specEquals,
} from './content.ts'
import { builtInObjects } from './builtIn.ts'
import {
  defaultFlowSchema,
  defaultLevel,
  type FlowSchema,
  type ObjectSet,
  type PriorityLevelConfiguration,
} from './objects.ts'

const OBJECT = {
  metadata: {
    name: 'a',
    uid: 'u',
    resourceVersion: '7',
    generation: 3,
    labels: { team: 'blue' },
    annotations: {},
    managedFields: [{ manager: 'kubectl' }],
  },
  spec: { type: 'Limited' },
  status: { conditions: [] },
}

describe('the content of an object', () => {
  test('is what people wrote of it', () => {
    expect(manifestOf('FlowSchema', OBJECT)).toEqual({
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name: 'a', labels: { team: 'blue' } },
      spec: { type: 'Limited' },
    })
  })

  test('does not depend on what the server keeps', () => {
    expect(sameContent(OBJECT, manifestOf('FlowSchema', OBJECT))).toBe(true)
    const written = { ...OBJECT, status: {}, metadata: { labels: { team: 'blue' }, annotations: null } }
    expect(sameContent(OBJECT, written)).toBe(true)
  })

  test.each([
    ['the spec', { ...OBJECT, spec: { type: 'Exempt' } }],
    ['a label', { ...OBJECT, metadata: { labels: { team: 'red' } } }],
    ['an annotation', { ...OBJECT, metadata: { ...OBJECT.metadata, annotations: { a: '' } } }],
    ['an owner', { ...OBJECT, metadata: { ...OBJECT.metadata, ownerReferences: [{ name: 'x' }] } }],
    ['everything', {}],
  ])('differs by %s', (_what, other) => {
    expect(sameContent(OBJECT, other)).toBe(false)
  })

  test('is shown with its kind and without sets of fields', () => {
    const shown = shownObject('FlowSchema', OBJECT)
    expect(shown).toMatchObject({ kind: 'FlowSchema', metadata: { uid: 'u' }, status: { conditions: [] } })
    expect(JSON.stringify(shown)).not.toContain('managedFields')
  })

  test('has a version only where a server keeps it', () => {
    expect(versionOf(OBJECT)).toEqual({ uid: 'u', resourceVersion: '7' })
    expect(versionOf({ metadata: { uid: 'u' } })).toBeUndefined()
    expect(versionOf({})).toBeUndefined()
  })

  test('loses nulls at any depth, and nothing else', () => {
    expect(withoutNulls({ a: null, b: [{ c: null, d: 0 }, null], e: { f: '' } })).toEqual({
      b: [{ d: 0 }, null],
      e: { f: '' },
    })
  })
})

const object = (resourceVersion: string, shares: number, status = '') => ({
  metadata: { uid: 'u', resourceVersion },
  spec: { shares },
  status: { conditions: [{ status }] },
})

test('an object of an earlier version said the same while only its status was written', () => {
  const versions = createObjectVersions()
  versions.see(object('1', 5))
  versions.see(object('2', 5, 'True'))
  versions.see(object('3', 6, 'True'))
  const base = (resourceVersion: string, uid = 'u') => ({ uid, resourceVersion })
  expect(versions.saidTheSame(base('1'), object('2', 5, 'True'))).toBe(true)
  expect(versions.saidTheSame(base('1'), object('3', 6))).toBe(false)
  expect(versions.saidTheSame(base('0'), object('1', 5))).toBe(false)
  expect(versions.saidTheSame(base('1', 'another'), object('1', 5))).toBe(false)
})

test('the oldest versions are forgotten', () => {
  const versions = createObjectVersions()
  for (let version = 0; version <= 12_000; version++) versions.see(object(String(version), 5))
  const said = (version: number) => versions.saidTheSame({ uid: 'u', resourceVersion: String(version) }, object('x', 5))
  expect([said(0), said(1), said(12_000)]).toEqual([false, true, true])
})

const set = (levels: readonly PriorityLevelConfiguration[], schemas: readonly FlowSchema[] = []): ObjectSet => ({
  levels,
  schemas,
})
const level = (limited: object, annotations?: Record<string, string>): PriorityLevelConfiguration => ({
  metadata: { name: 'a', ...(annotations && { annotations }) },
  spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...limited } },
})

describe('configDiff', () => {
  it('finds nothing between a configuration and the same with its defaults', () => {
    fc.assert(
      fc.property(fc.array(validLevelArbitrary), fc.array(validFlowSchemaArbitrary), (levels, schemas) => {
        const defaulted = set(levels.map(defaultLevel), schemas.map(defaultFlowSchema))
        expect(configDiff(set(levels, schemas), defaulted)).toEqual([])
      }),
    )
  })

  it('finds the same differences both ways, the other way round', () => {
    fc.assert(
      fc.property(validLevelArbitrary, validLevelArbitrary, (one, other) => {
        const same = { ...other, metadata: { ...other.metadata, name: one.metadata.name } }
        const there = configDiff(set([one]), set([same]))
        const back = configDiff(set([same]), set([one]))
        const turned = back.map((difference) =>
          difference.change === 'changed'
            ? { ...difference, fields: difference.fields.map(({ field, from, to }) => ({ field, from: to, to: from })) }
            : difference,
        )
        const byField = (differences: typeof there): unknown =>
          differences.map((difference) =>
            difference.change === 'changed'
              ? { ...difference, fields: difference.fields.toSorted((a, b) => (a.field < b.field ? -1 : 1)) }
              : difference,
          )
        expect(byField(turned)).toEqual(byField(there))
      }),
    )
  })

  it('names each changed field with its defaulted values', () => {
    const before = set([level({ lendablePercent: 0 }, { team: 'x', old: 'y' })])
    const after = set([level({ nominalConcurrencyShares: 40, borrowingLimitPercent: 50 }, { team: 'z' })])
    expect(configDiff(before, after)).toEqual([
      {
        change: 'changed',
        kind: 'PriorityLevelConfiguration',
        name: 'a',
        fields: [
          { field: 'metadata.annotations[team]', from: 'x', to: 'z' },
          { field: 'metadata.annotations[old]', from: 'y', to: undefined },
          { field: 'spec.limited.nominalConcurrencyShares', from: 30, to: 40 },
          { field: 'spec.limited.borrowingLimitPercent', from: undefined, to: 50 },
        ],
      },
    ])
  })

  it('tells entries of lists of one length apart, and lists of different lengths as a whole', () => {
    const schema = (verbs: readonly string[], urls: readonly string[]): FlowSchema => ({
      metadata: { name: 's' },
      spec: {
        priorityLevelConfiguration: { name: 'a' },
        matchingPrecedence: 5,
        rules: [{ subjects: [], nonResourceRules: [{ verbs, nonResourceURLs: urls }] }],
      },
    })
    const [difference] = configDiff(set([], [schema(['get'], ['/a'])]), set([], [schema(['put'], ['/a', '/b'])]))
    const at = 'spec.rules[0].nonResourceRules[0]'
    expect(difference).toMatchObject({
      fields: [
        { field: `${at}.verbs[0]`, from: 'get', to: 'put' },
        { field: `${at}.nonResourceURLs`, from: ['/a'], to: ['/a', '/b'] },
      ],
    })
  })

  it('shows what 1.34 dropped, sorted by kind and name', () => {
    expect(configDiff(builtInObjects('v1.34.0'), builtInObjects('v1.33.0'))).toEqual([
      { change: 'added', kind: 'FlowSchema', name: 'endpoint-controller' },
      { change: 'added', kind: 'FlowSchema', name: 'workload-leader-election' },
    ])
    expect(configDiff(set([level({})]), set([]))).toEqual([
      { change: 'removed', kind: 'PriorityLevelConfiguration', name: 'a' },
    ])
  })
})

describe('specEquals', () => {
  it('takes null and empty lists for absent, but no empty object, 0 or false', () => {
    expect(specEquals({ a: 1, b: null, c: [], d: { e: null } }, { d: {}, a: 1 })).toBe(true)
    for (const value of [{}, 0, '', [0], true]) expect(specEquals({ a: value }, {})).toBe(false)
    expect(specEquals({ clusterScope: false }, {})).toBe(true)
    expect(specEquals({ a: [1, 2] }, { a: [2, 1] })).toBe(false)
    expect(specEquals({ a: [] }, { a: {} })).toBe(false)
    expect(specEquals(JSON.parse('{"__proto__":1}'), {})).toBe(false)
  })

  it('is an equivalence that the order of members does not change', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (one, other) => {
        const turned = Object.fromEntries(Object.entries(one).toReversed())
        expect(specEquals(one, turned)).toBe(true)
        expect(specEquals(one, other)).toBe(specEquals(other, one))
      }),
    )
  })
})
