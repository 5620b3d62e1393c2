/**
 * Shuffle sharding: the hand of queues that a flow may use (specification 3).
 */

/** Bits above which a dealer is refused, to keep the bias of the last card small (specification 3.1). */
export const MAX_ENTROPY_BITS = 60
const MAX_DECK = 2 ** 26

/** Bits of hash that dealing `hand` of `deck` cards uses up. Not meaningful for a deck below 1. */
export function requiredEntropyBits(deck: number, hand: number): number {
  return Math.ceil(Math.log2(deck) * hand)
}

/** Whether hands of this size can be dealt from a deck of this size. */
export function isLegalDealer(deck: number, hand: number): boolean {
  return deck > 0 && hand > 0 && hand <= deck && deck <= MAX_DECK && requiredEntropyBits(deck, hand) <= MAX_ENTROPY_BITS
}

/** An unsigned 64-bit hash in two unsigned 32-bit words. */
export interface Hash64 {
  readonly hi: number
  readonly lo: number
}

export const hashFromBigInt = (value: bigint): Hash64 => ({
  hi: Number(BigInt.asUintN(32, value >> 32n)),
  lo: Number(BigInt.asUintN(32, value)),
})
export const hashToBigInt = ({ hi, lo }: Hash64): bigint => (BigInt(hi) << 32n) | BigInt(lo)

/**
 * Deals `hand` distinct cards of 0 … deck − 1 into `cards`, which must be that long (specification 3.2). The deck is at
 * most 2^26, so every step of the long division stays below 2^42 and is exact.
 */
export function deal(hash: Hash64, deck: number, hand: number, cards: Int32Array): void {
  let hi = hash.hi
  let lo = hash.lo
  for (let i = 0; i < hand; i++) {
    const divisor = deck - i
    if (hi === 0) {
      const quotient = Math.floor(lo / divisor)
      cards[i] = lo - quotient * divisor
      lo = quotient
      continue
    }
    const high = Math.floor(hi / divisor)
    const upper = (hi - high * divisor) * 65_536 + (lo >>> 16)
    const middle = Math.floor(upper / divisor)
    const lower = (upper - middle * divisor) * 65_536 + (lo & 0xffff)
    const low = Math.floor(lower / divisor)
    cards[i] = lower - low * divisor
    hi = high
    lo = middle * 65_536 + low
  }
  // Each card is moved past the raw remainders before it, newest first. Going from the last card to the first leaves
  // the remainders that are still needed in place.
  for (let i = hand - 1; i > 0; i--) {
    let card = cards[i] ?? 0
    for (let j = i - 1; j >= 0; j--) if (card >= (cards[j] ?? 0)) card += 1
    cards[i] = card
  }
}
