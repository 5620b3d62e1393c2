import type { LiveRequest } from '../../../core/contract/live.ts'
import { lowerBound } from '../../../core/search.ts'
import type { LiveRows, RowListener } from '../../state/live.logic.ts'

/** Rows that stay. */
export interface HeldRows {
  readonly count: number
  /** Place 0 is the newest. */
  readonly at: (place: number) => LiveRequest | undefined
}

type Test = (row: LiveRequest) => boolean

/** Slots that are added at the front at once, and the number of idle ones from which they are released. */
const ROOM = 2_000
const MOST_IDLE = 10_000

/**
 * Numbers of the rows that pass a filter, ascending, kept in step with the rows: each new or changed row costs one
 * test, regardless of the number of rows. Existing rows are tested from the newest to the oldest, as many at a time as
 * `look` is given.
 */
export class Matches implements RowListener {
  private readonly rows: LiveRows
  private readonly passes: Test
  private seqs: number[] = []
  private head = 0
  /** Rows with a smaller number are not tested yet; minus infinity when all are. */
  private tested: number

  constructor(rows: LiveRows, passes: Test) {
    this.rows = rows
    this.passes = passes
    this.tested = rows.end
  }

  /** Smallest number from which on all rows are tested. */
  get testedFrom(): number {
    return Math.max(this.tested, this.rows.first)
  }

  /** Tests up to `most` older rows; returns whether all are tested. */
  look(most: number): boolean {
    for (let left = most; left > 0 && this.tested > this.rows.first; left--) {
      this.tested -= 1
      const row = this.rows.at(this.tested)
      if (row !== undefined && this.passes(row)) this.putFirst(row.seq)
    }
    if (this.tested > this.rows.first) return false
    this.tested = Number.NEGATIVE_INFINITY
    return true
  }

  get count(): number {
    return this.seqs.length - this.head
  }

  /** Number of the row at a place from the newest, which is 0. */
  seqAt(place: number): number | undefined {
    return place < 0 || place >= this.count ? undefined : this.seqs[this.seqs.length - 1 - place]
  }

  /** A snapshot of the rows with numbers below `end`, unaffected by later changes. */
  hold(end: number = Number.POSITIVE_INFINITY): HeldRows {
    const seqs = this.seqs.slice(this.head, this.placeOf(end))
    const rowOf = this.rows.hold()
    return { count: seqs.length, at: (place) => rowOf(seqs[seqs.length - 1 - place] ?? -1) }
  }

  /** Count of those with a number above `seq`. */
  after(seq: number): number {
    return this.seqs.length - this.placeOf(seq + 1)
  }

  /** Visits the rows with numbers from `from` up to and without `to`, oldest first. */
  each(from: number, to: number, visit: (row: LiveRequest) => void): void {
    for (let place = this.placeOf(from); place < this.seqs.length; place++) {
      const seq = this.seqs[place] ?? to
      if (seq >= to) return
      const row = this.rows.at(seq)
      if (row !== undefined) visit(row)
    }
  }

  put(row: LiveRequest): void {
    if (row.seq < this.tested) return
    const last = this.seqs.at(-1)
    const passes = this.passes(row)
    if (this.count === 0 || last === undefined || row.seq > last) {
      if (passes) this.seqs.push(row.seq)
      return
    }
    const place = this.placeOf(row.seq)
    const known = this.seqs[place] === row.seq
    if (known === passes) return
    if (known) this.seqs.splice(place, 1)
    else if (place === this.head) this.putFirst(row.seq)
    else this.seqs.splice(place, 0, row.seq)
  }

  forget(before: number): void {
    while (this.head < this.seqs.length && (this.seqs[this.head] ?? before) < before) this.head += 1
    if (this.head < MOST_IDLE) return
    this.seqs = this.seqs.slice(this.head)
    this.head = 0
  }

  clear(): void {
    this.seqs = []
    this.head = 0
    this.tested = Number.NEGATIVE_INFINITY
  }

  /** Older rows are read a page at a time, so room for many is allocated at once. */
  private putFirst(seq: number): void {
    if (this.head === 0) {
      this.seqs = [...Array.from({ length: ROOM }, () => -1), ...this.seqs]
      this.head = ROOM
    }
    this.head -= 1
    this.seqs[this.head] = seq
  }

  /** Place in `seqs` of the first number that is not smaller. */
  private placeOf(seq: number): number {
    return lowerBound(this.head, this.seqs.length, (place) => (this.seqs[place] ?? seq) >= seq)
  }
}
