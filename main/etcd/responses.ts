/**
 * What is read of a message while its bytes pass, by field number: `add` sums numbers, `one` counts a message, a shape
 * descends into it.
 */
interface Shape {
  readonly [field: number]: 'add' | 'one' | Shape
}

const RANGE: Shape = { 4: 'add' }
const DELETE: Shape = { 2: 'add' }
const TXN: Shape = {
  3: {
    1: RANGE,
    2: 'one',
    3: DELETE,
    get 4() {
      return TXN
    },
  },
}

/** Methods whose response contains how many keys they scanned (QoS specification 5). */
const SHAPES: Readonly<Record<string, Shape>> = { 'KV/Range': RANGE, 'KV/DeleteRange': DELETE, 'KV/Txn': TXN }

/** Deeper messages are skipped: no Txn that is parsed is nested this deep. */
const MOST_NESTED = 64
const VARINT = 0
const FIXED64 = 1
const MESSAGE = 2
const FIXED32 = 5

/**
 * Counts scanned keys in a response that may be split anywhere and be of any length: keys and values are skipped, never
 * buffered. An invalid message ends the count.
 */
export class ScanCount {
  readonly #nested: { readonly shape: Shape; left: number }[] = []
  #keys: number
  #state: 'tag' | 'number' | 'length' | 'skip' | 'broken' = 'tag'
  #action: Shape[number] | undefined
  #value = 0
  #factor = 1
  #skip = 0

  private constructor(shape: Shape | undefined, keys: number) {
    this.#keys = keys
    if (shape === undefined) this.#state = 'broken'
    else this.#nested.push({ shape, left: Number.POSITIVE_INFINITY })
  }

  static of(method: string): ScanCount {
    return new ScanCount(SHAPES[method], method === 'KV/Put' ? 1 : 0)
  }

  get keys(): number {
    return this.#keys
  }

  push(piece: Uint8Array): void {
    for (let at = 0; at < piece.length && this.#state !== 'broken';) {
      if (this.#state === 'skip') {
        const passed = Math.min(this.#skip, piece.length - at)
        this.#skip -= passed
        at += passed
        this.#take(passed)
        if (this.#skip === 0) this.#next()
      } else {
        this.#byte(piece[at] ?? 0)
        at += 1
      }
    }
  }

  #byte(byte: number): void {
    this.#take(1)
    this.#value += (byte & 0x7f) * this.#factor
    this.#factor *= 128
    if (byte >= 0x80) {
      if (this.#factor > 2 ** 70) this.#state = 'broken'
      return
    }
    const value = this.#value
    const state = this.#state
    this.#state = 'tag'
    this.#value = 0
    this.#factor = 1
    if (state === 'tag') this.#tag(value)
    else if (state === 'number') {
      if (this.#action === 'add') this.#keys += value
      this.#next()
    } else this.#enter(value)
  }

  #tag(value: number): void {
    this.#action = this.#nested.at(-1)?.shape[Math.floor(value / 8)]
    switch (value % 8) {
      case VARINT:
        this.#state = 'number'
        break
      case FIXED64:
        this.#pass(8)
        break
      case MESSAGE:
        this.#state = 'length'
        break
      case FIXED32:
        this.#pass(4)
        break
      default:
        this.#state = 'broken'
    }
  }

  #enter(length: number): void {
    const action = this.#action
    if (action === 'one') this.#keys += 1
    if (typeof action !== 'object' || this.#nested.length >= MOST_NESTED) return this.#pass(length)
    this.#nested.push({ shape: action, left: length })
    this.#next()
  }

  #pass(bytes: number): void {
    this.#skip = bytes
    this.#state = bytes === 0 ? 'tag' : 'skip'
    if (bytes === 0) this.#next()
  }

  /** Subtracts bytes from every enclosing message. */
  #take(bytes: number): void {
    for (const level of this.#nested) level.left -= bytes
  }

  /** Leaves the messages that end here. */
  #next(): void {
    this.#state = 'tag'
    while ((this.#nested.at(-1)?.left ?? 1) <= 0) this.#nested.pop()
  }
}
