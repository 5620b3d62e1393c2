import { BACKSLASH, ByteStore, equalBytes, mix, type Text } from './bytes.ts'

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

/** Resolves `\\`, `\"` and `\n`; any other backslash stands for itself. */
export const unescapeLabel = (text: string): string => (text.includes('\\') ? text.replace(ESCAPE, meaning) : text)

/** As {@link unescapeLabel}, for help texts of the text format, where a quote is not escaped. */
export const unescapeHelp = (text: string): string => text.replace(/\\[\\n]/g, meaning)

/** What an entry of a `StringTable` may grow to before the table is emptied: values that change with every page exist. */
const MAX_BYTES = 4 << 20

/** Places to look for a string: more than chance needs, few enough that strings made to collide cost nothing. */
const MAX_PROBES = 32
const SLOTS = 4096

/** Brings the high bits of a hash, where long strings differ, to the low ones, which choose the place. */
const spread = (hash: number): number => hash ^ (hash >>> 15)

function textFrom(bytes: Uint8Array): string | undefined {
  const decoded = decodeUtf8(bytes)
  return decoded !== undefined && bytes.includes(BACKSLASH) ? unescapeLabel(decoded) : decoded
}

/**
 * Names and label values by their bytes as written. A page repeats few of them very often, so that looking one up is
 * cheaper than making its string again; and equal strings are the same object, which makes comparing them cheap.
 */
export class StringTable {
  /** Entry + 1 by hash; 0 is a free place. */
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

  /** As `get`, for who has no hash. */
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

/** Sets a label as an own property, also under the one name that assignment would not take. */
export function setLabel(labels: Record<string, string>, name: string, value: string): void {
  if (name === '__proto__') {
    Object.defineProperty(labels, name, { value, enumerable: true, configurable: true, writable: true })
  } else {
    labels[name] = value
  }
}
