/**
 * Finds the queue with the least 64-bit key in logarithmic time, ties included: upstream scans all queues from the one
 * after the last dispatched and keeps the first that is strictly less (specification 4.6), so among equals the next in
 * that cyclic order wins.
 *
 * A complete binary tree over the queues: every node holds the winner of its half, the left one among equals.
 */
export class Tournament {
  readonly size: number
  private readonly leaves: number
  private readonly winners: Int32Array
  private readonly keyHi: Uint32Array
  private readonly keyLo: Uint32Array

  constructor(size: number) {
    let leaves = 1
    while (leaves < size) leaves *= 2
    this.size = size
    this.leaves = leaves
    this.winners = new Int32Array(2 * leaves).fill(-1)
    this.keyHi = new Uint32Array(leaves)
    this.keyLo = new Uint32Array(leaves)
  }

  /** Enters a queue, or changes its key, given as two words. */
  set(index: number, hi: number, lo: number): void {
    const entered = this.winners[this.leaves + index] === index
    if (entered && this.keyHi[index] === hi && this.keyLo[index] === lo) return
    this.keyHi[index] = hi
    this.keyLo[index] = lo
    this.winners[this.leaves + index] = index
    this.replay(index)
  }

  /** Takes a queue out of the contest. */
  clear(index: number): void {
    if (this.winners[this.leaves + index] === -1) return
    this.winners[this.leaves + index] = -1
    this.replay(index)
  }

  /** The queue with the least key; among equals the first after `robin` in cyclic order. −1 when none is entered. */
  winnerAfter(robin: number): number {
    const leftmost = this.winners[1] ?? -1
    if (leftmost > robin || leftmost === -1) return leftmost
    const later = this.winnerFrom(robin + 1)
    return later !== -1 && !this.less(leftmost, later) ? later : leftmost
  }

  private less(a: number, b: number): boolean {
    const high = (this.keyHi[a] ?? 0) - (this.keyHi[b] ?? 0)
    return high < 0 || (high === 0 && (this.keyLo[a] ?? 0) < (this.keyLo[b] ?? 0))
  }

  /** The winner of two entrants: the right one only when it is strictly less. */
  private better(left: number, right: number): number {
    if (left === -1) return right
    if (right === -1) return left
    return this.less(right, left) ? right : left
  }

  /** Up to the root, or to the first node whose winner is the same as before: the nodes above it are unaffected. */
  private replay(index: number): void {
    for (let node = (this.leaves + index) >> 1; node >= 1; node >>= 1) {
      const before = this.winners[node]
      const winner = this.better(this.winners[2 * node] ?? -1, this.winners[2 * node + 1] ?? -1)
      if (winner === before && winner !== index) return
      this.winners[node] = winner
    }
  }

  /** Leftmost winner among the indexes from `first` on. */
  private winnerFrom(first: number): number {
    if (first >= this.leaves) return -1
    let node = this.leaves + first
    let best = this.winners[node] ?? -1
    // Climbing from the leaf, every right sibling on the way covers the next indexes in order.
    for (; node > 1; node >>= 1) {
      if ((node & 1) === 0) best = this.better(best, this.winners[node + 1] ?? -1)
    }
    return best
  }
}
