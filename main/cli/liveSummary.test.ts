import { describe, expect, it } from 'vitest'
import type { DraftComparison } from '../../core/live/draftTally.ts'
import { draftSummary } from './liveSummary.ts'

const NONE = { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 }
const SAME: DraftComparison = {
  compared: 1,
  undecided: 0,
  missed: 0,
  a: { dispatched: 1, rejected: NONE, waitP99: { here: 4 } },
  b: { dispatched: 1, rejected: NONE, waitP99: { here: 4 } },
  different: { rejectedByA: 0, rejectedByB: 0, elsewhere: 0 },
}

describe('the summary of a draft', () => {
  it('is short where nothing differs', () => {
    expect(draftSummary(SAME)).toEqual([
      'Compared 1 request: without the draft 1 dispatched, none rejected; with it 1 dispatched, none rejected.',
      'None was decided differently.',
    ])
  })

  it('says what differs, and what was not compared', () => {
    expect(
      draftSummary({
        compared: 20,
        undecided: 1,
        missed: 3,
        a: { dispatched: 15, rejected: { ...NONE, 'queue-full': 3 }, waitP99: { here: 4, gone: 0.25, same: 7 } },
        b: {
          dispatched: 14,
          rejected: { ...NONE, 'concurrency-limit': 5, 'time-out': 1 },
          waitP99: { here: 1_840.5, same: 7, added: 123.4 },
        },
        different: { rejectedByA: 1, rejectedByB: 4, elsewhere: 2 },
      }),
    ).toEqual([
      'Compared 20 requests: without the draft 15 dispatched, rejected 3 queue-full, 2 gone while waiting; with it 14 dispatched, rejected 5 concurrency-limit, 1 time-out.',
      '7 were decided differently: 4 rejected with the draft alone, 1 rejected without it alone, 2 in another flow schema or level.',
      'Wait in added, 99th percentile: no request without the draft, 120 ms with it.',
      'Wait in gone, 99th percentile: 0.25 ms without the draft, no request with it.',
      'Wait in here, 99th percentile: 4 ms without the draft, 1.8 s with it.',
      '1 request still waited in one of the two.',
      '3 requests came too fast to be compared and are counted on neither side.',
    ])
  })
})
