import { describe, expect, it } from 'vitest'
import type { AppliedChange, JournalEntry } from '../../core/contract/objects.ts'
import { followed, foundByNext, isOpen, resolved } from './journal.ts'

const version = (number: number) => ({ metadata: { name: 'a' }, spec: { number } })
const change = (from: number | null, to: number | null, more: Partial<AppliedChange> = {}): AppliedChange => ({
  kind: 'FlowSchema',
  name: 'a',
  from: from === null ? null : version(from),
  to: to === null ? null : version(to),
  state: 'applied',
  ...more,
})
const sending = (way: 'apply' | 'undo' | 'redo'): Partial<AppliedChange> => ({
  state: way === 'apply' ? 'not-applied' : way === 'undo' ? 'applied' : 'undone',
  sending: { way, at: '', console: 'c', pid: 1, fieldManager: 'apf-console' },
})
const entry = (id: string, ...changes: AppliedChange[]): JournalEntry => ({
  id,
  at: '',
  target: 't',
  targetKey: 't',
  label: '',
  changes,
})

describe('the outcome of a change whose console ended', () => {
  it.each([
    ['apply', 2, 'applied'],
    ['apply', 1, 'not-applied'],
    ['apply', 3, 'unknown'],
    ['apply', null, 'unknown'],
    ['undo', 1, 'undone'],
    ['undo', 2, 'applied'],
    ['undo', 3, 'unknown'],
    ['redo', 2, 'applied'],
    ['redo', 1, 'undone'],
  ] as const)('of %s with version %s found is %s', (way, found, state) => {
    const after = resolved(change(1, 2, sending(way)), found === null ? null : version(found))
    expect(after).toEqual(change(1, 2, { state }))
  })

  it('is looked at again while the server may still be late', () => {
    const late = change(1, 2, { state: 'not-applied' })
    expect(isOpen(late, false)).toBe(true)
    expect(resolved(late, version(2))).toEqual(change(1, 2))
    expect(isOpen(change(1, 2), false)).toBe(false)
  })

  it('is not looked for while its console runs', () => {
    expect(isOpen(change(1, 2, sending('apply')), true)).toBe(false)
    expect(isOpen(change(1, 2, sending('apply')), false)).toBe(true)
  })

  it('is what the next entry that was carried out found', () => {
    const open = entry('1', change(1, 2, sending('apply')))
    const found = (next: AppliedChange) =>
      foundByNext([entry('3', change(7, 8)), entry('2', next), open], open, change(1, 2))
    expect(found(change(2, 5))).toEqual({ object: version(2) })
    expect(found(change(2, 5, sending('apply')))).toBe('unsettled')
    // A change that was not applied may have read the object too early.
    expect(found(change(1, 5, { state: 'not-applied' }))).toEqual({ object: version(7) })
    expect(found({ ...change(2, 5), name: 'other' })).toEqual({ object: version(7) })
    expect(foundByNext([open, entry('0', change(0, 1))], open, change(1, 2))).toBeUndefined()
  })
})

describe('what became of a change', () => {
  const by = { by: 'somebody', at: '2026-01-01T00:00:00Z' }
  it.each([
    [change(1, 2), 2, undefined],
    [change(1, 2), 1, { what: 'taken-back', ...by }],
    [change(1, 2), 3, { what: 'changed', ...by }],
    [change(1, 2), null, { what: 'deleted' }],
    [change(null, 2), null, { what: 'taken-back' }],
    [change(1, null), 4, { what: 'created', ...by }],
    [change(1, null), 1, { what: 'taken-back', ...by }],
    [change(1, 2, { state: 'undone' }), 1, undefined],
    [change(1, 2, { state: 'undone' }), 2, { what: 'taken-back', ...by }],
    [change(1, 2, { state: 'unknown' }), 3, undefined],
    [change(1, 2, sending('undo')), 3, undefined],
  ])('%j with version %s there', (one, present, since) => {
    expect(followed(one, present === null ? null : version(present), by).since).toEqual(since)
  })
})
