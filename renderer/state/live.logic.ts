import type { LiveRequest } from '../../core/contract/live.ts'
import { MOST_TEXT, textOf } from '../../core/run/keptText.ts'

/** Called for every row that is added, changed or removed; `old` is the previous row in its place. */
export interface RowListener {
  put(row: LiveRequest, old: LiveRequest | undefined): void
  /** Rows with a smaller number are gone. */
  forget(before: number): void
  clear(): void
}

/**
 * The newest requests by their number. Rows are replaced when they change; the oldest are removed when newer ones need
 * their place. Numbers that never arrived are gaps.
 */
export class LiveRows {
  readonly capacity: number
  private readonly slots: (LiveRequest | undefined)[]
  private readonly listeners = new Set<RowListener>()
  /** Smallest and one past the largest number that may be kept. */
  private from = 0
  private to = 0
  private kept = 0
  /** Characters of all kept rows; like the main side, the page keeps fewer rows when they are long. */
  private text = 0
  private readonly mostText: number
  private changes = 0
  /** Unix milliseconds; `undefined` before the first row. */
  private latestAt: number | undefined

  constructor(capacity: number, mostText: number = MOST_TEXT) {
    this.capacity = capacity
    this.mostText = mostText
    this.slots = Array.from({ length: capacity })
  }

  /** Rows that are kept now. */
  get count(): number {
    return this.kept
  }

  /** Number of the oldest row that may be kept. */
  get first(): number {
    return this.from
  }

  /** One past the number of the newest row. */
  get end(): number {
    return this.to
  }

  /** Requests between the oldest and the newest that never arrived. */
  get missing(): number {
    return this.to - this.from - this.kept
  }

  /** Rises with every change. */
  get version(): number {
    return this.changes
  }

  /** Latest arrival, Unix milliseconds. */
  get newestAt(): number | undefined {
    return this.latestAt
  }

  /** Arrival of the oldest row that is kept, Unix milliseconds. */
  get oldestAt(): number | undefined {
    for (let seq = this.from; seq < this.to; seq++) {
      const row = this.at(seq)
      if (row !== undefined) return row.at
    }
    return undefined
  }

  at(seq: number): LiveRequest | undefined {
    return seq < this.from || seq >= this.to ? undefined : this.slots[seq % this.capacity]
  }

  /** Returns a lookup of rows by number as they are now, unaffected by later changes and removals. */
  hold(): (seq: number) => LiveRequest | undefined {
    const { capacity, from, to } = this
    // Copied in one piece, not row by row: a user who opens a full list waits for it.
    const slots = this.slots.slice()
    return (seq) => (seq < from || seq >= to ? undefined : slots[seq % capacity])
  }

  /** Adds a new or a changed row; a row older than the kept ones is left out. */
  put(row: LiveRequest): void {
    const { seq } = row
    if (this.kept === 0) {
      this.from = seq
      this.to = seq
    }
    if (seq >= this.to) {
      this.makeRoom(seq + 1)
      this.to = seq + 1
    } else if (seq < this.from) {
      if (this.to - seq > this.capacity || this.text + textOf(row) > this.mostText) return
      this.from = seq
    }
    const slot = seq % this.capacity
    const old = this.slots[slot]
    this.slots[slot] = row
    if (old === undefined) this.kept += 1
    this.text += textOf(row) - (old === undefined ? 0 : textOf(old))
    if (this.latestAt === undefined || row.at > this.latestAt) this.latestAt = row.at
    this.changes += 1
    for (const listener of this.listeners) listener.put(row, old)
    while (this.text > this.mostText && this.from + 1 < this.to) this.forgetBefore(this.from + 1)
  }

  clear(): void {
    this.slots.fill(undefined)
    this.from = 0
    this.to = 0
    this.kept = 0
    this.text = 0
    this.latestAt = undefined
    this.changes += 1
    for (const listener of this.listeners) listener.clear()
  }

  /** Returns the function that ends it. */
  listen(listener: RowListener): () => void {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  private makeRoom(to: number): void {
    if (to - this.capacity > this.from) this.forgetBefore(to - this.capacity)
  }

  private forgetBefore(from: number): void {
    for (let seq = this.from; seq < Math.min(from, this.to); seq++) {
      const slot = seq % this.capacity
      const row = this.slots[slot]
      if (row === undefined) continue
      this.slots[slot] = undefined
      this.kept -= 1
      this.text -= textOf(row)
    }
    this.from = from
    for (const listener of this.listeners) listener.forget(from)
  }
}
