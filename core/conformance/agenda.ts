import { EventHeap } from '../run/eventQueue.ts'

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
