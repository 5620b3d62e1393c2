/** Cost of one watch event (KEP-1040, Cost of the watch event): a fixed part, and a part by size. */
export interface EventPrice {
  /** Milliseconds per event. */
  readonly logicMs: number
  /** Milliseconds per kilobyte (1,000 bytes) of the object. */
  readonly msPerKilobyte: number
}

export const eventMs = (bytes: number, { logicMs, msPerKilobyte }: EventPrice): number =>
  logicMs + (bytes / 1_000) * msPerKilobyte

export interface SeenEvent {
  readonly bucket: string
  readonly bytes: number
}

export interface BucketCost {
  readonly bucket: string
  readonly events: number
  /** Running average of the bucket's event sizes, bytes. */
  readonly meanBytes: number
  /** What its events were charged, each by the average of the events before it, milliseconds. */
  readonly chargedMs: number
  /** What they cost by their own sizes, milliseconds. */
  readonly realMs: number
}

/**
 * Charges events in order by the running average of their bucket (KEP-1040, Cost of the watch event), because the size
 * of an object is unknown when its request is admitted. The first event of a bucket is charged for its logic alone.
 */
export function chargeEvents(events: readonly SeenEvent[], price: EventPrice): readonly BucketCost[] {
  const byBucket = new Map<string, BucketCost>()
  for (const { bucket, bytes } of events) {
    const before = byBucket.get(bucket) ?? { bucket, events: 0, meanBytes: 0, chargedMs: 0, realMs: 0 }
    const count = before.events + 1
    byBucket.set(bucket, {
      bucket,
      events: count,
      meanBytes: before.meanBytes + (bytes - before.meanBytes) / count,
      chargedMs: before.chargedMs + eventMs(before.meanBytes, price),
      realMs: before.realMs + eventMs(bytes, price),
    })
  }
  return [...byBucket.values()]
}

export interface WriteWidth {
  /** 0 where the events do not fill a seat. */
  readonly seats: number
  /** How long these seats stay occupied after the request has ended, milliseconds. */
  readonly additionalMs: number
}

/**
 * Seats for the watch events of a write, min(floor(events / A), seats of the level) (KEP-1040, Dispatching the request,
 * below WATCH). The proposal does not define how long they stay occupied. Here the events of a seat are sent in
 * parallel, and a narrower request stays longer, as upstream (specification 5.5), so that seats × time is the same
 * work.
 *
 * @param eventsPerSeat A, at least 1
 * @param oneEventMs cost of one event, from `eventMs`
 */
export function writeWidth(events: number, eventsPerSeat: number, levelSeats: number, oneEventMs: number): WriteWidth {
  const seats = Math.min(Math.floor(events / eventsPerSeat), levelSeats)
  return { seats, additionalMs: seats === 0 ? 0 : ((events / eventsPerSeat) * oneEventMs) / seats }
}
