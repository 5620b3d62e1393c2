/**
 * Amounts of something of which one holder may have so much, and all together so much: when all have more, the holder
 * that has most gives way, so that one that takes little is never affected by one that takes all.
 */
export class Shares<Holder> {
  readonly #each: number
  readonly #all: number
  readonly #giveWay: (holder: Holder) => void
  readonly #held = new Map<Holder, number>()
  #total = 0

  constructor({ each, all }: { readonly each: number; readonly all: number }, giveWay: (holder: Holder) => void) {
    this.#each = each
    this.#all = all
    this.#giveWay = giveWay
  }

  /** `false` if the holder may not have so much, or had to give way; it has no more than before then. */
  take(holder: Holder, amount: number): boolean {
    const held = (this.#held.get(holder) ?? 0) + amount
    if (held > this.#each) return false
    this.#held.set(holder, held)
    this.#total += amount
    while (this.#total > this.#all) {
      const [most] = Array.from(this.#held).reduce((a, b) => (b[1] > a[1] ? b : a))
      this.drop(most)
      this.#giveWay(most)
    }
    return this.#held.has(holder)
  }

  give(holder: Holder, amount: number): void {
    const held = this.#held.get(holder)
    if (held === undefined) return
    this.#held.set(holder, held - amount)
    this.#total -= amount
  }

  /** The holder is gone, with everything that it had. */
  drop(holder: Holder): void {
    this.#total -= this.#held.get(holder) ?? 0
    this.#held.delete(holder)
  }
}
