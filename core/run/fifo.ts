/** Removed entries stay in front until moving the rest is worthwhile. */
const COMPACT_FROM = 4_096

/** A first-in-first-out queue with constant cost for any length. */
export class Fifo<T> {
  protected items: T[] = []
  protected first = 0

  get size(): number {
    return this.items.length - this.first
  }

  /** The next one out. */
  get next(): T | undefined {
    return this.items[this.first]
  }

  put(item: T): void {
    this.items.push(item)
  }

  shift(): T | undefined {
    const item = this.next
    if (this.size === 0) return undefined
    this.first += 1
    if (this.first === this.items.length) this.clear()
    else if (this.first >= COMPACT_FROM && this.first * 2 >= this.items.length) {
      this.items = this.items.slice(this.first)
      this.first = 0
    }
    return item
  }

  clear(): void {
    this.items = []
    this.first = 0
  }
}
