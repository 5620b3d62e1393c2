/** A piece of a page, readable byte by byte and, at any offset, four bytes at a time. */
export interface Text {
  readonly bytes: Uint8Array
  readonly view: DataView
}

export const textOf = (bytes: Uint8Array): Text => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
})

/** Bytes that are only ever added to. */
export class ByteStore {
  #text = textOf(new Uint8Array(0))
  #used = 0

  get view(): DataView {
    return this.#text.view
  }

  get length(): number {
    return this.#used
  }

  append(bytes: Uint8Array): void {
    const length = this.#used + bytes.length
    if (length > this.#text.bytes.length) {
      const larger = textOf(new Uint8Array(Math.max(length, 2 * this.#text.bytes.length)))
      larger.bytes.set(this.#text.bytes)
      this.#text = larger
    }
    this.#text.bytes.set(bytes, this.#used)
    this.#used = length
  }

  /** A copy of the first `length` bytes. */
  head(length: number): ByteStore {
    const copy = new ByteStore()
    copy.append(this.#text.bytes.subarray(0, length))
    return copy
  }
}

export const NEWLINE = 0x0a
export const RETURN = 0x0d
export const TAB = 0x09
export const SPACE = 0x20
export const QUOTE = 0x22
export const HASH = 0x23
export const COMMA = 0x2c
export const EQUALS = 0x3d
export const LESS = 0x3c
export const BACKSLASH = 0x5c
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d

/** Whether `length` bytes of `a` from `at` equal those of `b` from `from`. Both must have that many. */
export function equalBytes(a: DataView, at: number, b: DataView, from: number, length: number): boolean {
  if (length < 4) {
    for (let i = 0; i < length; i++) if (a.getUint8(at + i) !== b.getUint8(from + i)) return false
    return true
  }
  const last = length - 4
  for (let i = 0; i < last; i += 4) if (a.getInt32(at + i, true) !== b.getInt32(from + i, true)) return false
  // The last word overlaps the one before it, which is cheaper than a loop over what is left.
  return a.getInt32(at + last, true) === b.getInt32(from + last, true)
}

/** How many bytes of `view` from `a` and from `b` on, up to `most`, are equal. There must be that many from `b`. */
export function commonLength(view: DataView, a: number, b: number, most: number): number {
  const end = Math.min(most, view.byteLength - a)
  let length = 0
  while (length + 4 <= end && view.getInt32(a + length, true) === view.getInt32(b + length, true)) length += 4
  while (length < end && view.getUint8(a + length) === view.getUint8(b + length)) length++
  return length
}

/** Index of the first line feed from `at` on; there must be one before `limit`. */
export function indexOfNewline({ bytes, view }: Text, at: number, limit: number): number {
  for (const last = limit - 8; at <= last; at += 8) {
    // A line feed becomes a zero byte, and subtracting one from that sets its high bit. So does a byte that is no
    // ASCII, which is rare: the search goes on byte by byte.
    const a = view.getInt32(at, true) ^ 0x0a0a0a0a
    const b = view.getInt32(at + 4, true) ^ 0x0a0a0a0a
    if (((a - 0x01010101) | (b - 0x01010101)) & 0x80808080) break
  }
  while (bytes[at] !== NEWLINE) at++
  return at
}

export function skipBlanks(bytes: Uint8Array, at: number): number {
  while (bytes[at] === SPACE || bytes[at] === TAB) at++
  return at
}

/** Mixes the next byte of a string into its hash. */
export const mix = (hash: number, byte: number): number => (Math.imul(hash, 31) + byte) | 0
