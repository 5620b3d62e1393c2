import { expect, test } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { checkObject } from './checkObject.ts'
import { withoutNulls } from './content.ts'

interface Question {
  readonly name: string
  readonly object: unknown
}
interface Cause {
  readonly field: string
  readonly reason: string
}
interface Verdict {
  readonly accepted: boolean
  readonly causes?: readonly Cause[]
  /** Spec as the server stored it. */
  readonly defaulted?: unknown
}

const vectors = readVectors<Question, Verdict>('validation')

/** Up to 1.35 an empty type was reported as not supported, by every server that was tested. */
const TYPE_FIELDS = ['spec.type', 'spec.limited.limitResponse.type']
const earlier = (causes: readonly Cause[]): Cause[] =>
  causes.map(({ field, reason }) => ({
    field,
    reason: TYPE_FIELDS.includes(field) && reason === 'FieldValueRequired' ? 'FieldValueNotSupported' : reason,
  }))
const SERVERS = [
  { version: 'v1.36.3', told: (causes: readonly Cause[]) => causes },
  ...['v1.30.14', 'v1.31.0', 'v1.33.13'].map((version) => ({ version, told: earlier })),
]

const causesOf = (object: unknown, version: string): Cause[] => {
  const errors = checkObject(object, version).findings.filter(({ severity }) => severity === 'error')
  return errors.map(({ field, reason }) => ({ field, reason }))
}
const asSet = (causes: readonly Cause[]): string[] =>
  [...new Set(causes.map(({ field, reason }) => `${field}: ${reason}`))].toSorted()

test.each(SERVERS)('all 65 verdicts are those of a real kube-apiserver $version', ({ version, told }) => {
  const ours = vectors.map(({ in: { name, object } }) => ({ name, causes: asSet(causesOf(object, version)) }))
  const theirs = vectors.map(({ in: { name }, out }) => ({ name, causes: asSet(told(out.causes ?? [])) }))
  expect(ours).toEqual(theirs)
  expect(vectors.map(({ out }) => out.accepted)).toEqual(theirs.map(({ causes }) => causes.length === 0))
  expect(vectors).toHaveLength(65)
})

test('every accepted spec is stored with the same defaults', () => {
  const accepted = vectors.filter(({ out }) => out.accepted)
  for (const { in: question, out } of accepted) {
    expect(checkObject(question.object, 'v1.36.3').defaulted?.spec, question.name).toEqual(withoutNulls(out.defaulted))
  }
  expect(accepted.length).toBeGreaterThan(15)
})

const level = (spec: unknown, metadata: object = {}): unknown => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'PriorityLevelConfiguration',
  metadata: { name: 'a', ...metadata },
  spec,
})
const rejecting = { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } }
const owned = (...references: readonly object[]): unknown =>
  level(rejecting, {
    ownerReferences: references.map((one) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'b', ...one })),
  })

/** Verdicts of kube-apiserver v1.37.2 in a strict dry run, which differ from those of v1.36.3. */
test.each<readonly [what: unknown, ...causes: readonly string[]]>([
  [
    level({ limited: {}, exempt: {} }),
    'spec.type: FieldValueRequired',
    'spec.limited: FieldValueForbidden',
    'spec.exempt: FieldValueForbidden',
    'spec.limited.limitResponse.type: FieldValueRequired',
  ],
  [
    level({ type: 'Shared', limited: { limitResponse: { type: 'Queue' } } }),
    'spec.type: FieldValueNotSupported',
    'spec.limited: FieldValueForbidden',
    'spec.limited.limitResponse.queuing: FieldValueRequired',
  ],
  [
    level({ type: 'Shared', limited: { limitResponse: { type: 'Drop' } } }),
    'spec.type: FieldValueNotSupported',
    'spec.limited: FieldValueForbidden',
  ],
  [
    level({ type: 'Limited', limited: { limitResponse: { type: 'Drop', queuing: {} } } }),
    'spec.limited.limitResponse.type: FieldValueNotSupported',
    'spec.limited.limitResponse.queuing: FieldValueForbidden',
  ],
  [
    level({ type: 'Exempt', limited: { lendablePercent: 101, limitResponse: {} } }),
    'spec.type: FieldValueInvalid',
    'spec.limited: FieldValueForbidden',
    'spec.limited.limitResponse.type: FieldValueRequired',
  ],
  [
    owned({}, { kind: '', uid: '' }),
    'metadata.ownerReferences[1].kind: FieldValueRequired',
    'metadata.ownerReferences[1].uid: FieldValueRequired',
  ],
  [owned({ apiVersion: 'a/b/c' }), 'metadata.ownerReferences[0].apiVersion: FieldValueInvalid'],
  [owned({ apiVersion: '' }), 'metadata.ownerReferences[0].apiVersion: FieldValueRequired'],
  [owned({ kind: 'Event' }), 'metadata.ownerReferences[0]: FieldValueInvalid'],
  [owned({ controller: true }, { uid: 'c', controller: true }), 'metadata.ownerReferences: FieldValueInvalid'],
])('v1.37.2 rejects %j', (object, ...causes) => {
  expect(asSet(causesOf(object, 'v1.37.2'))).toEqual(causes.map(String).toSorted())
})
