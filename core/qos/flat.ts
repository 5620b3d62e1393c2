import type { KeyOperation, QosRequest, RangeOptions, TxnElement } from './request.ts'

/** Maximum bytes of one request. */
export const LONGEST_FLAT = 64 * 1024
/** Number of texts written as a number: names of methods, rules, callers. Others, and longer ones, are written out. */
const MOST_WORDS = 1_000
const LONGEST_WORD = 128

/** Recurring texts, by number. The first ones are kept permanently, because written requests refer to them. */
class Words {
  readonly #numbers = new Map<string, number>()
  readonly #texts: string[] = []

  /** `undefined` for a text that is not kept. */
  numberOf(text: string): number | undefined {
    const known = this.#numbers.get(text)
    if (known !== undefined || this.#texts.length >= MOST_WORDS || text.length > LONGEST_WORD) return known
    const number = this.#texts.length
    this.#texts.push(text)
    this.#numbers.set(text, number)
    return number
  }

  textOf(number: number): string {
    return this.#texts[number] ?? ''
  }
}

const ABSENT = 0
/** Low bits of the number that precedes a text. */
const WORD = 1
const BYTES = 2
const UNITS = 3

const NUMBERS = [
  'limit',
  'revision',
  'sortOrder',
  'sortTarget',
  'minModRevision',
  'maxModRevision',
  'minCreateRevision',
  'maxCreateRevision',
] as const satisfies readonly (keyof RangeOptions)[]
const FLAGS = ['serializable', 'keysOnly', 'countOnly'] as const satisfies readonly (keyof RangeOptions)[]
const OPS = ['Range', 'Put', 'DeleteRange', 'Txn'] as const

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** Writes requests and texts as bytes and reads them back. All share one buffer, so writing allocates nothing. */
export class FlatRequests {
  /** The bytes written last, or to be read. */
  readonly bytes = new Uint8Array(LONGEST_FLAT)
  readonly #words = new Words()
  readonly #number = new Float64Array(1)
  readonly #numberBytes = new Uint8Array(this.#number.buffer)
  #at = 0

  /** Starts at the first byte. */
  begin(): void {
    this.#at = 0
  }

  /** Number of bytes written. It exceeds the buffer if they do not fit, and then they are unusable. */
  get length(): number {
    return this.#at
  }

  writeRequest({ method, body, name, user, clientIP }: QosRequest): void {
    this.writeWord(method)
    this.writeWord(user)
    this.writeWord(clientIP)
    this.writeText(name)
    if (body === undefined) this.#write(ABSENT)
    else this.#writeElement(body)
  }

  /** Without the numbers, which are not written here. */
  readRequest(): QosRequest {
    const [method = '', user = '', clientIP = '', name] = [
      this.readText(),
      this.readText(),
      this.readText(),
      this.readText(),
    ]
    const body = this.#readElement()
    return { method, ...(body !== undefined && { body }), ...(name !== undefined && { name }), user, clientIP }
  }

  /** A recurring text. */
  writeWord(text: string | undefined): void {
    const number = text === undefined ? undefined : this.#words.numberOf(text)
    if (number === undefined) this.writeText(text)
    else this.#writeWhole(number * 4 + WORD)
  }

  writeText(text: string | undefined): void {
    if (text === undefined) return this.#write(ABSENT)
    const start = this.#at
    this.#writeWhole(text.length * 4 + BYTES)
    if (!this.#hasRoom(text.length)) return
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index)
      if (unit > 0xff) {
        this.#at = start
        return this.#writeUnits(text)
      }
      this.bytes[this.#at++] = unit
    }
  }

  readText(): string | undefined {
    const head = this.#readWhole()
    const count = Math.floor(head / 4)
    switch (head % 4) {
      case WORD:
        return this.#words.textOf(count)
      case BYTES:
        this.#at += count
        return textOfUnits(this.bytes.subarray(this.#at - count, this.#at))
      case UNITS:
        return textOfUnits(Uint16Array.from({ length: count }, () => this.#read() + this.#read() * 256))
      default:
        return undefined
    }
  }

  #writeUnits(text: string): void {
    this.#writeWhole(text.length * 4 + UNITS)
    if (!this.#hasRoom(text.length * 2)) return
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index)
      this.#write(unit & 0xff)
      this.#write(unit >> 8)
    }
  }

  #hasRoom(bytes: number): boolean {
    if (this.#at + bytes <= LONGEST_FLAT) return true
    this.#at = Number.POSITIVE_INFINITY
    return false
  }

  #writeElement(element: TxnElement): void {
    this.#write(OPS.indexOf(element.op) + 1)
    if (element.op === 'Txn') {
      for (const branch of [element.success, element.failure]) {
        this.#writeWhole(branch.length)
        for (const each of branch) {
          if (this.#at > LONGEST_FLAT) return
          this.#writeElement(each)
        }
      }
      return
    }
    this.writeText(element.key)
    if (element.op !== 'Put') this.writeText(element.rangeEnd)
    if (element.op === 'Range') this.#writeOptions(element.options)
  }

  #readElement(): TxnElement | undefined {
    const op = OPS[this.#read() - 1]
    if (op === undefined) return undefined
    if (op === 'Txn') {
      const [success, failure] = [this.#readElements(), this.#readElements()]
      return { op, success, failure }
    }
    const key = this.readText() ?? ''
    if (op === 'Put') return { op, key }
    const rangeEnd = this.readText()
    const keys = { key, ...(rangeEnd !== undefined && { rangeEnd }) }
    if (op === 'DeleteRange') return { op, ...keys }
    const options = this.#readOptions()
    return { op, ...keys, ...(options !== undefined && { options }) } satisfies KeyOperation
  }

  #readElements(): TxnElement[] {
    const elements: TxnElement[] = []
    for (let left = this.#readWhole(); left > 0; left--) {
      const element = this.#readElement()
      if (element !== undefined) elements.push(element)
    }
    return elements
  }

  #writeOptions(options: RangeOptions | undefined): void {
    if (options === undefined) return this.#write(ABSENT)
    this.#write(1)
    let given = 0
    for (let index = 0; index < NUMBERS.length; index++) {
      const name = NUMBERS[index]
      if (name !== undefined && options[name] !== undefined) given += 2 ** index
    }
    this.#write(given)
    for (const name of NUMBERS) if (options[name] !== undefined) this.#writeNumber(options[name])
    // Two bits each: whether it is set, and whether it is on.
    let flags = 0
    for (let index = 0; index < FLAGS.length; index++) {
      const name = FLAGS[index]
      const flag = name === undefined ? undefined : options[name]
      if (flag !== undefined) flags += (flag ? 3 : 1) * 4 ** index
    }
    this.#write(flags)
  }

  #readOptions(): RangeOptions | undefined {
    if (this.#read() === ABSENT) return undefined
    const options: Writable<RangeOptions> = {}
    const given = this.#read()
    NUMBERS.forEach((name, index) => {
      if ((given & (2 ** index)) !== 0) options[name] = this.#readNumber()
    })
    const flags = this.#read()
    FLAGS.forEach((name, index) => {
      const flag = Math.floor(flags / 4 ** index) % 4
      if (flag !== 0) options[name] = flag === 3
    })
    return options
  }

  #write(byte: number): void {
    // Bytes beyond the end are not stored, but the length includes them.
    this.bytes[this.#at++] = byte
  }

  #read(): number {
    return this.bytes[this.#at++] ?? 0
  }

  #writeWhole(value: number): void {
    let left = value
    for (; left >= 0x80; left = Math.floor(left / 0x80)) this.#write((left % 0x80) + 0x80)
    this.#write(left)
  }

  #readWhole(): number {
    let value = 0
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.#read()
      value += (byte % 0x80) * factor
      if (byte < 0x80) return value
    }
  }

  #writeNumber(value: number): void {
    this.#number[0] = value
    for (const byte of this.#numberBytes) this.#write(byte)
  }

  #readNumber(): number {
    for (let index = 0; index < this.#numberBytes.length; index++) this.#numberBytes[index] = this.#read()
    return this.#number[0] ?? 0
  }
}

/** Arguments of one call: more would overflow the stack. */
const MOST_ARGUMENTS = 8_192

function textOfUnits(units: Uint8Array | Uint16Array): string {
  let text = ''
  for (let from = 0; from < units.length; from += MOST_ARGUMENTS)
    text += String(Reflect.apply(String.fromCharCode, undefined, units.subarray(from, from + MOST_ARGUMENTS)))
  return text
}
