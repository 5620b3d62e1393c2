import type { FlowExplanation } from '../../../../core/classify/classification.ts'
import { dealtHand, sharedQueues } from '../../../../core/sharding/overlap.ts'
import type { DumpQueue } from '../../../../core/frame/dump.ts'
import type { FlowRow } from '../../../state/flows.logic.ts'

/** A queue of the hand. */
export interface HandCard {
  readonly queue: number
  /** Requests that wait in it; `undefined` without a dump of the level as it is configured. */
  readonly waiting: number | undefined
}

/**
 * Queues of the level by index, when the dump shows as many as the configuration has: the hand of a flow is then a hand
 * of these.
 */
export function queuesOfHand(
  queues: readonly DumpQueue[] | undefined,
  { queues: configured }: Pick<FlowExplanation, 'queues'>,
): readonly DumpQueue[] | undefined {
  return queues?.length === configured && configured > 0 ? queues : undefined
}

export function handCards(hand: readonly number[], queues: readonly DumpQueue[] | undefined): readonly HandCard[] {
  const waiting = new Map(queues?.map(({ index, pending }) => [index, pending]))
  return hand.map((queue) => ({ queue, waiting: queues === undefined ? undefined : (waiting.get(queue) ?? 0) }))
}

/** A present flow whose hand meets that of the request. */
export interface MeetingFlow {
  readonly key: string
  readonly name: string
  readonly shared: readonly number[]
  /** Requests of it that wait. */
  readonly queued: number
}

/** Present flows of the level that share queues with a hand: most shared queues first, then most that wait. */
export function meetingFlows(
  { hand, distinguisher, queues, handSize }: FlowExplanation,
  schema: string,
  flows: readonly FlowRow[],
): readonly MeetingFlow[] {
  return flows
    .filter((flow) => flow.schema !== schema || flow.flow !== distinguisher)
    .flatMap((flow): MeetingFlow[] => {
      const other = dealtHand({ schema: flow.schema, distinguisher: flow.flow }, { queues, handSize })
      const shared = other === undefined ? [] : sharedQueues(hand, other)
      return shared.length === 0 ? [] : [{ key: flow.key, name: flow.name, shared, queued: flow.queued }]
    })
    .toSorted((a, b) => b.shared.length - a.shared.length || b.queued - a.queued)
}

const MOST_NAMED = 3

/** `1 queue shared with ci:runner (126), 1 with logs:shipper (45)`. */
export function meetingSentence(meeting: readonly MeetingFlow[], others: number): string {
  if (others === 0) return 'No other flow of this level is present in the dump.'
  const [first, ...rest] = meeting
    .slice(0, MOST_NAMED)
    .map(({ name, shared }) => ({ count: shared.length, text: `with ${name} (${shared.join(', ')})` }))
  if (first === undefined)
    return others === 1
      ? 'The one other present flow shares none of these queues.'
      : `None of the ${others} other present flows shares one of these queues.`
  const named = rest.map(({ count, text }) => `${count} ${text}`)
  const more = meeting.length - MOST_NAMED
  return [
    `${first.count === 1 ? '1 queue' : `${first.count} queues`} shared ${first.text}`,
    ...named,
    ...(more > 0 ? [`and some with ${more} more ${more === 1 ? 'flow' : 'flows'}`] : []),
  ].join(', ')
}
