import { describe, expect, it } from 'vitest'
import { liveRequest } from '../../../core/live/live.fixture.ts'
import { sampleOf, saidByServer, storyOf, timeParts } from './RequestPane.tsx'
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
    [{ state: 'rejected', waitMs: 0 } as const, /rejected at queue 14 of workload-low at once/],
    [{ level: 'exempt', schema: 'probes' } as const, /probes is exempt/],
    [{ state: 'bypassed' } as const, /takes no seat/],
  ])('what became of it: %o', (change, text) => expect(storyOf(liveRequest(change))).toMatch(text))

  it('as the form of One request asks it', () => {
    expect(sampleOf(liveRequest({ verb: 'watch' }))).toMatchObject({
      method: 'GET',
      url: '/api/v1/namespaces/tenant-1/pods?watch=true',
    })
  })

  it('says of one that was crowded out that neither engine nor server saw it', () => {
    const crowded = liveRequest({ state: 'crowded-out', level: '', schema: '', flow: '', status: 429 })
    expect(storyOf(crowded)).toMatch(/^The proxy rejected it before the engine or the server received it: .*64 MB/)
  })

  it('what the server said, and only that', () => {
    expect(saidByServer(liveRequest())).toEqual([])
    expect(saidByServer(liveRequest({ server: { level: 'x', initialSeats: 2 } }))).toMatchObject([
      { what: 'priority level', engine: 'workload-low', server: 'x', same: false },
      { what: 'seats', engine: '2', server: '2', same: true },
    ])
  })
})

it('columns are the usual ones until the reader chooses, and fewer where there is no room', () => {
  const wide = { narrow: false, server: true }
  const narrow = { narrow: true, server: true }
  const ids = (chosen: readonly string[], room = wide) => shownColumns(chosen, room).map(({ id }) => id)
  const column = STREAM_COLUMNS.find(({ id }) => id === 'namespace')
  if (column === undefined) throw new Error('there is such a column')
  expect(ids([])).toContain('namespace')
  expect(ids([], narrow)).not.toContain('namespace')
  // Only the engine reports anything, which leaves room for `lingers`.
  expect(ids([], { narrow: false, server: false })).toEqual(expect.not.arrayContaining(['real', 'agree']))
  expect(ids([], { narrow: false, server: false })).toContain('lingers')
  const hidden = withColumn([], column, false, wide)
  expect(ids(hidden)).not.toContain('namespace')
  expect(withColumn(hidden, column, true, wide)).toEqual([])
  expect(ids(withColumn([], column, true, narrow), narrow)).toContain('namespace')
})
