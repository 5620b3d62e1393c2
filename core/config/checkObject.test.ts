import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { invalidObjectArbitrary } from '../../test/fixtures/brokenObjects.ts'
import { mangledManifest, validManifestArbitrary } from '../../test/fixtures/configObjects.ts'
import { checkObject } from './checkObject.ts'
import type { Finding } from './finding.ts'

const VERSIONS = ['v1.29.0', 'v1.30.14', 'v1.33.13', 'v1.36.3', 'v1.37.0', 'unreadable'] as const
const version = fc.constantFrom(...VERSIONS)
const errors = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ severity }) => severity === 'error')

describe('checkObject', () => {
  it('finds no error in what every server accepts', () => {
    fc.assert(
      fc.property(validManifestArbitrary, version, (manifest, server) => {
        const { object, findings } = checkObject(manifest, server)
        expect(errors(findings)).toEqual([])
        expect(object).toBeDefined()
      }),
    )
  })

  it('finds an error in what every server rejects, whatever the error is', () => {
    fc.assert(
      fc.property(invalidObjectArbitrary, version, (manifest, server) => {
        expect(errors(checkObject(manifest, server).findings)).not.toEqual([])
      }),
      { numRuns: 1_000 },
    )
  })

  it('never throws, and says every problem in a sentence', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), mangledManifest(invalidObjectArbitrary)), version, (value, server) => {
        for (const { message } of checkObject(value, server).findings) expect(message).toMatch(/^\S.*\.$/s)
      }),
      { numRuns: 1_000 },
    )
  })
})
