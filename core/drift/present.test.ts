import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import type { ObjectSet } from '../config/objects.ts'
import { cellText, sentenceText } from '../answer/answer.ts'
import { plain } from '../text/format.ts'
import { driftFromBuiltIn } from './drift.ts'
import { presentDrift, readSentence } from './present.ts'

const VERSION = 'v1.36.3'
const builtIn = builtInObjects(VERSION)
const reference = { kind: 'built-in', version: VERSION } as const
const presented = (objects: ObjectSet, current = 'Objects.') =>
  presentDrift(driftFromBuiltIn(objects, VERSION), reference, [current])
const sentence = (objects: ObjectSet): string => sentenceText(presented(objects).title, plain)
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
    const said = (state: 'current' | 'stale', origin: 'cluster' | 'files', silent = false): string =>
      sentenceText(
        readSentence({ origin, target: 'prod', state, asOf: '2026-11-28T03:12:00Z', silent }, VERSION),
        plain,
      )
    expect(said('current', 'cluster')).toBe(
      'Objects of prod, v1.36.3, confirmed at 2026-11-28 03:12:00 and watched since.',
    )
    expect(said('current', 'files')).toMatch(/^Objects of prod, v1\.36\.3, as of 2026-11-28 03:12:00\.$/)
    const stale = /as of 2026-11-28 03:12:00\. The server no longer reports its objects, so they may have/
    expect(said('stale', 'cluster')).toMatch(stale)
    // A server that hangs keeps its watch open.
    expect(said('current', 'cluster', true)).toMatch(stale)
  })

  it('says of each object what it is and what becomes of it', () => {
    const { evidence, tables } = presented({ levels: fewer, schemas: [...withoutProbes, own] })
    expect(evidence.map((one) => sentenceText(one, plain))).toEqual(['Objects. 17 other objects match.'])
    expect(tables[0]?.rows.map((row) => row.map((cell) => cellText(cell, plain)))).toEqual([
      [
        'system',
        'PriorityLevelConfiguration',
        'differs',
        'restores it',
        'nominalConcurrencyShares: 30 → 20, lendablePercent: 33 → 1',
      ],
      ['own', 'FlowSchema', 'your own', 'keeps it', ''],
      ['probes', 'FlowSchema', 'missing here', 'recreates it', ''],
    ])
  })
})
