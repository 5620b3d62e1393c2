import { z } from 'zod'
import { describe, expect, it } from 'vitest'
import type { LiveRequest } from '../../core/contract/live.ts'
import type { DraftComparison } from '../../core/live/draftTally.ts'
import { HERE as LEVEL, requestHere as row } from '../../core/live/live.fixture.ts'
import { costOf, rowPrinter, draftSummary } from './liveTraffic.ts'

const answered = (seq: number, state: LiveRequest['state'], more: Partial<LiveRequest> = {}): LiveRequest =>
  row(seq, state, { status: 200, ...more })
const candidate = (state: LiveRequest['state']) => ({ ...LEVEL, state })

/** What is printed for each event, and at the end. */
function printed(...events: readonly (readonly LiveRequest[])[]): readonly (readonly string[])[] {
  const values: unknown[] = []
  const told: string[] = []
  const printer = rowPrinter({
    printJson: (value) => void values.push(value),
    tell: (sentence) => void told.push(sentence),
  })
  const taken = (): string[] =>
    values.splice(0).map((value) => {
      const { seq, state, candidate: beside } = LineSchema.parse(value)
      return `${seq} ${state}${beside === undefined ? '' : ` ${beside.state}`}`
    })
  const perEvent = events.map((requests) => {
    printer.take({ requests: [...requests], dropped: 0 })
    return taken()
  })
  printer.rest()
  expect(told).toEqual([])
  return [...perEvent, taken()]
}
const LineSchema = z.object({
  seq: z.number(),
  state: z.string(),
  candidate: z.object({ state: z.string() }).optional(),
})

it('says what a proxy cost itself for each request', () => {
  expect(costOf(1_000, { user: 200_000, system: 50_000 }, 84_000_000)).toMatch(
    /^The proxy took 0\.3 ms of processor time per request, and 8\d(?:\.\d)? M\S*B of memory\.$/,
  )
})

describe('rows as lines', () => {
  it('come once, when the request has ended and its server has answered', () => {
    expect(
      printed(
        [row(0, 'executing'), row(1, 'served'), answered(2, 'served')],
        [answered(0, 'served'), answered(1, 'served'), answered(2, 'served')],
        [row(3, 'waiting'), row(4, 'cancelled')],
      ),
    ).toEqual([['2 served'], ['0 served', '1 served'], ['4 cancelled'], []])
  })

  it('wait for a draft that has not done with the request', () => {
    expect(
      printed(
        [
          answered(0, 'served', { candidate: candidate('waiting') }),
          answered(1, 'rejected', { candidate: candidate('executing') }),
        ],
        [
          answered(0, 'served', { candidate: candidate('executing') }),
          answered(1, 'rejected', { candidate: candidate('served') }),
        ],
        [answered(0, 'served', { candidate: candidate('served') })],
        [answered(0, 'served', { candidate: candidate('served') })],
      ),
    ).toEqual([[], ['1 rejected served'], ['0 served served'], [], []])
  })

  it('are printed in the end as they are, if only the draft goes on', () => {
    expect(
      printed(
        [
          answered(0, 'served', { candidate: candidate('waiting') }),
          row(1, 'executing', { candidate: candidate('served') }),
        ],
        [answered(0, 'served', { candidate: candidate('executing') })],
      ),
    ).toEqual([[], [], ['0 served executing']])
  })

  it('do not wait for a draft when the client left', () => {
    expect(printed([row(0, 'cancelled', { candidate: candidate('waiting') })])).toEqual([['0 cancelled waiting'], []])
  })

  it('come with a sentence about those that do not', () => {
    const told: string[] = []
    const printer = rowPrinter({ printJson: () => undefined, tell: (sentence) => void told.push(sentence) })
    printer.take({ requests: [], dropped: 12 })
    expect(told).toEqual(['12 changes were dropped: too many to print.'])
  })
})

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
      'All decisions are the same.',
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
      'Compared 20 requests: without the draft 15 dispatched, rejected 3 queue-full, 2 cancelled while waiting; with it 14 dispatched, rejected 5 concurrency-limit, 1 time-out.',
      '7 were decided differently: 4 rejected only with the draft, 1 rejected only without it, 2 in another flow schema or level.',
      'Wait in added, 99th percentile: no request without the draft, 123 ms with it.',
      'Wait in gone, 99th percentile: 0.3 ms without the draft, no request with it.',
      'Wait in here, 99th percentile: 4.0 ms without the draft, 1.84 s with it.',
      '1 request still waited in one of the two.',
      '3 requests came too fast to be compared and are counted on neither side.',
    ])
  })
})
