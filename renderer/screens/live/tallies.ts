import type { LiveRequest } from '../../../core/contract/live.ts'
import type { LiveRows, RowListener } from '../../state/live.logic.ts'
import type { Matches } from './matches.ts'
import { add, count, emptyTally, type Counting, type Tally } from './tally.ts'

/** Rows that are summed up together, and sums that are again. */
const CHUNK = 1_024
const FAN_OUT = 8
/** Rows of a sum by its height: so few sums of the greatest are left that all of them can be added each time. */
const SIZES = [CHUNK, CHUNK * FAN_OUT, CHUNK * FAN_OUT * FAN_OUT] as const
const TOP = SIZES.length - 1

interface Part {
  /** Arrivals, Unix milliseconds. */
  readonly earliest: number
  readonly latest: number
  /** Made when it is asked for: most are not of the last minute. */
  tally: Tally | undefined
}

/**
 * Sums over the rows that pass a filter and arrived since an instant. Sums of many rows, and sums of such sums, are kept
 * until one of their rows changes, so that asking each second costs what changed, not what is kept.
 */
export class Tallies implements RowListener {
  private readonly rows: LiveRows
  private readonly matches: Matches
  /** By height, then by place. */
  private readonly parts = SIZES.map(() => new Map<number, Part>())

  constructor(rows: LiveRows, matches: Matches) {
    this.rows = rows
    this.matches = matches
  }

  /** `since`: Unix milliseconds. */
  read(since: number): Tally {
    const total = emptyTally()
    const { first, end } = this.rows
    for (const [height, parts] of this.parts.entries()) {
      const oldest = placeOf(first, height)
      for (const place of parts.keys()) if (place < oldest) parts.delete(place)
    }
    for (let place = placeOf(first, TOP); place * sizeOf(TOP) < end; place++) this.addTo(total, TOP, place, since)
    return total
  }

  put(row: LiveRequest): void {
    this.drop(row.seq)
  }

  forget(before: number): void {
    this.drop(before)
  }

  clear(): void {
    for (const parts of this.parts) parts.clear()
  }

  private drop(seq: number): void {
    for (const [height, parts] of this.parts.entries()) parts.delete(placeOf(seq, height))
  }

  private addTo(total: Counting, height: number, place: number, since: number): void {
    const { earliest, latest } = this.partAt(height, place)
    if (latest < since) return
    if (earliest >= since) add(total, this.tallyOf(height, place))
    else if (height > 0) for (const below of placesBelow(place)) this.addTo(total, height - 1, below, since)
    else this.eachMatch(place, (row) => row.at >= since && count(total, row))
  }

  private partAt(height: number, place: number): Part {
    const known = this.parts[height]?.get(place)
    if (known !== undefined) return known
    let earliest = Number.POSITIVE_INFINITY
    let latest = Number.NEGATIVE_INFINITY
    const cover = (from: number, to: number): void => {
      earliest = Math.min(earliest, from)
      latest = Math.max(latest, to)
    }
    if (height === 0) this.each(place, ({ at }) => cover(at, at))
    else
      for (const below of placesBelow(place)) {
        const part = this.partAt(height - 1, below)
        cover(part.earliest, part.latest)
      }
    const part = { earliest, latest, tally: undefined }
    this.parts[height]?.set(place, part)
    return part
  }

  private tallyOf(height: number, place: number): Tally {
    const part = this.partAt(height, place)
    if (part.tally !== undefined) return part.tally
    const tally = emptyTally()
    if (height === 0) this.eachMatch(place, (row) => count(tally, row))
    else for (const below of placesBelow(place)) add(tally, this.tallyOf(height - 1, below))
    // Until the filter was tried on all of its rows its sum grows.
    if (this.matches.testedFrom <= Math.max(place * sizeOf(height), this.rows.first)) part.tally = tally
    return tally
  }

  private eachMatch(place: number, visit: (row: LiveRequest) => void): void {
    this.matches.each(place * CHUNK, (place + 1) * CHUNK, visit)
  }

  private each(place: number, visit: (row: LiveRequest) => void): void {
    for (let seq = place * CHUNK; seq < (place + 1) * CHUNK; seq++) {
      const row = this.rows.at(seq)
      if (row !== undefined) visit(row)
    }
  }
}

const sizeOf = (height: number): number => SIZES[height] ?? CHUNK
const placeOf = (seq: number, height: number): number => Math.floor(seq / sizeOf(height))
const placesBelow = (place: number): readonly number[] => Array.from({ length: FAN_OUT }, (_, i) => place * FAN_OUT + i)
