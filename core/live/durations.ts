import type { Ticket } from '../engine/ticket.ts'
import type { LiveRow } from './requestLog.ts'
import { UsualDurations } from './usualDurations.ts'

/** How long a request takes. Nanoseconds. */
export interface Length {
  /** Of a watch: until it is initialised. */
  readonly durationNs: number
  /** How long a watch goes on after that; without, whoever runs it says when it has ended. */
  readonly watchNs?: number | undefined
}

/** Its hold on an engine, as far as it decides how long a request takes. */
export type Seated = Pick<Ticket<unknown>, 'maxSeats' | 'arrivedNs' | 'startedNs'>

/** How long requests take in an engine that runs beside another one. */
export interface Lengths<R> {
  /** It took so long where it really ran; of a watch, until it was initialised. */
  measured(row: R, durationNs: number): void
  /** The engine beside lets it run: how long it will take there. `undefined` where that is measured while it runs. */
  begun(row: R, seated: Seated): Length | undefined
  /** It has run there; once for each that was begun and had a length. */
  ended(row: R, seated: Seated): void
}

/**
 * Requests take as long as where they really run. Where the first engine holds them back, one that it refuses, or lets run
 * only later, takes as long as others of its kind did lately.
 */
export class MeasuredLengths implements Lengths<LiveRow> {
  private readonly holdsBack: boolean
  private readonly usual = new UsualDurations()

  constructor(holdsBack: boolean) {
    this.holdsBack = holdsBack
  }

  measured(row: LiveRow, durationNs: number): void {
    this.usual.note(row, durationNs)
  }

  begun(row: LiveRow): Length | undefined {
    if (!this.holdsBack || (row.state !== 'waiting' && row.state !== 'rejected')) return undefined
    const durationNs = this.usual.of(row)
    // Nobody will say when a watch has ended that never began.
    return row.state === 'rejected' ? { durationNs, watchNs: 0 } : { durationNs }
  }

  ended(): void {}
}
