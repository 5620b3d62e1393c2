import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../../../../core/config/builtInByVersion.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import { driftFromBuiltIn } from '../../../../core/drift/drift.ts'
import { changeText, driftSentence, fieldsText, serverText } from './drift.text.ts'

const VERSION = 'v1.36.3'
const builtIn = builtInObjects(VERSION)
const reference = { kind: 'built-in', version: VERSION } as const
const sentence = (objects: ObjectSet): string => driftSentence(driftFromBuiltIn(objects, VERSION), reference)
const own = {
  metadata: { name: 'own' },
  spec: { priorityLevelConfiguration: { name: 'system' }, matchingPrecedence: 700 },
}
const withoutProbes = builtIn.schemas.filter(({ metadata }) => metadata.name !== 'probes')
const fewer = builtIn.levels.map((level) =>
  level.metadata.name !== 'system' || level.spec.limited === undefined
    ? level
    : {
        ...level,
        spec: { ...level.spec, limited: { ...level.spec.limited, nominalConcurrencyShares: 20, lendablePercent: 1 } },
      },
)

describe('drift in words', () => {
  it('is one sentence', () => {
    expect(sentence(builtIn)).toBe('All objects are as in the built-in objects of v1.36.3.')
    expect(sentence({ ...builtIn, schemas: [...builtIn.schemas, own] })).toBe(
      'All built-in objects are as v1.36.3 makes them; 1 object is your own.',
    )
    expect(sentence({ levels: fewer, schemas: [...withoutProbes, own] })).toBe(
      'Compared with the built-in objects of v1.36.3, system differs; probes is missing; 1 object exists only here.',
    )
  })

  it('says of each object what it is and what becomes of it', () => {
    const { rows } = driftFromBuiltIn({ levels: fewer, schemas: [...withoutProbes, own] }, VERSION)
    expect(rows.map((row) => [row.name, changeText(row), fieldsText(row), serverText(row)])).toEqual([
      ['system', 'differs', 'nominalConcurrencyShares and 1 more', 'puts it back'],
      ['own', 'your own', '', 'leaves it'],
      ['probes', 'missing here', '', 'creates it again'],
    ])
  })
})
