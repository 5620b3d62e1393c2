import { describe, expect, it } from 'vitest'
import type { FlowExplanation } from '../../../../core/classify/classification.ts'
import { dealtHand } from '../../../../core/sharding/overlap.ts'
import type { FlowRow } from '../../../state/flows.logic.ts'
import { handCards, meetingFlows, meetingSentence, queuesOfHand } from './hand.data.ts'

const shape = { queues: 16, handSize: 4 }
const hand = dealtHand({ schema: 's', distinguisher: 'alice' }, shape) ?? []
const flow: FlowExplanation = { method: 'ByUser', distinguisher: 'alice', hash: '1', hand, reason: '', ...shape }

const row = (name: string, queued = 0): FlowRow => ({
  key: `s\n${name}`,
  schema: 's',
  flow: name,
  name,
  queued,
  queuedSeats: queued,
  executing: 0,
  executingSeats: 0,
  share: undefined,
  fair: undefined,
  longestWait: undefined,
  queues: [],
})
const queue = (index: number, pending: number) => ({
  level: 'l',
  index,
  pending,
  executing: 0,
  seatsInUse: 0,
  nextDispatchR: 0,
  initialSeats: 0,
  maxSeats: 0,
  totalWork: 0,
})

describe('the hand of a request', () => {
  it('has depths only where the dump has as many queues as the configuration', () => {
    const queues = Array.from({ length: 16 }, (_, index) => queue(index, index))
    expect(queuesOfHand(queues, flow)).toBe(queues)
    expect(queuesOfHand(queues.slice(1), flow)).toBeUndefined()
    expect(queuesOfHand([], { queues: 0 })).toBeUndefined()
    expect(handCards(hand, queues)).toEqual(hand.map((index) => ({ queue: index, waiting: index })))
    expect(handCards(hand, undefined)[0]?.waiting).toBeUndefined()
  })

  it('meets the hands of other flows, and not its own', () => {
    const names = Array.from({ length: 40 }, (_, index) => `user-${index}`)
    const meeting = meetingFlows(flow, 's', [row('alice', 9), ...names.map((name) => row(name))])
    expect(meeting.map(({ name }) => name)).not.toContain('alice')
    expect(meeting.length).toBeGreaterThan(3)
    for (const { shared } of meeting) for (const index of shared) expect(hand).toContain(index)
    const counts = meeting.map(({ shared }) => shared.length)
    expect(counts).toEqual(counts.toSorted((a, b) => b - a))
  })
})

describe('the sentence about other flows', () => {
  const meets = (name: string, ...shared: number[]) => ({ key: name, name, shared, queued: 0 })

  it.each([
    [[], 0, 'No other flow of this level is present in the dump.'],
    [[], 1, 'The one other present flow shares none of these queues.'],
    [[], 5, 'None of the 5 other present flows shares one of these queues.'],
    [[meets('ci:runner', 126)], 2, '1 queue shared with ci:runner (126)'],
    [
      [meets('a', 1, 2), meets('b', 3), meets('c', 4), meets('d', 5)],
      9,
      '2 queues shared with a (1, 2), 1 with b (3), 1 with c (4), and some with 1 more flow',
    ],
  ])('of %j among %d is %j', (meeting, others, sentence) => {
    expect(meetingSentence(meeting, others)).toBe(sentence)
  })
})
