/** What one holder has of something. */
export interface Share {
  held: number
  /** Whether it may have anything. */
  open: boolean
  /** Called when it has most while all have too much; it has nothing from then on. */
  readonly giveWay: () => void
}

/**
 * Amounts of something of which one holder may have so much, and all together so much: when all have more, the holder
 * that has most gives way, so that one that takes little is never affected by one that takes all.
 */
export class Shares {
  readonly #each: number
  readonly #all: number
  readonly #shares = new Set<Share>()
  #total = 0

  constructor({ each, all }: { readonly each: number; readonly all: number }) {
    this.#each = each
    this.#all = all
  }

  open(giveWay: () => void): Share {
    const share = { held: 0, open: true, giveWay }
    this.#shares.add(share)
    return share
  }

  /** `false` if the holder may not have so much, and then has no more than before; also if it had to give way. */
  take(share: Share, amount: number): boolean {
    if (!share.open || share.held + amount > this.#each) return false
    share.held += amount
    this.#total += amount
    return this.#total <= this.#all || this.#makeRoom(share)
  }

  give(share: Share, amount: number): void {
    // One that gave way has nothing left.
    const given = Math.min(share.held, amount)
    share.held -= given
    this.#total -= given
  }

  /** The holder is gone, with everything that it had. */
  close(share: Share): void {
    this.give(share, share.held)
    share.open = false
    this.#shares.delete(share)
  }

  #makeRoom(share: Share): boolean {
    while (this.#total > this.#all) {
      const most = [...this.#shares].reduce((a, b) => (b.held > a.held ? b : a))
      this.close(most)
      most.giveWay()
    }
    return share.open
  }
}
