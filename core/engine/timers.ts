import type { Nanoseconds } from '../units.ts'

/** The owner of a timer: it stores its own position among the timers, −1 while it has none. */
export interface Timed {
  timerPlace: number
}

/** Up to this many cancelled timers are not worth removing. */
const FEW = 64

const copied = <A extends Float64Array | Uint32Array>(from: A, to: A): A => {
  to.set(from)
  return to
}

/**
 * When something is due, at most once for each owner: by time, then in the order in which the timers were set. A binary
 * heap. Most timers are cancelled long before they are due: a cancelled one is only marked, until cancelled timers are
 * as many as the others, and all are removed at once.
 */
export class Timers<O extends Timed> {
  private readonly owners: (O | undefined)[] = []
  private due = new Float64Array(16)
  /** Order of setting, modulo 2^32: the compared values are much closer together. */
  private order = new Uint32Array(16)
  private everSet = 0
  private cancelled = 0
  /** Order of the timer that was taken last. */
  private takenOrder = 0

  get size(): number {
    return this.owners.length - this.cancelled
  }

  /**
   * When to check for due timers next, nanoseconds; `Infinity` without any. A cancelled timer may make it too early:
   * finding the first remaining one each time would cost more than a check in vain.
   */
  get nextNs(): Nanoseconds {
    return this.owners.length === 0 ? Number.POSITIVE_INFINITY : (this.due[0] ?? 0)
  }

  set(owner: O, dueNs: Nanoseconds): void {
    const order = this.everSet
    this.everSet = (order + 1) >>> 0
    this.add(owner, dueNs, order)
  }

  /** Moves the set or last taken timer of the owner to another time; its order stays. */
  putOff(owner: O, dueNs: Nanoseconds): void {
    const order = owner.timerPlace === -1 ? this.takenOrder : (this.order[owner.timerPlace] ?? 0)
    this.remove(owner)
    this.add(owner, dueNs, order)
  }

  /** The first one, if it is due at `nowNs`; it is then no longer set. */
  takeDue(nowNs: Nanoseconds): O | undefined {
    while (this.owners.length > 0 && (this.due[0] ?? 0) <= nowNs) {
      const first = this.owners[0]
      this.takenOrder = this.order[0] ?? 0
      this.dropFirst()
      if (first === undefined) {
        this.cancelled -= 1
      } else {
        first.timerPlace = -1
        if (this.size === 0) this.tidy()
        return first
      }
    }
    return undefined
  }

  /** Owners of set timers, in the order in which they are due. */
  all(): readonly { readonly owner: O; readonly dueNs: Nanoseconds }[] {
    return this.owners
      .flatMap((owner, place) =>
        owner === undefined ? [] : [{ owner, dueNs: this.due[place] ?? 0, order: this.order[place] ?? 0 }],
      )
      .toSorted((a, b) => a.dueNs - b.dueNs || (a.order - b.order) | 0)
  }

  /** Cancels the timer of this owner, if one is set. */
  remove(owner: O): void {
    const place = owner.timerPlace
    if (place === -1) return
    owner.timerPlace = -1
    this.owners[place] = undefined
    this.cancelled += 1
    if (this.size === 0 || (this.cancelled > FEW && this.cancelled > this.size)) this.tidy()
  }

  private add(owner: O, dueNs: Nanoseconds, order: number): void {
    const place = this.owners.length
    if (place === this.due.length) this.resize(Math.ceil(place * 1.5))
    this.owners.push(owner)
    this.rise(owner, dueNs, order, place)
  }

  private before(dueNs: Nanoseconds, order: number, other: number): boolean {
    const otherDue = this.due[other] ?? 0
    return dueNs < otherDue || (dueNs === otherDue && ((order - (this.order[other] ?? 0)) | 0) < 0)
  }

  private put(owner: O | undefined, dueNs: Nanoseconds, order: number, place: number): void {
    this.owners[place] = owner
    this.due[place] = dueNs
    this.order[place] = order
    if (owner !== undefined) owner.timerPlace = place
  }

  private move(from: number, to: number): void {
    this.put(this.owners[from], this.due[from] ?? 0, this.order[from] ?? 0, to)
  }

  private rise(owner: O, dueNs: Nanoseconds, order: number, from: number): void {
    let place = from
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!this.before(dueNs, order, parent)) break
      this.move(parent, place)
      place = parent
    }
    this.put(owner, dueNs, order, place)
  }

  private sink(owner: O | undefined, dueNs: Nanoseconds, order: number, from: number): void {
    const end = this.owners.length
    let place = from
    for (;;) {
      const left = 2 * place + 1
      if (left >= end) break
      const right = left + 1
      const child = right < end && this.before(this.due[right] ?? 0, this.order[right] ?? 0, left) ? right : left
      if (this.before(dueNs, order, child)) break
      this.move(child, place)
      place = child
    }
    this.put(owner, dueNs, order, place)
  }

  private dropFirst(): void {
    const last = this.owners.pop()
    const end = this.owners.length
    if (end > 0) this.sink(last, this.due[end] ?? 0, this.order[end] ?? 0, 0)
  }

  /** Removes all cancelled timers and rebuilds the heap, which costs next to nothing where it still is one. */
  private tidy(): void {
    let kept = 0
    for (let place = 0; place < this.owners.length; place++) {
      if (this.owners[place] === undefined) continue
      if (kept !== place) this.move(place, kept)
      kept += 1
    }
    this.owners.length = kept
    this.cancelled = 0
    for (let place = (kept >> 1) - 1; place >= 0; place--) {
      this.sink(this.owners[place], this.due[place] ?? 0, this.order[place] ?? 0, place)
    }
    if (this.due.length > 64 && kept < this.due.length / 4) this.resize(Math.ceil(this.due.length / 2))
  }

  private resize(capacity: number): void {
    this.due = copied(this.due.subarray(0, capacity), new Float64Array(capacity))
    this.order = copied(this.order.subarray(0, capacity), new Uint32Array(capacity))
  }
}
