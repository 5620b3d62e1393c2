import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparedRule, conflictOf } from './conflict.ts'
import type { QosRule } from './configuration.ts'
import { compileRule, ruleMatches, type Subjected, subjected } from './match.ts'
import { aRequest, aRule, ruleNamed } from './qos.fixture.ts'

describe('rules of one priority (QoS specification 11, conflicts)', () => {
  const ranges = (...prefixPaths: string[]): Partial<QosRule> => ({ ops: ['Range'], prefixPaths })
  const within: Partial<QosRule> = { keyMatch: 'within', methods: ['KV/Range'] }
  it.each<[string, Partial<QosRule>, Partial<QosRule>, object]>([
    ['a prefix in another', ranges('/a/'), ranges('/a/b/'), { kind: 'atomic', op: 'Range', key: '/a/b/' }],
    [
      'Put and Range of the same keys',
      { ops: ['Put'], prefixPaths: ['/a/'] },
      ranges('/a/'),
      { kind: 'composite', by: 'txn' },
    ],
    ['ranges of other keys', ranges('/a/'), ranges('/b/'), { kind: 'composite', by: 'range' }],
    ['the same within, and no Txn', { ...ranges('/a/'), ...within }, { ...ranges('/b/'), ...within }, { kind: 'none' }],
    [
      'alice and bob',
      { ...ranges('/a/'), subjects: [{ user: 'alice' }] },
      { ...ranges('/a/'), subjects: [{ user: 'bob' }] },
      { kind: 'none' },
    ],
    [
      'alice and a network',
      { ...ranges('/a/'), subjects: [{ user: 'alice' }] },
      { ...ranges('/a/'), subjects: [{ clientIP: '10.0.0.0/8' }] },
      { kind: 'atomic', witness: { user: 'alice', clientIP: '10.0.0.0' } },
    ],
    [
      'other thresholds',
      { ...ranges('/a/'), conditions: [{ kind: 'ScanKeyNum', threshold: 1_000 }] },
      { ...ranges('/a/'), conditions: [{ kind: 'ScanKeyNum', threshold: 10_000 }] },
      { kind: 'atomic' },
    ],
    ['Authenticate and Put', { ops: ['Authenticate'] }, { ops: ['Put'], prefixPaths: ['/a/'] }, { kind: 'none' }],
    [
      'the same method without an operation',
      { methods: ['Cluster/MemberList'] },
      { methods: ['Cluster/MemberList'] },
      { kind: 'atomic', op: '' },
    ],
    [
      'a Txn and an element of one',
      { ops: ['Txn'] },
      { ops: ['Put'], prefixPaths: ['/a/'] },
      { kind: 'composite', by: 'txn' },
    ],
    ['other methods', { methods: ['KV/Put'] }, { methods: ['KV/Range'] }, { kind: 'none' }],
    ['rules without keys', { ops: ['Range'] }, { subjects: [{ user: 'al*' }] }, { kind: 'atomic', op: 'Range' }],
  ])('%s', (_, a, b, expected) => {
    expect(conflictOf(comparedRule(aRule('a', a)), comparedRule(aRule('b', b)))).toMatchObject(expected)
    expect(conflictOf(comparedRule(aRule('b', b)), comparedRule(aRule('a', a)))).toMatchObject(expected)
  })
})

/** Whether both match if all conditions hold and there were enough retries. */
function matchesBoth(a: QosRule, b: QosRule): (subject: Subjected) => boolean {
  const both = [a, b].map((rule) => compileRule({ ...rule, conditions: [] }))
  return (subject) => both.every((compiled) => ruleMatches(compiled, subject, { retry: 100 }))
}

describe('properties of conflicts (QoS specification 12, property 2)', () => {
  const enabled = (name: string): fc.Arbitrary<QosRule> => ruleNamed(name).map((rule) => ({ ...rule, enabled: true }))
  const pool = fc.sample(aRequest, 1_000).map(subjected)

  it('none: no request matches both; atomic: the witness does; composite: no single operation on one key does', () => {
    const met = { none: 0, atomic: 0, composite: 0 }
    let found = 0
    fc.assert(
      fc.property(enabled('a'), enabled('b'), (a, b) => {
        const conflict = conflictOf(comparedRule(a), comparedRule(b))
        const matches = matchesBoth(a, b)
        met[conflict.kind] += 1
        if (conflict.kind === 'atomic') expect(matches(subjected(conflict.witness))).toBe(true)
        else {
          const both = pool.filter(matches)
          expect(conflict.kind === 'none' ? both : both.filter(isSingle)).toEqual([])
          if (both.length > 0) found += 1
        }
      }),
      { numRuns: 2_000 },
    )
    for (const count of Object.values(met)) expect(count).toBeGreaterThan(20)
    // Random requests do not match every pair.
    expect(found).toBeGreaterThan(met.composite / 5)
  })
})

const isSingle = ({ request: { body } }: Subjected): boolean =>
  body === undefined || body.op === 'Put' || (body.op !== 'Txn' && (body.rangeEnd ?? '') === '')
