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
