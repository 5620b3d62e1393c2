import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFilter } from '../../../core/filter/filter.ts'
import { LIVE_VOCABULARY } from '../../../core/live/liveFilter.ts'
import { allKeysAt, completionsAt, segmentsOf } from './filterBar.data.ts'
import { liveRequest } from '../../../core/live/live.fixture.ts'

const rows = [
  liveRequest({ level: 'workload-low' }),
  liveRequest({ level: 'workload-low' }),
  liveRequest({ level: 'workload-high', namespace: 'a b', groups: ['system:masters', 'dev'] }),
]
const tokens = (text: string) => parseFilter(text, LIVE_VOCABULARY)
const offered = (text: string) => completionsAt(text, text.length, rows)?.options.map(({ token }) => token)

describe('what is drawn behind the field', () => {
  it('marks tokens, and those that are not understood', () => {
    expect(segmentsOf(' verb:list wait>soon', tokens(' verb:list wait>soon'))).toEqual([
      { text: ' ', look: 'blank' },
      { text: 'verb:list', look: 'token' },
      { text: ' ', look: 'blank' },
      { text: 'wait>soon', look: 'wrong' },
    ])
  })
  it('is the whole text, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(
          segmentsOf(text, tokens(text))
            .map((part) => part.text)
            .join(''),
        ).toBe(text)
      }),
    )
  })
})

describe('completions', () => {
  it('of keys', () => {
    expect(offered('sch')).toEqual(['schema:'])
    expect(offered('-re')).toEqual(['-resource:', '-reason:', '-real>'])
  })
  it('of names that were seen, the most frequent first', () => {
    expect(offered('level:')).toEqual(['level:workload-low', 'level:workload-high'])
    expect(offered('-level:workload-low,hi')).toEqual(['-level:workload-low,workload-high'])
    expect(offered('ns:a')?.[0]).toBe('ns:"a b"')
    expect(offered('group:dev')).toEqual(['group:dev'])
  })
  it('of everything that can be asked, where no token stands', () => {
    const all = allKeysAt('verb:list ', 10)
    expect(all).toMatchObject({ start: 10, end: 10 })
    expect(all?.options.map(({ token }) => token)).toEqual(expect.arrayContaining(['level:', 'user:', 'wait>']))
    // A key without an explanation would be an empty line.
    expect(all?.options.filter(({ help = '' }) => help === '')).toEqual([])
    expect(allKeysAt('verb:list', 9)).toBeUndefined()
  })
  it('not inside a token, for nothing, or for what nobody has', () => {
    expect(completionsAt('level:workload', 3, rows)).toBeUndefined()
    expect(offered('')).toBeUndefined()
    expect(offered('level:xyz')).toBeUndefined()
    expect(offered('wait>')).toBeUndefined()
  })
})
