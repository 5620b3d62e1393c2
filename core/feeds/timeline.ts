import { Fifo } from '../run/fifo.ts'

/** Something that happens at a time. Of what happens at one time, the lower order and then the smaller id comes first. */
export interface Happening {
  readonly atMs: number
  readonly order: number
  readonly id: string
}

const before = (a: Happening, b: Happening): boolean =>
  a.atMs !== b.atMs ? a.atMs < b.atMs : a.order !== b.order ? a.order < b.order : a.id < b.id

/** Holds back what became known out of order. What comes nearly in order is put in nearly at the end, which is cheap. */
export class Timeline<H extends Happening> extends Fifo<H> {
  override put(item: H): void {
    const { items } = this
    const last = items.at(-1)
    if (last === undefined || before(last, item)) return super.put(item)
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
    return this.next === undefined || this.next.atMs > untilMs ? undefined : this.shift()
  }
}
