import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { manifestOf } from '../../core/config/content.ts'
import { invalidObjectArbitrary } from '../fixtures/brokenObjects.ts'
import { mangledManifest, validManifestArbitrary } from '../fixtures/configObjects.ts'
import { suspiciousObjects } from '../fixtures/suspiciousObjects.ts'
import { noCluster, useCluster } from './suite.ts'
import { expectAgreement } from './verdicts.ts'

const SEED = 20_261_121

describe.skipIf(noCluster)('a server-side dry run and our own validation', () => {
  const cluster = useCluster()

  it('agree on 100 random valid objects, defaults included', async () => {
    const counts = await expectAgreement(cluster(), fc.sample(validManifestArbitrary, { seed: SEED, numRuns: 100 }))
    expect([...counts]).toEqual([['accepted', 100]])
  })

  it('agree that what is merely suspicious is accepted', async () => {
    const counts = await expectAgreement(
      cluster(),
      suspiciousObjects.map(([, manifest]) => manifest),
    )
    expect([...counts.keys()]).toEqual(['accepted'])
  })

  it('agree on 300 random invalid objects: every field and reason', async () => {
    const counts = await expectAgreement(cluster(), fc.sample(invalidObjectArbitrary, { seed: SEED, numRuns: 300 }))
    expect(counts.get('accepted')).toBeUndefined()
    for (const verdict of ['invalid', 'unknown fields', 'malformed']) expect(counts.get(verdict)).toBeGreaterThan(20)
  })

  it('agree on 300 objects with any value anywhere, built-in ones among them', async () => {
    const { levels, schemas } = builtInObjects(cluster().version)
    const builtIn = fc.constantFrom(
      ...levels.map((level) => manifestOf('PriorityLevelConfiguration', level)),
      ...schemas.map((schema) => manifestOf('FlowSchema', schema)),
    )
    const mangled = mangledManifest(fc.oneof(builtIn, validManifestArbitrary))
    await expectAgreement(cluster(), fc.sample(mangled, { seed: SEED, numRuns: 300 }))
  })
})
