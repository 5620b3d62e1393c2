import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { LiveRequest } from '../../core/contract/live.ts'
import { rowPrinter } from './liveRows.ts'

const row = (seq: number, state: LiveRequest['state'], more: Partial<LiveRequest> = {}): LiveRequest => ({
  seq,
  at: 0,
  user: 'alice',
  groups: [],
  verb: 'get',
  url: '/',
  resource: 'pods',
  namespace: '',
  name: '',
  flow: '',
  seats: { initial: 1, final: 0 },
  level: 'here',
  schema: 'mine',
  state,
  ...more,
})
const answered = (seq: number, state: LiveRequest['state'], more: Partial<LiveRequest> = {}): LiveRequest =>
  row(seq, state, { status: 200, ...more })
const shadow = (state: LiveRequest['state']) => ({ level: 'here', schema: 'mine', state })

/** What is printed of each event, and in the end. */
function printed(...events: readonly (readonly LiveRequest[])[]): readonly (readonly string[])[] {
  const values: unknown[] = []
  const told: string[] = []
  const printer = rowPrinter({
    printJson: (value) => void values.push(value),
    tell: (sentence) => void told.push(sentence),
  })
  const taken = (): string[] =>
    values.splice(0).map((value) => {
      const { seq, state, shadow: beside } = LineSchema.parse(value)
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
const LineSchema = z.object({ seq: z.number(), state: z.string(), shadow: z.object({ state: z.string() }).optional() })

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
          answered(0, 'served', { shadow: shadow('waiting') }),
          answered(1, 'rejected', { shadow: shadow('executing') }),
        ],
        [answered(0, 'served', { shadow: shadow('executing') }), answered(1, 'rejected', { shadow: shadow('served') })],
        [answered(0, 'served', { shadow: shadow('served') })],
        [answered(0, 'served', { shadow: shadow('served') })],
      ),
    ).toEqual([[], ['1 rejected served'], ['0 served served'], [], []])
  })

  it('are printed in the end as they are, if only the draft goes on', () => {
    expect(
      printed(
        [answered(0, 'served', { shadow: shadow('waiting') }), row(1, 'executing', { shadow: shadow('served') })],
        [answered(0, 'served', { shadow: shadow('executing') })],
      ),
    ).toEqual([[], [], ['0 served executing']])
  })

  it('do not wait for a draft when the client left', () => {
    expect(printed([row(0, 'cancelled', { shadow: shadow('waiting') })])).toEqual([['0 cancelled waiting'], []])
  })

  it('come with a sentence about those that do not', () => {
    const told: string[] = []
    const printer = rowPrinter({ printJson: () => undefined, tell: (sentence) => void told.push(sentence) })
    printer.take({ requests: [], dropped: 12 })
    expect(told).toEqual(['12 changes were too many to print.'])
  })
})
