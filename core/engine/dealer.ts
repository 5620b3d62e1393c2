import type { Queue, SeatRequest } from './queue.ts'
import { type Hash64, deal } from './shuffleSharding.ts'

/** Chooses the queue of each arrival from the hand that its flow is dealt (specification 3.3). */
export class Dealer {
  private deck = 0
  private hand = new Int32Array(0)
  /** Arrivals that chose a queue, those rejected afterwards included (trap T10). */
  enqueues = 0

  /** Deck and hand size must be legal. */
  configure(deck: number, handSize: number): void {
    this.deck = deck
    this.hand = new Int32Array(handSize)
  }

  /** The queues of a flow by index, in deal order. */
  handOf(hash: Hash64): Int32Array {
    const cards = new Int32Array(this.hand.length)
    deal(hash, this.deck, cards.length, cards)
    return cards
  }

  /** The queue of the hand with the least waiting work, the first of equals in rotated order. */
  choose<R extends SeatRequest>(queues: readonly Queue<R>[], hash: Hash64): Queue<R> {
    const size = this.hand.length
    deal(hash, this.deck, size, this.hand)
    let position = this.enqueues % size
    this.enqueues += 1
    let best = this.cardAt(position, queues)
    for (let i = 1; i < size; i++) {
      position += 1
      if (position === size) position = 0
      const queue = this.cardAt(position, queues)
      if (queue.workWaiting.compare(best.workWaiting) < 0) best = queue
    }
    return best
  }

  private cardAt<R extends SeatRequest>(position: number, queues: readonly Queue<R>[]): Queue<R> {
    const queue = queues[this.hand[position] ?? -1]
    if (queue === undefined) throw new Error('a dealt card names no queue')
    return queue
  }
}
