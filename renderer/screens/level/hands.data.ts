import { flowHash } from '../../../core/classify/flow.ts'
import type { Queuing } from '../../../core/config/objects.ts'
import { deal, isLegalDealer } from '../../../core/engine/shuffleSharding.ts'

/**
 * The queues that a flow may use, in the order in which they were dealt (specification 2.7, 3.2). `undefined` where
 * there is no choice between queues, or none can be dealt.
 */
export function dealtHand(
  { schema, flow }: { readonly schema: string; readonly flow: string },
  { queues, handSize }: Pick<Queuing, 'queues' | 'handSize'>,
): readonly number[] | undefined {
  if (queues <= 1 || !isLegalDealer(queues, handSize)) return undefined
  const cards = new Int32Array(handSize)
  deal(flowHash(schema, flow), queues, handSize, cards)
  return [...cards]
}

/** The queues that two hands share, in the order of the first. */
export const sharedQueues = (first: readonly number[], second: readonly number[]): readonly number[] =>
  first.filter((queue) => second.includes(queue))

/**
 * The chance that a flow finds every queue of its hand in the hand of at least one of `elephants` other flows, all
 * hands being dealt independently: exactly, by how many queues are still free after each of them.
 */
export function coverOdds(elephants: number, queues: number, handSize: number): number {
  // By number of queues of the hand that no elephant holds yet.
  let free: readonly number[] = Array.from({ length: handSize + 1 }, (_, count) => (count === handSize ? 1 : 0))
  for (let dealt = 0; dealt < elephants; dealt++) {
    const next = free.map(() => 0)
    free.forEach((chance, count) => {
      for (let taken = 0; taken <= count; taken++) {
        next[count - taken] = (next[count - taken] ?? 0) + chance * takes(taken, count, queues, handSize)
      }
    })
    free = next
  }
  return free[0] ?? 0
}

/** The chance that a hand of `handSize` out of `queues` holds exactly `taken` of `count` given queues. */
function takes(taken: number, count: number, queues: number, handSize: number): number {
  const others = handSize - taken
  if (others > queues - count) return 0
  return Math.exp(logChoose(count, taken) + logChoose(queues - count, others) - logChoose(queues, handSize))
}

function logChoose(of: number, some: number): number {
  let sum = 0
  for (let i = 1; i <= some; i++) sum += Math.log((of - some + i) / i)
  return sum
}
