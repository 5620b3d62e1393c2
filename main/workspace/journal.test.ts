import { describe, expect, it } from 'vitest'
import type { JournalEntry } from '../../core/contract/objects.ts'
import { divide, entriesOf, stepsOf, withEntry, withoutTarget } from './journal.ts'

const entry = (id: string, targetKey = 't', size = 0): JournalEntry => ({
  id,
  at: '',
  target: 't',
  targetKey,
  label: '',
  state: 'applied',
  changes: [
    { kind: 'FlowSchema', name: 'a', from: null, to: { text: 'x'.repeat(size) } },
    { kind: 'FlowSchema', name: 'b', from: {}, to: null },
  ],
})

describe('the journal', () => {
  it('has the newest first and each entry once', () => {
    const journal = withEntry(withEntry([], entry('1')), entry('2', 'u'))
    expect(journal.map(({ id }) => id)).toEqual(['2', '1'])
    expect(withEntry(journal, { ...entry('1'), label: 'new' }).map(({ label }) => label)).toEqual(['', 'new'])
    expect(entriesOf(journal, 'u').map(({ id }) => id)).toEqual(['2'])
    expect(withoutTarget(journal, 'u').map(({ id }) => id)).toEqual(['1'])
  })

  it('forgets the oldest beyond its bounds, and never the newest', () => {
    let journal: JournalEntry[] = []
    for (let id = 0; id < 510; id++) journal = withEntry(journal, entry(String(id)))
    expect([journal.length, journal[0]?.id]).toEqual([500, '509'])
    const large = withEntry(withEntry(journal, entry('large', 't', 5_000_000)), entry('larger', 't', 9_000_000))
    expect(large.map(({ id }) => id)).toEqual(['larger'])
  })

  it('turns the changes round, the last one first', () => {
    expect(stepsOf(entry('1'), 'redo').map(({ name }) => name)).toEqual(['a', 'b'])
    expect(stepsOf(entry('1'), 'undo')).toEqual([
      { kind: 'FlowSchema', name: 'b', from: null, to: {} },
      { kind: 'FlowSchema', name: 'a', from: { text: '' }, to: null },
    ])
  })

  it('divides an entry only where a part of it was turned', () => {
    const turned = (names: string[]) =>
      divide(entry('1'), 'undo', ({ name }) => (names.includes(name) ? { resourceVersion: '9' } : undefined), 'new')
    expect(turned([])).toEqual({ left: entry('1') })
    expect(turned(['a', 'b'])).toMatchObject({ turned: { id: '1', state: 'undone' } })
    expect(turned(['a', 'b']).left).toBeUndefined()
    expect(turned(['b'])).toMatchObject({
      turned: { id: 'new', state: 'undone', changes: [{ name: 'b', resourceVersion: '9' }] },
      left: { id: '1', state: 'applied', changes: [{ name: 'a' }] },
    })
  })
})
