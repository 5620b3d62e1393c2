import { describe, expect, it } from 'vitest'
import { liveRequest } from './live.fixture.ts'
import { sampleOf, saidByServer, storyOf, timeParts } from './request.data.ts'
import { shadowRows } from './shadow.data.ts'
import { exactPercent, nowSentence } from './sentence.ts'
import { shownColumns, STREAM_COLUMNS, withColumn } from './columns.tsx'

describe('one request', () => {
  it('where its time went', () => {
    expect(timeParts(liveRequest({ waitMs: 3_000, runMs: 900, lingerMs: 100 }))).toEqual([
      { name: 'queue', ms: 3_000, share: 0.75 },
      { name: 'execution', ms: 900, share: 0.225 },
      { name: 'lingering', ms: 100, share: 0.025 },
    ])
    expect(timeParts({ ...liveRequest({ waitMs: 0 }), runMs: 0 })).toMatchObject([{ share: 0 }, { share: 0 }])
  })

  it.each([
    [{ state: 'waiting' } as const, /waits in queue 14 of workload-low for 2 seats/],
    [{ state: 'served' } as const, /held 2 seats of workload-low after 1\.00 s in queue 14/],
    [{ state: 'rejected', waitMs: 0 } as const, /refused at queue 14 of workload-low at once/],
    [{ level: 'exempt', schema: 'probes' } as const, /probes is exempt/],
    [{ state: 'bypassed' } as const, /takes no seat/],
  ])('what became of it: %o', (change, text) => expect(storyOf(liveRequest(change))).toMatch(text))

  it('as the form of One request asks it', () => {
    expect(sampleOf(liveRequest({ verb: 'watch' }))).toMatchObject({
      method: 'GET',
      url: '/api/v1/namespaces/tenant-1/pods?watch=true',
    })
  })

  it('what the server said, and only that', () => {
    expect(saidByServer(liveRequest())).toEqual([])
    expect(saidByServer(liveRequest({ server: { level: 'x', initialSeats: 2 } }))).toMatchObject([
      { what: 'priority level', engine: 'workload-low', server: 'x', same: false },
      { what: 'seats', engine: '2', server: '2', same: true },
    ])
  })
})

describe('the sentence', () => {
  const facts = { filtered: true, rate: 34.6, agreement: { compared: 11_204, same: 11_190 }, quietMs: 100 }
  it('says what passes and how far the engine is the server', () => {
    expect(nowSentence(facts)).toBe('34.6 requests/s pass this filter. Server and engine agree on 99.87 % of them.')
    expect(nowSentence({ ...facts, filtered: false, agreement: { compared: 0, same: 0 } })).toBe(
      '34.6 requests/s arrive.',
    )
    expect(nowSentence({ ...facts, quietMs: 14_000 })).toBe('No request for 14 s.')
    expect(nowSentence({ ...facts, quietMs: undefined })).toBe('No request has come yet.')
  })
  it('never rounds up to everything', () => {
    expect(exactPercent({ compared: 1_000_000, same: 999_999 })).toBe('99.99 %')
    expect(exactPercent({ compared: 3, same: 3 })).toBe('100 %')
  })
})

it('A and B side by side; noise has no verdict', () => {
  const a = { arrived: 100, rejected: 300, executingSeats: 491, queued: 100, waitP99: { low: 41, high: 6_420 } }
  const b = { arrived: 100, rejected: 900, executingSeats: 348, queued: 101, waitP99: { low: 12, high: 6_400 } }
  expect(shadowRows({ a, b, different: 1 }).map(({ what, verdict }) => [what, verdict])).toEqual([
    ['rejected /s', 'worse'],
    ['wait p99, low', 'better'],
    ['wait p99, high', undefined],
    ['executing seats', undefined],
    ['queued requests', undefined],
  ])
})

it('columns are the usual ones until the reader chooses, and fewer where there is no room', () => {
  const ids = (chosen: readonly string[], narrow = false) => shownColumns(chosen, narrow).map(({ id }) => id)
  const column = STREAM_COLUMNS.find(({ id }) => id === 'namespace')
  if (column === undefined) throw new Error('there is such a column')
  expect(ids([])).toContain('namespace')
  expect(ids([], true)).not.toContain('namespace')
  const hidden = withColumn([], column, false, false)
  expect(ids(hidden)).not.toContain('namespace')
  expect(withColumn(hidden, column, true, false)).toEqual([])
  expect(ids(withColumn([], column, true, true), true)).toContain('namespace')
})
