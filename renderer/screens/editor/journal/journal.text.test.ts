import { describe, expect, it } from 'vitest'
import type { AppliedChange, JournalEntry } from '../../../../core/contract/objects.ts'
import { journalSentence, namesText, recordsOf, stateText, whatText } from './journal.text.ts'

const level = (name: string, limited: object) => ({ metadata: { name }, spec: { type: 'Limited', limited } })
const edit = (name: string, more: Partial<AppliedChange> = {}): AppliedChange => ({
  kind: 'PriorityLevelConfiguration',
  name,
  from: level(name, { nominalConcurrencyShares: 100, lendablePercent: 90 }),
  to: level(name, { nominalConcurrencyShares: 30, lendablePercent: 90 }),
  state: 'applied',
  ...more,
})
const entry = (...changes: readonly AppliedChange[]): JournalEntry => ({
  id: '1',
  at: '2026-01-01T00:00:00Z',
  target: 'prod',
  targetKey: 'prod',
  label: '',
  changes: [...changes],
})

describe('an entry of the journal', () => {
  it('names the field with both values, and counts what else changed', () => {
    expect(whatText(entry(edit('a')))).toBe('shares 100 → 30')
    expect(whatText(entry(edit('a'), edit('b')))).toBe('shares 100 → 30 and 1 more')
    expect(whatText(entry(edit('a', { from: null }), edit('b', { to: null }), edit('c')))).toBe(
      '1 created, 1 deleted, shares 100 → 30',
    )
    const to = level('a', { nominalConcurrencyShares: 100 })
    expect(whatText(entry(edit('a', { to })))).toBe('lendable 90 % → none')
  })

  it('names each object once, three at most', () => {
    expect(namesText(entry(edit('a'), edit('a'), edit('b')))).toBe('a and b')
    expect(namesText(entry(edit('a'), edit('b'), edit('c'), edit('d')))).toBe('a, b, c and 1 more')
  })
})

describe('what became of a change', () => {
  const since = (by?: string, what: NonNullable<AppliedChange['since']>['what'] = 'taken-back') =>
    stateText(edit('a', { since: { what, ...(by !== undefined && { by }) } }))

  it('names the API server’s reconciler, any other writer by its name, and nobody where nobody is known', () => {
    expect(since('api-priority-and-fairness-config-producer-v1')).toBe('reverted by the API server’s reconciler')
    expect(since('kubectl')).toBe('reverted by kubectl')
    expect(since('kubectl', 'changed')).toBe('changed since by kubectl')
    expect(since()).toBe('reverted')
  })
})

describe('the journal', () => {
  const undone = entry(edit('a', { state: 'undone' }))
  const lost = entry(edit('a', { since: { what: 'taken-back' } }))

  it.each<[readonly JournalEntry[], string]>([
    [[entry(edit('a'))], 'The edit of prod is in force.'],
    [[undone], 'The edit of prod is no longer in force.'],
    [[entry(edit('a')), entry(edit('b'))], 'All 2 edits of prod are in force.'],
    [[entry(edit('a')), undone], '1 of 2 edits of prod is no longer in force.'],
    [[lost, undone], '2 of 2 edits of prod are no longer in force.'],
  ])('%#: %s', (entries, sentence) => {
    expect(journalSentence(entries, 'prod')).toBe(sentence)
  })
})

it('an empty journal says where it is kept', () => {
  const storage = (origin: Parameters<typeof recordsOf>[0]): string | undefined =>
    recordsOf(origin).find(([what]) => what === 'Storage')?.[1]
  expect(storage('cluster')).toMatch(/console\.db/)
  expect(storage('simulation')).toMatch(/^Kept in memory/)
})
