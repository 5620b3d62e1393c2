import type { LiveRequest } from '../contract/live.ts'
import { MOST_TEXT, textOf } from '../run/keptText.ts'

/** A request while its row is being written; `seq` never changes. */
export type LiveRow = { -readonly [K in keyof LiveRequest]: LiveRequest[K] }

/** Most changed rows that are reported at once (`LiveEventSchema`). */
export const UNTOLD = 2_000

/** Rows that changed since they were last reported. */
export interface Changes {
  /** The numbers of this event and of the one before; the same while nothing changed. */
  readonly event: number
  readonly from: number
  readonly requests: LiveRequest[]
  /** Changed rows that did not fit into `requests`; `before` with `since` returns them. */
  readonly dropped: number
}

/**
 * The last requests, and which of them changed. Memory is bounded for any number of requests and any length of their
 * texts: old rows leave, and an event reports at most `untold` changed rows, the newest. Every row keeps the number of
 * the event that last covered it, so a reader that missed any number of events can request exactly those changes.
 */
export class RequestLog {
  private readonly kept: (LiveRow | undefined)[]
  private readonly changedIn: Float64Array
  /** Characters of the row in each place, and of all rows. */
  private readonly characters: Uint32Array
  private text = 0
  private readonly mostText: number
  private oldest = 0
  private readonly untold: number
  /** Called when changes are reported. */
  private readonly onTaken: (() => void) | undefined
  private changed = new Set<LiveRow>()
  private droppedChanges = 0
  private nextSeq = 0
  private collecting = true
  private lastEvent = 0

  constructor(
    kept: number,
    untold: number,
    { mostText = MOST_TEXT, onTaken }: { readonly mostText?: number; readonly onTaken?: () => void } = {},
  ) {
    this.kept = Array.from({ length: kept })
    this.changedIn = new Float64Array(kept)
    this.characters = new Uint32Array(kept)
    this.mostText = mostText
    this.untold = untold
    this.onTaken = onTaken
  }

  /** Number of requests ever begun. */
  get count(): number {
    return this.nextSeq
  }

  /** Number of the last event; 0 before the first. */
  get event(): number {
    return this.lastEvent
  }

  /** Whether changes are collected for events. */
  get telling(): boolean {
    return this.collecting
  }

  set telling(on: boolean) {
    if (on === this.collecting) return
    // Changes without a subscriber belong to an event that was never received.
    if (on) this.lastEvent += 1
    this.collecting = on
    this.changed = new Set()
    this.droppedChanges = 0
  }

  begin(request: Omit<LiveRequest, 'seq'>): LiveRow {
    const row = { ...request, seq: this.nextSeq }
    // The flow is set later; it is the user or the namespace.
    const characters = textOf(row) + Math.max(row.user.length, row.namespace.length)
    while (this.nextSeq - this.oldest >= this.kept.length) this.forgetOldest()
    while (this.text + characters > this.mostText && this.oldest < this.nextSeq) this.forgetOldest()
    const place = this.nextSeq % this.kept.length
    this.kept[place] = row
    this.characters[place] = characters
    this.text += characters
    this.nextSeq += 1
    this.touch(row)
    return row
  }

  /** To be called after each change of the row. */
  touch(row: LiveRow): void {
    const place = row.seq % this.kept.length
    if (this.kept[place] === row) this.changedIn[place] = this.lastEvent + 1
    if (!this.collecting || this.changed.has(row)) return
    if (this.changed.size >= this.untold) {
      const [oldest] = this.changed
      if (oldest !== undefined) this.changed.delete(oldest)
      this.droppedChanges += 1
    }
    this.changed.add(row)
  }

  /** Copies of what changed since the last call, in the order of their arrival. */
  takeChanges(): Changes {
    const from = this.lastEvent
    const requests = [...this.changed].toSorted((a, b) => a.seq - b.seq).map((row) => ({ ...row }))
    const dropped = this.droppedChanges
    if (requests.length > 0 || dropped > 0) this.lastEvent += 1
    this.changed = new Set()
    this.droppedChanges = 0
    this.onTaken?.()
    return { event: this.lastEvent, from, requests, dropped }
  }

  /**
   * Copies of at most `count` rows before `seq` (the newest without it) that changed after the event `since` (all without
   * it), oldest first.
   */
  before(count: number, seq: number = this.nextSeq, since = 0): LiveRequest[] {
    const rows: LiveRequest[] = []
    for (let at = Math.min(seq, this.nextSeq) - 1; at >= this.oldest && rows.length < count; at--) {
      const place = at % this.kept.length
      const row = this.kept[place]
      if (row !== undefined && (this.changedIn[place] ?? 0) > since) rows.push({ ...row })
    }
    return rows.toReversed()
  }

  private forgetOldest(): void {
    const place = this.oldest % this.kept.length
    this.text -= this.characters[place] ?? 0
    this.kept[place] = undefined
    this.oldest += 1
  }
}
