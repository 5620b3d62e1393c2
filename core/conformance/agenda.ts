interface Entry<N> {
  readonly at: N
  readonly order: number
  readonly run: () => void
}

/** Of two events the earlier one comes first; at one instant, the one that was put in first. */
const before = <N extends number | bigint>(a: Entry<N>, b: Entry<N>): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order)

/**
 * What is still to happen, soonest first: a binary heap over instants in nanoseconds. The engine's own timers would do, but
 * instants of the protocol go beyond 2^53.
 */
export class EventHeap<N extends number | bigint> {
  private readonly heap: Entry<N>[] = []
  private order = 0

  get size(): number {
    return this.heap.length
  }

  /** When the next event is due; `undefined` when there is none. */
  get next(): N | undefined {
    return this.heap[0]?.at
  }

  put(at: N, run: () => void): void {
    const { heap } = this
    const entry = { at, order: this.order++, run }
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

  private sink(entry: Entry<N>): void {
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

/** What is due when, and how often upstream might have chosen otherwise (specification 13, ordering note). */
export class Agenda {
  private readonly events = new EventHeap<bigint>()
  private readonly times = new Set<bigint>()
  private registered = 0

  /** Items put at a time at which there was another one. */
  get ties(): number {
    return this.registered - this.times.size
  }

  put(at: bigint, act: () => void): void {
    this.times.add(at)
    this.registered += 1
    this.events.put(at, act)
  }

  /** Does everything, telling the time before each item. */
  run(moveTo: (at: bigint) => void): void {
    for (let at = this.events.next; at !== undefined; at = this.events.next) {
      moveTo(at)
      this.events.take()?.()
    }
  }
}
