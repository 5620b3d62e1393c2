import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../../../../core/config/builtIn.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import { driftFromBuiltIn } from '../../../../core/drift/drift.ts'
import { changeText, comparedText, driftSentence, fieldsText, serverText } from './drift.text.ts'

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
    expect(sentence(builtIn)).toBe('All 19 objects match the built-in objects of v1.36.3.')
    expect(sentence({ ...builtIn, schemas: [...builtIn.schemas, own] })).toBe(
      'All built-in objects match v1.36.3; 1 object is your own.',
    )
    expect(sentence({ levels: fewer, schemas: [...withoutProbes, own] })).toBe(
      'Compared with the built-in objects of v1.36.3, system differs; probes is missing; 1 object exists only here.',
    )
  })

  it('says what was compared, and for which time that holds', () => {
    const drift = driftFromBuiltIn({ levels: fewer, schemas: builtIn.schemas }, VERSION)
    const said = (state: 'current' | 'stale', origin: 'cluster' | 'files', silent = false): string =>
      comparedText({ origin, target: 'prod', state, asOf: '03:12', silent }, VERSION, drift, (at) => at)
    expect(said('current', 'cluster')).toBe(
      'Objects of prod, v1.36.3, confirmed at 03:12 and watched since. 18 other objects match.',
    )
    expect(said('current', 'files')).toMatch(/^Objects of prod, v1\.36\.3, as of 03:12\. 18/)
    const stale = /as of 03:12\. The server no longer reports its objects, so they may have/
    expect(said('stale', 'cluster')).toMatch(stale)
    // A server that hangs keeps its watch open.
    expect(said('current', 'cluster', true)).toMatch(stale)
  })

  it('says of each object what it is and what becomes of it', () => {
    const { rows } = driftFromBuiltIn({ levels: fewer, schemas: [...withoutProbes, own] }, VERSION)
    expect(rows.map((row) => [row.name, changeText(row), fieldsText(row), serverText(row)])).toEqual([
      ['system', 'differs', 'nominalConcurrencyShares and 1 more', 'restores it'],
      ['own', 'your own', '', 'keeps it'],
      ['probes', 'missing here', '', 'recreates it'],
    ])
  })
})
