import { expect, it } from 'vitest'
import { builtInObjects } from '../../../../core/config/builtIn.ts'
import { readEntry } from '../../../../core/draft/readEntry.ts'
import { differingFields } from '../../../../core/draft/threeWay.ts'
import { cleanManifest, writeManifest } from '../../../../core/manifest/write.ts'
import { mergeText, mineOf } from './ConflictPane.tsx'

const KIND = 'PriorityLevelConfiguration'
const system = builtInObjects('v1.36.3').levels.find(({ metadata }) => metadata.name === 'system')
if (system === undefined) throw new Error('there is a level system')
const withShares = (nominalConcurrencyShares: number) => ({
  ...system,
  spec: { ...system.spec, limited: { ...system.spec.limited, nominalConcurrencyShares } },
})
const differences = (mine: number, theirs: number) => {
  const text = writeManifest(KIND, system).replace(/Shares: \d+/, `Shares: ${mine}`)
  const read = readEntry({ kind: KIND, name: 'system', text, base: { ...system } }, 'v1.36.3')
  const clean = (object: object) => cleanManifest(KIND, object)
  return differingFields(clean(system), clean(mineOf(read)), clean(withShares(theirs)))
}

it('compares what the text says, valid or not', () => {
  const invalid = differences(-5, 40)
  expect(invalid).toMatchObject([{ yours: -5, theirs: 40, changedBy: 'conflict' }])
  expect(mergeText(invalid)).toBe('Both sides changed 1 field. Choose a value for each, then merge.')
})

it('says so when both sides made the same change, and when they touch different fields', () => {
  expect(mergeText(differences(40, 40))).toBe('Both sides made the same change to 1 field. Nothing conflicts.')
  expect(mergeText([{ changedBy: 'you' }, { changedBy: 'them' }])).toMatch(/^The two changes touch different fields/)
})
