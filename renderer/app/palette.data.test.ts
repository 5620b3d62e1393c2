import { describe, expect, it } from 'vitest'
import { matchItems, paletteItems, parseQuery } from './palette.data.ts'

const items = paletteItems({
  screens: [{ name: 'overview', label: 'Overview', key: '1' }],
  levels: [
    { name: 'workload-low', detail: '307/307 seats, rejecting' },
    { name: 'workload-high', detail: '64/75 seats' },
  ],
  schemas: [{ name: 'service-accounts', level: 'workload-low' }],
  filters: ['wait>1s', 'pl:workload-low verb:list'],
  paused: false,
  connected: true,
})
const labels = (query: string): string[] => matchItems(items, query).map(({ label }) => label)

describe('the palette', () => {
  it('reads prefixes', () => {
    expect(parseQuery('@work low')).toEqual({ group: 'Levels', words: ['work', 'low'] })
    expect(parseQuery('>')).toEqual({ group: 'Actions', words: [] })
    expect(parseQuery('  Work')).toEqual({ words: ['work'] })
  })

  it('keeps to the group that was asked for', () => {
    expect(labels('@')).toEqual(['workload-low', 'workload-high'])
    expect(labels('#serv')).toEqual(['service-accounts'])
    expect(new Set(matchItems(items, '>').map(({ group }) => group))).toEqual(new Set(['Actions']))
  })

  it('finds saved filters by what they ask, or all of them by their prefix', () => {
    expect(labels('=')).toEqual(['wait>1s', 'pl:workload-low verb:list'])
    expect(labels('wait>1')).toEqual(['wait>1s'])
    expect(matchItems(items, 'verb:list')[0]?.does).toEqual({ kind: 'filter', filter: 'pl:workload-low verb:list' })
  })

  it('needs every word, and puts the better match first', () => {
    expect(labels('low work')[0]).toBe('workload-low')
    expect(labels('rejecting')).toContain('workload-low')
    expect(labels('workload nothing')).toEqual([])
  })

  it('has the glossary only when words or the prefix ask for it', () => {
    expect(matchItems(items, '').some(({ group }) => group === 'Glossary')).toBe(false)
    expect(labels('? watermark')).toEqual(['high watermark'])
    expect(labels('seat-sec')).toEqual(['seat-second'])
  })

  it('names the action by what it would do', () => {
    expect(labels('> pause')).toContain('Pause')
    const paused = paletteItems({ screens: [], levels: [], schemas: [], filters: [], paused: true, connected: false })
    expect(matchItems(paused, '> go on').map(({ label }) => label)).toContain('Go on')
    expect(matchItems(paused, '> disconnect')).toEqual([])
  })

  it('gives every item an identity of its own', () => {
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
  })
})
