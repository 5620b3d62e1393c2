import { plain } from '../text/format.ts'
import type { Queuing } from './objects.ts'

/** Bits above which a dealer is rejected, to keep the bias of the last card small (specification 3.1). */
export const MAX_ENTROPY_BITS = 60
const MAX_DECK = 2 ** 26

/** Bits of the hash that dealing `hand` of `deck` cards uses up. Not meaningful for a deck below 1. */
export function requiredEntropyBits(deck: number, hand: number): number {
  return Math.ceil(Math.log2(deck) * hand)
}

/** Whether hands of this size can be dealt from a deck of this size. */
export function isLegalDealer(deck: number, hand: number): boolean {
  return deck > 0 && hand > 0 && hand <= deck && deck <= MAX_DECK && requiredEntropyBits(deck, hand) <= MAX_ENTROPY_BITS
}

/** How many queues a level has and how many of them each flow is dealt. */
export type DealerShape = Pick<Queuing, 'queues' | 'handSize'>

/** Most queues that the API server accepts for a level (specification 1.6). */
export const MOST_QUEUES = 10_000_000

/** Whether a server accepts this shape and can deal from it (specification 1.6, 3.1). */
export const isLegalShape = ({ queues, handSize }: DealerShape): boolean =>
  Number.isInteger(queues) && Number.isInteger(handSize) && queues <= MOST_QUEUES && isLegalDealer(queues, handSize)

/** Why a shape is invalid and how to fix it, in one sentence; `undefined` when it is valid. */
export function shapeProblem(shape: DealerShape): string | undefined {
  if (isLegalShape(shape)) return undefined
  const { queues, handSize } = shape
  if (!Number.isInteger(queues) || queues < 1 || queues > MOST_QUEUES)
    return `A level has 1 to ${MOST_QUEUES} queues, not ${queues}.`
  if (!Number.isInteger(handSize) || handSize < 1) return `A hand holds at least one queue, not ${handSize}.`
  const most = largestHand(queues)
  if (handSize > queues) {
    return `A hand of ${handSize} cannot be dealt from ${plain.counted(queues, 'queue')}: at most ${most}.`
  }
  const bits = requiredEntropyBits(queues, handSize)
  return `Dealing hands of ${handSize} from ${plain.counted(queues, 'queue')} needs ${bits} bits of the flow’s hash and only ${MAX_ENTROPY_BITS} may be used: deal at most ${most} from ${plain.counted(queues, 'queue')}, or ${handSize} from at most ${mostQueues(handSize)}.`
}

/** The largest hand that may be dealt from this many queues; 0 if there is none. */
export function largestHand(queues: number): number {
  let handSize = 0
  while (isLegalShape({ queues, handSize: handSize + 1 })) handSize++
  return handSize
}

/** The largest hand that any number of queues allows. */
export const LARGEST_HAND = 15

/**
 * The most queues from which hands of this size may be dealt, below `handSize` if there are none. The valid numbers
 * have no gap: they begin at `handSize`, and the bits that a hand needs grow with the queues.
 */
export const mostQueues = (handSize: number): number =>
  leastWhere(handSize, MOST_QUEUES + 1, (queues) => !isLegalShape({ queues, handSize })) - 1

/**
 * The smallest integer from `start` to `end` for which `holds` is true, provided that it stays true; `end` if there is
 * none before it.
 */
export function leastWhere(start: number, end: number, holds: (count: number) => boolean): number {
  let [low, high] = [start, end]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return high
}

/** Requests that one flow can have waiting before the next one is rejected. */
export const mostWaitingPerFlow = ({ handSize, queueLengthLimit }: Queuing): number => handSize * queueLengthLimit
