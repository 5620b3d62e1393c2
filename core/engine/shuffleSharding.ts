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

/** Where `deal` splits a hash, as a power of two, and from where on its upper part fits into a double with the lower. */
const LOWER_PART = 16_777_216
const FITS = 536_870_912

/**
 * Deals `hand` distinct cards of 0 … deck − 1 into `cards`, which must be that long (specification 3.2). The hash is
 * divided in two parts, of 40 and 24 bits, until it is below 2^53. The deck is at most 2^26, so every step is exact.
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
  // the remainders that are still needed in place. One is added unless the difference is negative, without a branch:
  // which way it goes cannot be predicted.
  for (i = hand - 1; i > 0; i--) {
    let card = cards[i] ?? 0
    for (let j = i - 1; j >= 0; j--) card += 1 + ((card - (cards[j] ?? 0)) >> 31)
    cards[i] = card
  }
}
