import { describe, expect, it } from 'vitest'
import { diffLines } from './Diff.tsx'
import { tarOf } from './SaveMenu.tsx'
import { writerText } from './ConflictPane.tsx'
import { applyKey } from './DraftPage.tsx'

describe('a difference of texts', () => {
  const numbered = (from: number, to: number): string[] =>
    Array.from({ length: to - from + 1 }, (_, index) => `${from + index}`)

  it('shows what changes with two lines around it, and how many are left out', () => {
    const before = `${numbered(1, 20).join('\n')}\n`
    const after = before.replace('\n10\n', '\nten\n')
    expect(diffLines(before, after)).toEqual([
      { kind: 'fold', text: '7 lines' },
      { kind: 'same', text: '8' },
      { kind: 'same', text: '9' },
      { kind: 'removed', text: '10' },
      { kind: 'added', text: 'ten' },
      { kind: 'same', text: '11' },
      { kind: 'same', text: '12' },
    ])
  })

  it('is all of a text that is new or gone, and nothing of equal ones', () => {
    expect(diffLines('', 'a\nb\n').map(({ kind }) => kind)).toEqual(['added', 'added'])
    expect(diffLines('a\n', '').map(({ kind }) => kind)).toEqual(['removed'])
    expect(diffLines('a\n', 'a\n')).toEqual([])
  })
})

describe('an archive', () => {
  it('holds its files in blocks, with their sizes and sums', () => {
    const archive = tarOf([
      { path: 'kustomization.yaml', text: 'a: ü\n' },
      { path: 'patches/b.yaml', text: 'x'.repeat(600) },
    ])
    const textAt = (from: number, length: number): string =>
      new TextDecoder().decode(archive.slice(from, from + length)).replace(/\0[^]*$/, '')
    expect(archive.length % 512).toBe(0)
    expect(archive.length).toBe(512 * (1 + 1 + 1 + 2 + 2))
    expect([textAt(0, 100), textAt(1_024, 100)]).toEqual(['kustomization.yaml', 'patches/b.yaml'])
    expect(Number.parseInt(textAt(124, 12), 8)).toBe(6)
    expect(textAt(512, 512)).toBe('a: ü\n')
    const header = archive.slice(0, 512)
    const sum = Number.parseInt(textAt(148, 7), 8)
    header.fill(0x20, 148, 156)
    expect(header.reduce((total, byte) => total + byte, 0)).toBe(sum)
  })
})

describe('who changed an object', () => {
  const object = (managedFields: readonly object[]) => ({ metadata: { name: 'a', managedFields } })

  it('is the manager that wrote last; a status does not count', () => {
    const fields = [
      { manager: 'early', time: '2026-01-01T00:00:00Z' },
      { manager: 'kubectl', time: '2026-01-01T00:01:00Z' },
      { manager: 'api-server', time: '2026-01-01T00:02:00Z', subresource: 'status' },
    ]
    expect(writerText('a', object(fields), Date.parse('2026-01-01T00:01:40Z'))).toBe(
      'a was changed by kubectl 40 s ago.',
    )
  })

  it('is one of several that wrote within the same second', () => {
    const fields = ['apf-console', 'kubectl'].map((manager) => ({ manager, time: '2026-01-01T00:01:00Z' }))
    expect(writerText('a', object(fields), Date.parse('2026-01-01T00:01:40Z'))).toBe(
      'a was changed by apf-console or kubectl 40 s ago.',
    )
  })

  it('is nobody that is known without fields', () => {
    expect(writerText('a', { metadata: {} }, 0)).toBe('a was changed in the meantime.')
  })
})

describe('keys of the draft', () => {
  const stroke = (key: string, modifiers = {}) => ({
    key,
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    altKey: false,
    ...modifiers,
  })

  it.each([
    [stroke('z', { ctrlKey: true }), 'undo'],
    [stroke('Z', { metaKey: true, shiftKey: true }), 'redo'],
    [stroke('y', { ctrlKey: true }), 'redo'],
    [stroke('Enter', { ctrlKey: true }), 'check'],
    [stroke('Enter', { ctrlKey: true, shiftKey: true }), 'apply'],
    [stroke('n'), 'new'],
    [stroke('f'), 'filter'],
    [stroke('z', { altKey: true, ctrlKey: true }), undefined],
    [stroke('k', { ctrlKey: true }), undefined],
  ])('%j means %s', (given, command) => {
    expect(applyKey(given, false)).toBe(command)
  })

  it('letters are off while something is typed', () => {
    expect(applyKey(stroke('n'), true)).toBeUndefined()
    expect(applyKey(stroke('z', { ctrlKey: true }), true)).toBe('undo')
  })
})
