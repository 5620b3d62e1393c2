/** Garbage is left in front until it is worth moving the rest. */
const COMPACT_FROM = 4_096

/** What was put in first comes out first, however many wait. */
export class Fifo<T> {
  protected items: T[] = []
  protected first = 0

  get size(): number {
    return this.items.length - this.first
  }

  /** What comes out next. */
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
