interface Item<N> {
  readonly at: N
  readonly order: number
  readonly act: () => void
}

const before = <N extends number | bigint>(a: Item<N>, b: Item<N>): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order)

/** What is due when, in nanoseconds: by time, then in the order in which it was put (specification 13, ordering note). */
export class Agenda<N extends number | bigint> {
  private readonly heap: Item<N>[] = []
  private registered = 0

  put(at: N, act: () => void): void {
    const item = { at, order: this.registered, act }
    this.registered += 1
    let place = this.heap.length
    this.heap.push(item)
    while (place > 0) {
      const parent = (place - 1) >> 1
      const above = this.heap[parent] as Item<N>
      if (!before(item, above)) break
      this.heap[place] = above
      place = parent
    }
    this.heap[place] = item
  }

  /** When the first item is due. */
  get next(): N | undefined {
    return this.heap[0]?.at
  }

  /** Takes the first item and does it. */
  doNext(): void {
    const first = this.heap[0]
    const last = this.heap.pop()
    if (first === undefined || last === undefined) return
    if (this.heap.length > 0) this.sink(last)
    first.act()
  }

  private sink(item: Item<N>): void {
    let place = 0
    for (;;) {
      const left = 2 * place + 1
      if (left >= this.heap.length) break
      const right = left + 1
      const isRight = right < this.heap.length && before(this.heap[right] as Item<N>, this.heap[left] as Item<N>)
      const child = isRight ? right : left
      if (!before(this.heap[child] as Item<N>, item)) break
      this.heap[place] = this.heap[child] as Item<N>
      place = child
    }
    this.heap[place] = item
  }
}
