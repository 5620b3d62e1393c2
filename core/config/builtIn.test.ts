import { z } from 'zod'
import { expect, test } from 'vitest'
import { captureVersions, readFixture } from '../../test/fixtures/load.ts'
import { builtInObject, builtInObjects, isMandatory, isSuggested, validationRules } from './builtIn.ts'
import { KINDS } from './objects.ts'
import { checkObject, GROUP } from './checkObject.ts'
import type { JsonObject } from './jsonValues.ts'

const ListSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), annotations: z.record(z.string(), z.string()) }),
      spec: z.unknown(),
    }),
  ),
})

/** Objects of a real server that nobody has changed, by name. */
function captured(version: string, plural: string): ReadonlyMap<string, unknown> {
  const text = readFixture(`captures/${version}/objects/${plural}.json.gz`).toString('utf8')
  return new Map(ListSchema.parse(JSON.parse(text)).items.map((object) => [object.metadata.name, object]))
}

test.each(captureVersions)('the built-in objects of %s are those that a real server made', (version) => {
  const { levels, schemas } = builtInObjects(version)
  expect(new Map(levels.map((level) => [level.metadata.name, level]))).toEqual(
    captured(version, 'prioritylevelconfigurations'),
  )
  expect(new Map(schemas.map((schema) => [schema.metadata.name, schema]))).toEqual(captured(version, 'flowschemas'))
})

test('1.34 dropped two schemas', () => {
  const names = (version: string): string[] => builtInObjects(version).schemas.map(({ metadata }) => metadata.name)
  const earlier = names('v1.29.0')
  expect(names('v1.33.13')).toEqual(earlier)
  expect(names('v1.34.0')).toEqual(
    earlier.filter((name) => !['workload-leader-election', 'endpoint-controller'].includes(name)),
  )
  expect(names('v1.37.0')).toEqual(names('v1.34.0'))
  expect(builtInObjects('v1.29.0').levels).toEqual(builtInObjects('v1.37.0').levels)
})

test('every built-in object is mandatory or suggested, and nothing else is', () => {
  for (const version of ['v1.29.0', 'v1.37.0']) {
    const { levels, schemas } = builtInObjects(version)
    for (const kind of KINDS) {
      for (const { metadata } of kind === 'FlowSchema' ? schemas : levels) {
        const { name } = metadata
        expect(isMandatory(kind, name)).toBe(['exempt', 'catch-all'].includes(name))
        expect(isSuggested(kind, name, version)).toBe(!isMandatory(kind, name))
        expect(builtInObject(kind, name, version)?.metadata.name).toBe(name)
      }
      expect(isMandatory(kind, 'tenant-a') || isSuggested(kind, 'tenant-a', version)).toBe(false)
      expect(builtInObject(kind, 'tenant-a', version)).toBeUndefined()
    }
  }
  expect(isSuggested('FlowSchema', 'endpoint-controller', 'v1.33.0')).toBe(true)
  expect(isSuggested('FlowSchema', 'endpoint-controller', 'v1.34.0')).toBe(false)
})

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
