import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { invalidObjectArbitrary } from '../../test/fixtures/brokenObjects.ts'
import { mangledManifest, validManifestArbitrary } from '../../test/fixtures/configObjects.ts'
import { checkObject, convertToV1, GROUP } from './checkObject.ts'
import type { Finding } from './finding.ts'
import { API_VERSION } from './content.ts'
import type { JsonObject } from './jsonValues.ts'
import { PRESERVE_ZERO_ANNOTATION } from './objects.ts'

const VERSIONS = ['v1.29.0', 'v1.30.14', 'v1.33.13', 'v1.36.3', 'v1.37.0', 'unreadable'] as const
const versions = fc.constantFrom(...VERSIONS)
const errors = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ severity }) => severity === 'error')

describe('checkObject', () => {
  it('finds no error in what every server accepts', () => {
    fc.assert(
      fc.property(validManifestArbitrary, versions, (manifest, server) => {
        const { object, findings } = checkObject(manifest, server)
        expect(errors(findings)).toEqual([])
        expect(object).toBeDefined()
      }),
    )
  })

  it('finds an error in what every server rejects, whatever the error is', () => {
    fc.assert(
      fc.property(invalidObjectArbitrary, versions, (manifest, server) => {
        expect(errors(checkObject(manifest, server).findings)).not.toEqual([])
      }),
      { numRuns: 1_000 },
    )
  })

  it('never throws, and says every problem in a sentence', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), mangledManifest(invalidObjectArbitrary)), versions, (value, server) => {
        for (const { message } of checkObject(value, server).findings) expect(message).toMatch(/^\S.*\.$/s)
      }),
      { numRuns: 1_000 },
    )
  })
})

const level = (version: string, limited: JsonObject, annotations?: JsonObject): JsonObject => ({
  apiVersion: `${GROUP}/${version}`,
  kind: 'PriorityLevelConfiguration',
  metadata: { name: 'x', ...(annotations && { annotations }) },
  spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...limited } },
})
/** Shares that the server would store; `undefined` when there is no object. */
const sharesOf = (manifest: JsonObject): number | undefined => {
  const { kind, defaulted } = checkObject(manifest, 'v1.36.3')
  return kind === 'FlowSchema' ? undefined : defaulted?.spec.limited?.nominalConcurrencyShares
}

describe('convertToV1', () => {
  it('gives back v1, and what is no manifest, as it is', () => {
    fc.assert(
      fc.property(fc.oneof(validManifestArbitrary, fc.jsonValue()), (value) => {
        expect(convertToV1(value)).toEqual({ value, notes: [] })
        expect(convertToV1(value).value).toBe(value)
      }),
    )
  })

  it('never throws, whatever the manifest holds', () => {
    const betas = fc.constantFrom('v1beta1', 'v1beta2', 'v1beta3')
    const kind = fc.constantFrom('FlowSchema', 'PriorityLevelConfiguration', 'Pod')
    fc.assert(
      fc.property(betas, kind, fc.jsonValue(), fc.jsonValue(), (beta, name, metadata, limited) => {
        const value = { apiVersion: `${GROUP}/${beta}`, kind: name, metadata, spec: { limited } }
        expect(convertToV1(value).value).toMatchObject({ apiVersion: API_VERSION, kind: name })
      }),
    )
  })

  it('keeps a schema as it is but for its version', () => {
    const schema = { apiVersion: `${GROUP}/v1beta1`, kind: 'FlowSchema', spec: { matchingPrecedence: 7 } }
    expect(convertToV1(schema)).toEqual({
      value: { ...schema, apiVersion: API_VERSION },
      notes: [`Read as ${API_VERSION}: v1beta1 is an earlier version of the same objects.`],
    })
  })

  it('renames the shares of v1beta1 and v1beta2, which v1beta3 does not know by that name', () => {
    for (const version of ['v1beta1', 'v1beta2']) {
      const { value, notes } = convertToV1(level(version, { assuredConcurrencyShares: 7 }))
      expect(value).toMatchObject({ spec: { limited: { nominalConcurrencyShares: 7 } } })
      expect(value).not.toHaveProperty('spec.limited.assuredConcurrencyShares')
      expect(notes).toHaveLength(2)
    }
    const unknown = checkObject(level('v1beta3', { assuredConcurrencyShares: 7 }), 'v1.31.0').findings
    expect(unknown).toMatchObject([{ field: 'spec.limited.assuredConcurrencyShares', reason: 'FieldUnknown' }])
  })

  it('leaves a level that mixes both names as it is, for the decoder to report the old one', () => {
    const mixed = { nominalConcurrencyShares: 5, assuredConcurrencyShares: 7 }
    expect(convertToV1(level('v1beta2', mixed)).value).toMatchObject({ spec: { limited: mixed } })
  })

  it('reads 0 shares as each version means them', () => {
    const zero = { nominalConcurrencyShares: 0 }
    const preserve = { [PRESERVE_ZERO_ANNOTATION]: '', team: 'a' }
    expect(sharesOf(level('v1', zero))).toBe(0)
    expect(sharesOf(level('v1beta3', zero))).toBe(30)
    expect(sharesOf(level('v1beta3', zero, preserve))).toBe(0)
    expect(sharesOf(level('v1beta3', {}, preserve))).toBe(0)
    expect(sharesOf(level('v1beta3', {}))).toBe(30)
    expect(sharesOf(level('v1beta2', { assuredConcurrencyShares: 0 }))).toBe(30)
  })

  it('removes the annotation of v1beta3, which v1 forbids, and no other', () => {
    const { value } = convertToV1(level('v1beta3', {}, { [PRESERVE_ZERO_ANNOTATION]: '', team: 'a' }))
    expect(value).toHaveProperty('metadata.annotations', { team: 'a' })
    expect(checkObject(value, 'v1.36.3').findings.filter(({ severity }) => severity === 'error')).toEqual([])
  })
})
