import type { LiveRequest } from '../contract/live.ts'

/** A request while its row is being written; `seq` never changes. */
export type LiveRow = { -readonly [K in keyof LiveRequest]: LiveRequest[K] }

/** Most changed rows that are told at once (`LiveEventSchema`). */
export const UNTOLD = 2_000

/** Rows that changed since they were last told, and how many of them could not be told. */
export interface Changes {
  readonly requests: LiveRequest[]
  readonly dropped: number
}

/**
 * The last requests, and which of them changed. Memory stays the same however many come: old rows leave, and of more
 * changes than `untold` between two tellings only the newest rows are told.
 */
export class RequestLog {
  private readonly kept: (LiveRow | undefined)[]
  private readonly untold: number
  private changed = new Set<LiveRow>()
  private droppedChanges = 0
  private nextSeq = 0
  private told = true

  constructor(kept: number, untold: number) {
    this.kept = Array.from({ length: kept })
    this.untold = untold
  }

  /** Requests that were ever begun. */
  get count(): number {
    return this.nextSeq
  }

  /** Whether anybody asks for changes: while nobody does, they are not noted. */
  get telling(): boolean {
    return this.told
  }

  set telling(on: boolean) {
    this.told = on
    if (!on) this.changed = new Set()
    this.droppedChanges = 0
  }

  begin(request: Omit<LiveRequest, 'seq'>): LiveRow {
    const row = { ...request, seq: this.nextSeq }
    this.kept[this.nextSeq % this.kept.length] = row
    this.nextSeq += 1
    this.touch(row)
    return row
  }

  /** The row was written to. */
  touch(row: LiveRow): void {
    if (!this.told || this.changed.has(row)) return
    if (this.changed.size >= this.untold) {
      const [oldest] = this.changed
      if (oldest !== undefined) this.changed.delete(oldest)
      this.droppedChanges += 1
    }
    this.changed.add(row)
  }

  /** Copies of what changed since the last call, in the order of their arrival. */
  takeChanges(): Changes {
    const requests = [...this.changed].toSorted((a, b) => a.seq - b.seq).map((row) => ({ ...row }))
    const dropped = this.droppedChanges
    this.changed = new Set()
    this.droppedChanges = 0
    return { requests, dropped }
  }

  /** Copies of at most `count` rows before `seq` (of the newest without it), oldest first. */
  before(count: number, seq: number = this.nextSeq): LiveRequest[] {
    const end = Math.min(seq, this.nextSeq)
    const start = Math.max(0, this.nextSeq - this.kept.length, end - count)
    const rows: LiveRequest[] = []
    for (let at = start; at < end; at++) {
      const row = this.kept[at % this.kept.length]
      if (row !== undefined) rows.push({ ...row })
    }
    return rows
  }
}
