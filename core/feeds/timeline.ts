/** Something that happens at a time. Of what happens at one time, the lower order and then the smaller id comes first. */
export interface Happening {
  readonly atMs: number
  readonly order: number
  readonly id: string
}

const before = (a: Happening, b: Happening): boolean =>
  a.atMs !== b.atMs ? a.atMs < b.atMs : a.order !== b.order ? a.order < b.order : a.id < b.id

/** Garbage is left in front until it is worth moving the rest. */
const COMPACT_FROM = 4_096

/** Holds back what became known out of order. What comes nearly in order is put in nearly at the end, which is cheap. */
export class Timeline<H extends Happening> {
  private items: H[] = []
  private first = 0

  get size(): number {
    return this.items.length - this.first
  }

  put(item: H): void {
    const { items } = this
    const last = items.at(-1)
    if (last === undefined || this.size === 0 || before(last, item)) {
      items.push(item)
      return
    }
    let low = this.first
    let high = items.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const there = items[middle]
      if (there !== undefined && before(there, item)) low = middle + 1
      else high = middle
    }
    items.splice(low, 0, item)
  }

  /** Takes out what comes first, unless that is later than `untilMs`. */
  take(untilMs: number): H | undefined {
    const item = this.items[this.first]
    if (this.size === 0 || item === undefined || item.atMs > untilMs) return undefined
    this.first += 1
    if (this.first === this.items.length) {
      this.items = []
      this.first = 0
    } else if (this.first >= COMPACT_FROM && this.first * 2 >= this.items.length) {
      this.items = this.items.slice(this.first)
      this.first = 0
    }
    return item
  }
}
