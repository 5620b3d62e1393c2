/** A piece of a page, readable byte by byte and, at any offset, four bytes at a time. */
export interface Text {
  readonly bytes: Uint8Array
  readonly view: DataView
}

export const textOf = (bytes: Uint8Array): Text => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
})

/** Append-only bytes. */
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
  // The last word overlaps the one before it, which is cheaper than a loop over the remaining bytes.
  return a.getInt32(at + last, true) === b.getInt32(from + last, true)
}

/** How many bytes from `a` and from `b` on are equal, up to `most`. From `b` on there must be `most` bytes. */
export function commonLength(view: DataView, a: number, b: number, most: number): number {
  const end = Math.min(most, view.byteLength - a)
  let length = 0
  while (length + 4 <= end && view.getInt32(a + length, true) === view.getInt32(b + length, true)) length += 4
  while (length < end && view.getUint8(a + length) === view.getUint8(b + length)) length++
  return length
}

/** Index of the first line feed at or after `at`; there must be one before `limit`. */
export function indexOfNewline({ bytes, view }: Text, at: number, limit: number): number {
  for (const last = limit - 8; at <= last; at += 8) {
    // A line feed becomes a zero byte, and subtracting one from that sets its high bit. So does a non-ASCII byte, which
    // is rare: the search then continues byte by byte.
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

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of some bytes, or `undefined` where they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

const ESCAPE = /\\[\\"n]/g
const meaning = (escape: string): string => (escape === '\\n' ? '\n' : escape.slice(1))

/** Resolves `\\`, `\"` and `\n`; any other backslash is literal. */
export const unescapeLabel = (text: string): string => (text.includes('\\') ? text.replace(ESCAPE, meaning) : text)

/** Like {@link unescapeLabel}, for help texts of the text format, where a quote is not escaped. */
export const unescapeHelp = (text: string): string => text.replace(/\\[\\n]/g, meaning)

/** Bytes that a `StringTable` may store before it is emptied: some values change with every page. */
const MAX_BYTES = 4 << 20

/** Slots to probe for a string: more than chance collisions need, few enough that crafted collisions stay cheap. */
const MAX_PROBES = 32
const SLOTS = 4096

/** Mixes the high bits of a hash, where long strings differ, into the low ones, which select the slot. */
const spread = (hash: number): number => hash ^ (hash >>> 15)

function textFrom(bytes: Uint8Array): string | undefined {
  const decoded = decodeUtf8(bytes)
  return decoded !== undefined && bytes.includes(BACKSLASH) ? unescapeLabel(decoded) : decoded
}

/**
 * Names and label values, keyed by their bytes as written. A page repeats few of them very often, so a lookup is
 * cheaper than creating the string again; and equal strings are the same object, which makes comparing them cheap.
 */
export class StringTable {
  /** Entry + 1 by hash; 0 is a free slot. */
  #slots = new Int32Array(SLOTS)
  #texts: string[] = []
  #hashes: number[] = []
  #starts: number[] = []
  #lengths: number[] = []
  #store = new ByteStore()

  /** The unescaped text of the bytes from `from` to `to`, whose `hash` is by `mix`; `undefined` if not UTF-8. */
  get(text: Text, from: number, to: number, hash: number): string | undefined {
    const mask = this.#slots.length - 1
    const length = to - from
    let slot = spread(hash) & mask
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const entry = this.#slots[slot]! - 1
      if (entry < 0) return this.#add(text.bytes.subarray(from, to), hash)
      if (
        this.#hashes[entry] === hash &&
        this.#lengths[entry] === length &&
        equalBytes(text.view, from, this.#store.view, this.#starts[entry]!, length)
      )
        return this.#texts[entry]
      slot = (slot + 1) & mask
    }
    return textFrom(text.bytes.subarray(from, to))
  }

  /** Like `get`, for callers without a hash. */
  read(text: Text, from: number, to: number): string | undefined {
    let hash = 0
    for (let at = from; at < to; at++) hash = mix(hash, text.bytes[at]!)
    return this.get(text, from, to, hash)
  }

  #add(bytes: Uint8Array, hash: number): string | undefined {
    const text = textFrom(bytes)
    if (text === undefined) return undefined
    if (this.#store.length + bytes.length > MAX_BYTES) this.#clear()
    this.#texts.push(text)
    this.#hashes.push(hash)
    this.#starts.push(this.#store.length)
    this.#lengths.push(bytes.length)
    this.#store.append(bytes)
    const count = this.#texts.length
    if (count * 2 <= this.#slots.length) {
      this.#place(count - 1)
    } else {
      this.#slots = new Int32Array(this.#slots.length * 2)
      for (let entry = 0; entry < count; entry++) this.#place(entry)
    }
    return text
  }

  #place(entry: number): void {
    const mask = this.#slots.length - 1
    let slot = spread(this.#hashes[entry]!) & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = entry + 1
  }

  #clear(): void {
    this.#slots = new Int32Array(SLOTS)
    this.#texts = []
    this.#hashes = []
    this.#starts = []
    this.#lengths = []
    this.#store = new ByteStore()
  }
}

/** Sets a label as an own property, also under the one name that a plain assignment would not set. */
export function setLabel(labels: Record<string, string>, name: string, value: string): void {
  if (name === '__proto__') {
    Object.defineProperty(labels, name, { value, enumerable: true, configurable: true, writable: true })
  } else {
    labels[name] = value
  }
}
