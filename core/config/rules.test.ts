import { expect, test } from 'vitest'
import { checkObject, GROUP } from './checkObject.ts'
import type { JsonObject } from './jsonValues.ts'
import { validationRules } from './rules.ts'

const level = (apiVersion: unknown, limited: JsonObject): JsonObject => ({
  apiVersion,
  kind: 'PriorityLevelConfiguration',
  metadata: { name: 'x' },
  spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...limited } },
})
const errorsOf = (manifest: JsonObject, version: string): string[] =>
  checkObject(manifest, version)
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ field, reason }) => `${field}: ${reason}`)

test('which versions of the group are served', () => {
  const served = ['1.20', 'v1.25.3', 'v1.26.0', 'v1.28.9', 'v1.29.0', 'v1.31.9', 'v1.32.0', 'v1.37.0', 'v2.0', '?']
  expect(served.map((version) => validationRules(version).apiVersions)).toEqual([
    ['v1beta1'],
    ['v1beta2', 'v1beta1'],
    ['v1beta3', 'v1beta2'],
    ['v1beta3', 'v1beta2'],
    ['v1', 'v1beta3'],
    ['v1', 'v1beta3'],
    ['v1'],
    ['v1'],
    ['v1'],
    ['v1'],
  ])
})

test('an apiVersion that the server does not serve is an error that names one that it does', () => {
  expect(errorsOf(level(`${GROUP}/v1beta3`, {}), 'v1.31.0')).toEqual([])
  expect(errorsOf(level(`${GROUP}/v1beta3`, {}), 'v1.32.0')).toEqual(['apiVersion: FieldValueNotSupported'])
  expect(errorsOf(level(`${GROUP}/v1`, {}), 'v1.28.0')).toEqual(['apiVersion: FieldValueNotSupported'])
  const [gone] = checkObject(level(`${GROUP}/v1beta2`, {}), 'v1.36.3').findings
  expect(gone?.message).toBe(
    `Kubernetes 1.36 does not serve v1beta2, which was served from 1.23 to 1.28: set apiVersion to “${GROUP}/v1”.`,
  )
  for (const apiVersion of [`${GROUP}/v1alpha1`, `${GROUP}/v1/x`, 'v1', 'apps/v1', '/'])
    expect(errorsOf(level(apiVersion, {}), 'v1.36.3'), apiVersion).toEqual(['apiVersion: FieldValueNotSupported'])
  for (const apiVersion of [undefined, null, ''])
    expect(errorsOf(level(apiVersion, {}), 'v1.36.3')).toEqual(['apiVersion: FieldValueRequired'])
  expect(errorsOf(level(1, {}), 'v1.36.3')).toEqual(['apiVersion: Malformed'])
})

test('0 shares are rejected in 1.29 only, in v1 as in v1beta3', () => {
  const none = level(`${GROUP}/v1`, { nominalConcurrencyShares: 0 })
  expect(errorsOf(none, 'v1.29.15')).toEqual(['spec.limited.nominalConcurrencyShares: FieldValueInvalid'])
  expect(errorsOf(none, 'v1.30.0')).toEqual([])
})

test('an empty type is required since 1.36 and was not supported before', () => {
  const untyped = { ...level(`${GROUP}/v1`, {}), spec: { limited: { limitResponse: {} } } }
  expect(errorsOf(untyped, 'v1.35.0')).toEqual(['spec.type: FieldValueNotSupported'])
  expect(errorsOf(untyped, 'v1.36.0')).toEqual(['spec.type: FieldValueRequired'])
})
