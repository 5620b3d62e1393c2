import type {
  Classification,
  Explained,
  SchemaTrace,
  FlowExplanation,
} from '../../../../core/classify/classification.ts'
import { dealtHand, sharedQueues } from '../../../../core/sharding/overlap.ts'
import type { DumpQueue } from '../../../../core/frame/dump.ts'
import { plural } from '../../../../core/text/format.ts'
import { format } from '../../../theme/format.ts'
import type { FlowRow } from '../../../state/flows.logic.ts'

export function draftSentence(now: Explained, draft: Explained): string {
  if (!now.ok || !draft.ok) return 'Draft: no server classifies this request, with the draft or without it.'
  const [was, is] = [now.classification, draft.classification]
  if (was.priorityLevel !== is.priorityLevel) return `Draft: goes to ${is.priorityLevel}, matched by ${is.flowSchema}.`
  if (was.flowSchema !== is.flowSchema)
    return `Draft: stays in ${is.priorityLevel}, matched by ${is.flowSchema} instead.`
  const seats =
    was.seats.width === is.seats.width ? [] : [`takes ${seatsText(is.seats.width)} instead of ${was.seats.width}`]
  const dealt = was.flow.hand.join() === is.flow.hand.join() ? [] : ['its flow is dealt another hand']
  const changes = [...seats, ...dealt]
  return changes.length === 0
    ? `Draft: stays in ${is.priorityLevel}, matched by ${is.flowSchema} as now.`
    : `Draft: stays in ${is.priorityLevel}, but ${changes.join(' and ')}.`
}

export const seatsText = (seats: number): string => format.counted(seats, 'seat')

/** One schema on both configurations; absent where a configuration has no schema of that name. */
export interface ComparedSchema {
  readonly name: string
  readonly now?: SchemaTrace
  readonly draft?: SchemaTrace
  readonly differs: boolean
}

/**
 * Schemas of both in the matching order of the draft; those that only the present has are inserted at their position.
 */
export function comparedSchemas(now: Classification, draft: Classification): readonly ComparedSchema[] {
  const was = new Map(now.trace.map((trace) => [trace.flowSchema, trace]))
  const is = new Map(draft.trace.map((trace) => [trace.flowSchema, trace]))
  const names = [...is.keys()]
  let after = -1
  for (const name of was.keys()) {
    const at = names.indexOf(name)
    if (at === -1) {
      after += 1
      names.splice(after, 0, name)
    } else after = Math.max(after, at)
  }
  return names.map((name): ComparedSchema => {
    const [before, trace] = [was.get(name), is.get(name)]
    return {
      name,
      ...(before && { now: before }),
      ...(trace && { draft: trace }),
      differs: stands(before) !== stands(trace),
    }
  })
}

/** The relevant facts about a schema for this request, as one text. */
const stands = (trace: SchemaTrace | undefined): string =>
  trace === undefined
    ? ''
    : [trace.matchingPrecedence, trace.priorityLevel, trace.matched, trace.decides, trace.reached].join(' ')

/** `is used`, `does not match`, `would match`, `not reached`, `does not exist`. */
export function verdictText(trace: SchemaTrace | undefined): string {
  if (trace === undefined) return 'does not exist'
  if (trace.decides) return 'is used'
  if (trace.reached) return 'does not match'
  return trace.matched ? 'would match' : 'not reached'
}

interface HandCard {
  readonly queue: number
  /** Requests that wait in it; `undefined` without a dump of the level as it is configured. */
  readonly waiting: number | undefined
}

/**
 * Queues of the level by index, when the dump shows as many as the configuration has. Only then do the indexes of a
 * hand refer to these queues.
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

/** A present flow whose hand overlaps that of the request. */
interface MeetingFlow {
  readonly key: string
  readonly name: string
  readonly shared: readonly number[]
  /** Its waiting requests. */
  readonly queued: number
}

/** Present flows of the level that share queues with a hand: most shared queues first, then most waiting requests. */
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

/** `1 queue shared with ci:runner (126), 1 with logs:shipper (45).` */
export function meetingSentence(meeting: readonly MeetingFlow[], others: number): string {
  if (others === 0) return 'No other flow of this level is present in the dump.'
  const [first, ...rest] = meeting
    .slice(0, MOST_NAMED)
    .map(({ name, shared }) => ({ count: shared.length, text: `with ${name} (${shared.join(', ')})` }))
  if (first === undefined)
    return plural(
      others,
      'The one other present flow shares none of these queues.',
      `None of the ${others} other present flows shares one of these queues.`,
    )
  const named = rest.map(({ count, text }) => `${count} ${text}`)
  const more = meeting.length - MOST_NAMED
  const shared = [
    `${format.counted(first.count, 'queue')} shared ${first.text}`,
    ...named,
    ...(more > 0 ? [`and some with ${more} more ${plural(more, 'flow', 'flows')}`] : []),
  ]
  return `${shared.join(', ')}.`
}
