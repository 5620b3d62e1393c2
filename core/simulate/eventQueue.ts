import { EventHeap } from './eventHeap.ts'

/** What is still to happen, beside an engine whose own next instant is `Infinity` when it waits for nothing. */
export class EventQueue extends EventHeap<number> {
  /** When the next event is due; `Infinity` when there is none. */
  get nextNs(): number {
    return this.next ?? Number.POSITIVE_INFINITY
  }
}
