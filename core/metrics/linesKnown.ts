import { ByteStore, equalBytes, type Text } from './bytes.ts'
import type { Series } from './page.ts'
import type { Metadata } from './pageBuilder.ts'

/** Slots to probe for a line. A line that is not found is read again, which only costs a little time. */
const MAX_PROBES = 32
const NOTHING = new Uint8Array(0)

/** The content of a line except its value. */
export type Entry = Series | Metadata

export const isSeries = (entry: Entry): entry is Series => 'labels' in entry

/**
 * The lines of a page in order: a sample's bytes up to the value, the whole line of metadata. The next page of the same
 * server has nearly the same lines, so comparing bytes replaces reading them.
 */
export class KnownLines {
  readonly entries: Entry[] = []
  /** For each line, its start in `#store` and how many of its bytes are compared. */
  #spans = new Int32Array(0)
  #store = new ByteStore()
  /** Lines appended and not copied yet: they are consecutive in `#source`. */
  #source: Uint8Array = NOTHING
  #runFrom = 0
  #runTo = 0
  /** Line number + 1 by hash of its bytes; created on first use. */
  #index: Int32Array | undefined

  get count(): number {
    return this.entries.length
  }

  /** Length of known line `line`, if `text` has it at `at` with all its bytes before `limit`; otherwise −1. */
  match(line: number, text: Text, at: number, limit: number): number {
    const length = this.#spans[2 * line + 1]!
    if (at + length > limit) return -1
    return equalBytes(text.view, at, this.#store.view, this.#spans[2 * line]!, length) ? length : -1
  }

  /** Stores a line: the part of `bytes` from `from` to `to`, of which the first `length` bytes are compared. */
  append(entry: Entry, bytes: Uint8Array, from: number, to: number, length: number): void {
    if (from !== this.#runTo || bytes !== this.#source) {
      this.flush()
      this.#source = bytes
      this.#runFrom = from
    }
    this.#runTo = to
    const span = 2 * this.count
    if (span === this.#spans.length) {
      const more = new Int32Array(Math.max(1024, 2 * span))
      more.set(this.#spans)
      this.#spans = more
    }
    this.#spans[span] = this.#store.length + (from - this.#runFrom)
    this.#spans[span + 1] = length
    this.entries.push(entry)
  }

  /** Copies the appended lines. Must be called before the bytes given to `append` change. */
  flush(): void {
    this.#store.append(this.#source.subarray(this.#runFrom, this.#runTo))
    this.#runFrom = this.#runTo = 0
    this.#source = NOTHING
  }

  /** The first `count` lines, as a new value. */
  head(count: number): KnownLines {
    const copy = new KnownLines()
    if (count === 0) return copy
    copy.#store = this.#store.head(count === this.count ? this.#store.length : this.#spans[2 * count]!)
    copy.#spans = this.#spans.slice()
    for (let line = 0; line < count; line++) copy.entries.push(this.entries[line]!)
    return copy
  }

  /** A line with exactly the bytes of `text` from `at` to `end`, or −1. */
  find(text: Text, at: number, end: number): number {
    if (this.count === 0) return -1
    const index = (this.#index ??= this.#makeIndex())
    const mask = index.length - 1
    const length = end - at
    let slot = hashBytes(text.view, at, length) & mask
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const line = index[slot]! - 1
      if (line < 0) return -1
      if (
        this.#spans[2 * line + 1] === length &&
        equalBytes(text.view, at, this.#store.view, this.#spans[2 * line]!, length)
      ) {
        return line
      }
      slot = (slot + 1) & mask
    }
    return -1
  }

  #makeIndex(): Int32Array {
    const index = new Int32Array(2 ** Math.ceil(Math.log2(this.count * 2 + 2)))
    const mask = index.length - 1
    for (let line = 0; line < this.count; line++) {
      let slot = hashBytes(this.#store.view, this.#spans[2 * line]!, this.#spans[2 * line + 1]!) & mask
      for (let probe = 0; probe < MAX_PROBES && index[slot] !== 0; probe++) slot = (slot + 1) & mask
      if (index[slot] === 0) index[slot] = line + 1
    }
    return index
  }
}

function hashBytes(view: DataView, at: number, length: number): number {
  let hash = length
  let i = 0
  for (; i + 4 <= length; i += 4) {
    hash = Math.imul(hash ^ view.getInt32(at + i, true), 0x9e3779b1)
    hash ^= hash >>> 15
  }
  for (; i < length; i++) hash = Math.imul(hash ^ view.getUint8(at + i), 0x9e3779b1)
  return hash ^ (hash >>> 13)
}
