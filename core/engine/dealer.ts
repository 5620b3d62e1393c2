import type { Hash64 } from '../request/match.ts'
import type { Queue, SeatRequest } from './queue.ts'

/**
 * Where `deal` splits a hash, as a power of two, and the bound below which its upper part fits into a double with the
 * lower.
 */
const LOWER_PART = 16_777_216
const FITS = 536_870_912

/**
 * Deals `hand` distinct cards of 0 … deck − 1 into `cards`, whose length must be `hand` (specification 3.2). The hash
 * is divided in two parts, of 40 and 24 bits, until it is below 2^53. The deck is at most 2^26, so every step is exact.
 */
export function deal(hash: Hash64, deck: number, hand: number, cards: Int32Array): void {
  let upper = hash.hi * 256 + (hash.lo >>> 24)
  let lower = hash.lo & (LOWER_PART - 1)
  let i = 0
  for (; i < hand && upper >= FITS; i++) {
    const divisor = deck - i
    const upperQuotient = Math.floor(upper / divisor)
    const rest = (upper - upperQuotient * divisor) * LOWER_PART + lower
    lower = Math.floor(rest / divisor)
    cards[i] = rest - lower * divisor
    upper = upperQuotient
  }
  let whole = upper * LOWER_PART + lower
  for (; i < hand; i++) {
    const divisor = deck - i
    const quotient = Math.floor(whole / divisor)
    cards[i] = whole - quotient * divisor
    whole = quotient
  }
  // Each card is moved past the raw remainders before it, newest first. Going from the last card to the first leaves
  // the remainders that are still needed in place. One is added unless the difference is negative, without a branch,
  // because the branch would be unpredictable.
  for (i = hand - 1; i > 0; i--) {
    let card = cards[i] ?? 0
    for (let j = i - 1; j >= 0; j--) card += 1 + ((card - (cards[j] ?? 0)) >> 31)
    cards[i] = card
  }
}

/** Chooses the queue of each arrival from the hand dealt to its flow (specification 3.3). */
export class Dealer {
  private deck = 0
  private hand = new Int32Array(0)
  /** Arrivals for which a queue was chosen, including those rejected afterwards (trap T10). */
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

  /** The queue of the hand with the fewest waiting requests; among equals, the first that was dealt. */
  chooseShortest<R extends SeatRequest>(queues: readonly Queue<R>[], hash: Hash64): Queue<R> {
    const size = this.hand.length
    deal(hash, this.deck, size, this.hand)
    this.enqueues += 1
    let best = this.cardAt(0, queues)
    for (let position = 1; position < size; position++) {
      const queue = this.cardAt(position, queues)
      if (queue.waiting.length < best.waiting.length) best = queue
    }
    return best
  }

  /** The queue of the hand with the least waiting work; among equals, the first in rotated order. */
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
