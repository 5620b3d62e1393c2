interface Item {
  readonly at: bigint
  readonly order: number
  readonly act: () => void
}

const before = (a: Item, b: Item): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** What is due when: by time, then in the order of registration (specification 13, ordering note). */
export class Agenda {
  private readonly heap: Item[] = []
  private registered = 0
  private readonly times = new Set<bigint>()

  /** Items put at a time at which there was another one. */
  get ties(): number {
    return this.registered - this.times.size
  }

  put(at: bigint, act: () => void): void {
    this.times.add(at)
    const item = { at, order: this.registered, act }
    this.registered += 1
    let place = this.heap.length
    this.heap.push(item)
    while (place > 0) {
      const parent = (place - 1) >> 1
      const above = this.heap[parent]
      if (above === undefined || !before(item, above)) break
      this.heap[place] = above
      place = parent
    }
    this.heap[place] = item
  }

  /** Does everything, telling the time before each item. */
  run(moveTo: (at: bigint) => void): void {
    for (let item = this.take(); item !== undefined; item = this.take()) {
      moveTo(item.at)
      item.act()
    }
  }

  private take(): Item | undefined {
    const first = this.heap[0]
    const last = this.heap.pop()
    if (last === undefined || this.heap.length === 0) return first
    let place = 0
    for (;;) {
      const left = this.heap[2 * place + 1]
      if (left === undefined) break
      const right = this.heap[2 * place + 2]
      const child = right !== undefined && before(right, left) ? 2 * place + 2 : 2 * place + 1
      const least = this.heap[child]
      if (least === undefined || !before(least, last)) break
      this.heap[place] = least
      place = child
    }
    this.heap[place] = last
    return first
  }
}
