import { describe, expect, it } from 'vitest'
import { exactPercent, nowSentence, type NowFacts } from './sentence.ts'

const facts: NowFacts = {
  source: 'live',
  filtered: false,
  passing: 100,
  known: 400,
  rate: 34.6,
  unanswered: false,
  agreement: { compared: 0, same: 0 },
  quietMs: 20,
}
const say = (change: Partial<NowFacts> = {}): string => nowSentence({ ...facts, ...change })

describe('the sentence over live requests', () => {
  it('tells what comes, and how far the server agrees', () => {
    expect(say()).toBe('34.6 requests/s arrive.')
    expect(say({ filtered: true })).toBe('34.6 requests/s match this filter.')
    expect(say({ agreement: { compared: 10_000, same: 9_999 } })).toBe(
      '34.6 requests/s arrive. Server and engine agree on 99.99 % of the 10\u202f000 requests whose level the server reported.',
    )
  })

  it('says first what is wrong', () => {
    expect(say({ unanswered: true })).toBe('The server behind the proxy does not respond.')
    expect(say({ source: 'stale', unanswered: true })).toBe('The source reports nothing new.')
    expect(say({ source: 'unreached' })).toBe('The console does not respond.')
    expect(say({ quietMs: 14_000 })).toBe('No request for 14 s.')
    expect(say({ quietMs: undefined })).toBe('No requests yet.')
  })

  it('of a file, how many were read: nothing arrives any more', () => {
    expect(say({ source: 'still', quietMs: 0 })).toBe('400 requests are read.')
    expect(say({ source: 'still', filtered: true })).toBe('100 of 400 requests match this filter.')
  })

  it('never rounds up to everything', () => {
    expect(exactPercent({ compared: 100_000, same: 99_999 })).toBe('99.99 %')
    expect(exactPercent({ compared: 3, same: 3 })).toBe('100 %')
  })
})
