import type { LiveRequest } from '../../../core/contract/live.ts'
import type { LiveRows, RowListener } from '../../state/live.logic.ts'
import type { Matches } from './matches.ts'
import { add, count, emptyTally, type Tally } from './tally.ts'

/** Rows that are summed up together. */
const CHUNK = 1_024

interface Chunk {
  /** Arrivals, Unix milliseconds. */
  readonly earliest: number
  readonly latest: number
  /** Made when it is asked for: most are not of the last minute. */
  tally: Tally | undefined
}

/**
 * Sums over the rows that pass a filter and arrived since an instant. Sums of many rows are kept until one of them
 * changes, so that asking each second costs what changed, not what is kept.
 */
export class Tallies implements RowListener {
  private readonly rows: LiveRows
  private readonly matches: Matches
  private readonly chunks = new Map<number, Chunk>()

  constructor(rows: LiveRows, matches: Matches) {
    this.rows = rows
    this.matches = matches
  }

  /** `since`: Unix milliseconds. */
  read(since: number): Tally {
    const total = emptyTally()
    const { first, end } = this.rows
    const oldest = Math.floor(first / CHUNK)
    for (const index of this.chunks.keys()) if (index < oldest) this.chunks.delete(index)
    for (let index = oldest; index * CHUNK < end; index++) {
      const chunk = this.chunkAt(index)
      if (chunk.latest < since) continue
      if (chunk.earliest < since) this.eachMatch(index, (row) => row.at >= since && count(total, row))
      else if (this.isTested(index)) add(total, (chunk.tally ??= this.tallyOf(index)))
      else add(total, this.tallyOf(index))
    }
    return total
  }

  put(row: LiveRequest): void {
    this.chunks.delete(Math.floor(row.seq / CHUNK))
  }

  forget(before: number): void {
    this.chunks.delete(Math.floor(before / CHUNK))
  }

  clear(): void {
    this.chunks.clear()
  }

  private chunkAt(index: number): Chunk {
    const known = this.chunks.get(index)
    if (known !== undefined) return known
    let earliest = Number.POSITIVE_INFINITY
    let latest = Number.NEGATIVE_INFINITY
    this.each(index, (row) => {
      earliest = Math.min(earliest, row.at)
      latest = Math.max(latest, row.at)
    })
    const chunk = { earliest, latest, tally: undefined }
    this.chunks.set(index, chunk)
    return chunk
  }

  private tallyOf(index: number): Tally {
    const tally = emptyTally()
    this.eachMatch(index, (row) => count(tally, row))
    return tally
  }

  /** Whether the filter was tried on all of its rows: until then its sum grows. */
  private isTested(index: number): boolean {
    return this.matches.testedFrom <= Math.max(index * CHUNK, this.rows.first)
  }

  private eachMatch(index: number, visit: (row: LiveRequest) => void): void {
    this.matches.each(index * CHUNK, (index + 1) * CHUNK, visit)
  }

  private each(index: number, visit: (row: LiveRequest) => void): void {
    for (let seq = index * CHUNK; seq < (index + 1) * CHUNK; seq++) {
      const row = this.rows.at(seq)
      if (row !== undefined) visit(row)
    }
  }
}
