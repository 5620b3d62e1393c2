interface Entry {
  readonly ns: number
  readonly order: number
  readonly run: () => void
}

/** Of two events the earlier one comes first; at one instant, the one that was put in first. */
const before = (a: Entry, b: Entry): boolean => a.ns < b.ns || (a.ns === b.ns && a.order < b.order)

/** What is still to happen, soonest first: a binary heap. */
export class EventQueue {
  private readonly heap: Entry[] = []
  private order = 0

  get size(): number {
    return this.heap.length
  }

  /** When the next event is due; `Infinity` when there is none. */
  get nextNs(): number {
    return this.heap[0]?.ns ?? Number.POSITIVE_INFINITY
  }

  put(ns: number, run: () => void): void {
    const { heap } = this
    const entry = { ns, order: this.order++, run }
    let hole = heap.length
    heap.push(entry)
    while (hole > 0) {
      const parent = (hole - 1) >>> 1
      const above = heap[parent]
      if (above === undefined || before(above, entry)) break
      heap[hole] = above
      hole = parent
    }
    heap[hole] = entry
  }

  /** Takes the next event out. */
  take(): (() => void) | undefined {
    const { heap } = this
    const first = heap[0]
    const last = heap.pop()
    if (first !== undefined && last !== undefined && first !== last) this.sink(last)
    return first?.run
  }

  private sink(entry: Entry): void {
    const { heap } = this
    let hole = 0
    for (;;) {
      const left = 2 * hole + 1
      const leftEntry = heap[left]
      if (leftEntry === undefined) break
      const rightEntry = heap[left + 1]
      const [child, at] =
        rightEntry !== undefined && before(rightEntry, leftEntry) ? [rightEntry, left + 1] : [leftEntry, left]
      if (before(entry, child)) break
      heap[hole] = child
      hole = at
    }
    heap[hole] = entry
  }
}
