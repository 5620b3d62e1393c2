import { expect, it } from 'vitest'
import type { Json } from './json.ts'
import { applyStrategicPatch, isStrategicPatch } from './strategic.ts'

const BEFORE = {
  metadata: { name: 'a', finalizers: ['x', 'y'], ownerReferences: [{ uid: '1', kind: 'A' }], labels: { l: '1' } },
  spec: { distinguisherMethod: { type: 'ByUser' }, rules: [{ subjects: [{ kind: 'User' }] }, { subjects: [] }] },
  status: {
    conditions: [
      { type: 'Dangling', status: 'False', reason: 'Found' },
      { type: 'Other', status: 'True' },
    ],
  },
}

/** What k8s.io/apimachinery/pkg/util/strategicpatch v0.37.2 makes of a FlowSchema: the members that differ; null is gone. */
const UPSTREAM: readonly (readonly [what: string, patch: Json, changed: Record<string, Json>])[] = [
  [
    'maps merge, and null removes',
    { metadata: { labels: { m: '2' } }, spec: { distinguisherMethod: null } },
    {
      metadata: {
        finalizers: ['x', 'y'],
        labels: { l: '1', m: '2' },
        name: 'a',
        ownerReferences: [{ kind: 'A', uid: '1' }],
      },
      spec: { rules: [{ subjects: [{ kind: 'User' }] }, { subjects: [] }] },
    },
  ],
  [
    'rules are replaced',
    { spec: { rules: [{ subjects: [{ kind: 'Group' }] }] } },
    { spec: { distinguisherMethod: { type: 'ByUser' }, rules: [{ subjects: [{ kind: 'Group' }] }] } },
  ],
  [
    'finalizers merge',
    { metadata: { finalizers: ['z', 'x'] } },
    {
      metadata: {
        finalizers: ['z', 'x', 'y'],
        labels: { l: '1' },
        name: 'a',
        ownerReferences: [{ kind: 'A', uid: '1' }],
      },
    },
  ],
  [
    'finalizers leave',
    { metadata: { '$deleteFromPrimitiveList/finalizers': ['x'] } },
    { metadata: { finalizers: ['y'], labels: { l: '1' }, name: 'a', ownerReferences: [{ kind: 'A', uid: '1' }] } },
  ],
  [
    'owners merge by uid',
    {
      metadata: {
        ownerReferences: [
          { uid: '1', name: 'n' },
          { uid: '2', kind: 'B' },
        ],
      },
    },
    {
      metadata: {
        finalizers: ['x', 'y'],
        labels: { l: '1' },
        name: 'a',
        ownerReferences: [
          { kind: 'A', name: 'n', uid: '1' },
          { kind: 'B', uid: '2' },
        ],
      },
    },
  ],
  [
    'an owner leaves',
    { metadata: { ownerReferences: [{ uid: '1', $patch: 'delete' }] } },
    { metadata: { finalizers: ['x', 'y'], labels: { l: '1' }, name: 'a', ownerReferences: [] } },
  ],
  [
    'conditions merge by type',
    { status: { conditions: [{ type: 'Dangling', status: 'True' }] } },
    {
      status: {
        conditions: [
          { reason: 'Found', status: 'True', type: 'Dangling' },
          { status: 'True', type: 'Other' },
        ],
      },
    },
  ],
  [
    'a merged list is replaced',
    { status: { conditions: [{ $patch: 'replace' }, { type: 'New', status: 'True' }] } },
    { status: { conditions: [{ status: 'True', type: 'New' }] } },
  ],
  ['a map is replaced', { spec: { $patch: 'replace', matchingPrecedence: 7 } }, { spec: { matchingPrecedence: 7 } }],
  [
    'a map is emptied',
    { spec: { distinguisherMethod: { $patch: 'delete' } } },
    { spec: { distinguisherMethod: {}, rules: [{ subjects: [{ kind: 'User' }] }, { subjects: [] }] } },
  ],
  [
    'members are retained',
    { spec: { $retainKeys: ['rules', 'matchingPrecedence'], matchingPrecedence: 7 } },
    { spec: { matchingPrecedence: 7, rules: [{ subjects: [{ kind: 'User' }] }, { subjects: [] }] } },
  ],
  ['an object is deleted', { $patch: 'delete' }, { metadata: null, spec: null, status: null }],
  [
    'conditions are ordered',
    {
      status: {
        '$setElementOrder/conditions': [{ type: 'Other' }, { type: 'Dangling' }],
        conditions: [{ type: 'Dangling', status: 'True' }],
      },
    },
    {
      status: {
        conditions: [
          { status: 'True', type: 'Other' },
          { reason: 'Found', status: 'True', type: 'Dangling' },
        ],
      },
    },
  ],
]

/** Lists in one order: entries that are merged may be in any. */
const sorted = (value: Json): Json =>
  Array.isArray(value)
    ? value.map(sorted).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, member]) => [key, sorted(member)]),
        )
      : value

it.each(UPSTREAM)('%s, as upstream', (_what, patch, changed) => {
  const expected = Object.fromEntries(Object.entries({ ...BEFORE, ...changed }).filter(([, value]) => value !== null))
  expect(sorted(applyStrategicPatch(BEFORE, patch))).toEqual(sorted(expected))
})

it('is told by its directives', () => {
  const told = (patch: Json): boolean => isStrategicPatch(patch)
  expect(UPSTREAM.filter(([, patch]) => told(patch)).map(([what]) => what)).toEqual([
    'finalizers leave',
    'an owner leaves',
    'a merged list is replaced',
    'a map is replaced',
    'a map is emptied',
    'members are retained',
    'an object is deleted',
    'conditions are ordered',
  ])
})
