import { gunzipSync } from 'node:zlib'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { ProblemError } from '../../core/errors.ts'
import type { KeyOperation, RangeOptions, Txn, TxnElement } from '../../core/qos/request.ts'
import type { Bytes } from '../../core/qos/keys.ts'
import type { FirstMessage } from './messages.ts'

/** The parts of a message that rules read (QoS specification 10). */
export interface ReadRequest {
  readonly body?: TxnElement
  /** The user name in an Authenticate. */
  readonly name?: string
}

/** A request with the size of its message, unpacked as etcd stores it. */
interface MeasuredRequest extends ReadRequest {
  readonly requestBytes: number
}

const MIB = 1024 * 1024
/** A longer request message is not parsed; by default etcd rejects messages above 1.5 MiB. */
export const MOST_READ_BYTES = 8 * MIB
/** Txns are nested less deep than this; otherwise the stack would be the limit. */
const MOST_NESTED = 32
/** Longer tags have bits that etcd and the reader treat differently; no field of etcd needs one. */
const LONGEST_TAG_BYTES = 4

/**
 * The current field. Whoever reads it as another type than it has would read other bytes than etcd does, which skips or
 * rejects it: that throws.
 */
class FieldReader {
  readonly #reader: BinaryReader
  #type = WireType.LengthDelimited

  constructor(bytes: Uint8Array) {
    this.#reader = new BinaryReader(bytes)
  }

  /** The number of the next field; `undefined` at the end. */
  next(): number | undefined {
    const reader = this.#reader
    const { pos } = reader
    if (pos >= reader.len) return undefined
    const [field, type] = reader.tag()
    if (reader.pos - pos > LONGEST_TAG_BYTES) throw new RangeError('the tag is too long')
    this.#type = type
    return field
  }

  skip(field: number): void {
    this.#reader.skip(this.#type, field)
  }

  bytes(): Uint8Array {
    return this.#as(WireType.LengthDelimited).bytes()
  }

  text(): string {
    return this.#as(WireType.LengthDelimited).string()
  }

  integer(): number {
    return Number(this.#as(WireType.Varint).int64())
  }

  flag(): boolean {
    return this.#as(WireType.Varint).bool()
  }

  #as(type: WireType): BinaryReader {
    if (this.#type !== type) throw new TypeError('the field has another type')
    return this.#reader
  }
}

/** Called for each field; returns `false` for a field that it does not read. */
type ReadField = (field: number, reader: FieldReader) => boolean

function eachField(bytes: Uint8Array, read: ReadField): void {
  const reader = new FieldReader(bytes)
  for (let field = reader.next(); field !== undefined; field = reader.next())
    if (!read(field, reader)) reader.skip(field)
}

function keyOf(reader: FieldReader): Bytes {
  const { buffer, byteOffset, byteLength } = reader.bytes()
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}

/** Options of a Range by their numbers. */
const RANGE_NUMBERS = {
  3: 'limit',
  4: 'revision',
  5: 'sortOrder',
  6: 'sortTarget',
  10: 'minModRevision',
  11: 'maxModRevision',
  12: 'minCreateRevision',
  13: 'maxCreateRevision',
} as const
const RANGE_FLAGS = { 7: 'serializable', 8: 'keysOnly', 9: 'countOnly' } as const

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** Whether a field is in a table. */
const isOf = <T extends object>(table: T, field: PropertyKey): field is keyof T => Object.hasOwn(table, field)

function readRange(bytes: Uint8Array): KeyOperation {
  const keys = { key: '', rangeEnd: '' }
  const options: Writable<RangeOptions> = {}
  eachField(bytes, (field, reader) => {
    if (isOf(RANGE_NUMBERS, field)) options[RANGE_NUMBERS[field]] = reader.integer()
    else if (isOf(RANGE_FLAGS, field)) options[RANGE_FLAGS[field]] = reader.flag()
    else return readKeys(keys, field, reader)
    return true
  })
  return { op: 'Range', ...keys, options }
}

function readKeys(keys: { key: Bytes; rangeEnd: Bytes }, field: number, reader: FieldReader): boolean {
  if (field === 1) keys.key = keyOf(reader)
  else if (field === 2) keys.rangeEnd = keyOf(reader)
  else return false
  return true
}

function readPut(bytes: Uint8Array): KeyOperation {
  let key = ''
  eachField(bytes, (field, reader) => {
    if (field !== 1) return false
    key = keyOf(reader)
    return true
  })
  return { op: 'Put', key }
}

function readDelete(bytes: Uint8Array): KeyOperation {
  const keys = { key: '', rangeEnd: '' }
  eachField(bytes, (field, reader) => readKeys(keys, field, reader))
  return { op: 'DeleteRange', ...keys }
}

function readTxn(bytes: Uint8Array, depth = 0): Txn {
  if (depth > MOST_NESTED)
    throw new ProblemError(
      'invalid-input',
      `Txns are nested deeper than ${MOST_NESTED} levels, so rules cannot be applied.`,
    )
  const branches: Readonly<Record<number, TxnElement[]>> = { 2: [], 3: [] }
  eachField(bytes, (field, reader) => {
    const branch = branches[field]
    if (branch === undefined) return false
    eachField(reader.bytes(), (kind, element) => {
      const read = ELEMENTS[kind]
      if (read === undefined) return false
      branch.push(read(element.bytes(), depth + 1))
      return true
    })
    return true
  })
  return { op: 'Txn', success: branches[2] ?? [], failure: branches[3] ?? [] }
}

/** Elements by their field number in a RequestOp. */
const ELEMENTS: Readonly<Record<number, (bytes: Uint8Array, depth: number) => TxnElement>> = {
  1: readRange,
  2: readPut,
  3: readDelete,
  4: readTxn,
}

function readString(bytes: Uint8Array, wanted: number): string {
  let text = ''
  eachField(bytes, (field, reader) => {
    if (field !== wanted) return false
    text = reader.text()
    return true
  })
  return text
}

const READERS: Readonly<Record<string, (bytes: Uint8Array) => ReadRequest>> = {
  'KV/Range': (bytes) => ({ body: readRange(bytes) }),
  'KV/Put': (bytes) => ({ body: readPut(bytes) }),
  'KV/DeleteRange': (bytes) => ({ body: readDelete(bytes) }),
  'KV/Txn': (bytes) => ({ body: readTxn(bytes) }),
  'Auth/Authenticate': (bytes) => ({ name: readString(bytes, 1) }),
}

/**
 * The parts of a request that rules read, from what is collected of its stream. Throws `ProblemError` for a request that
 * cannot be read in full.
 */
export function readRequest(method: string, first: FirstMessage, encoding: string | undefined): MeasuredRequest {
  const message = first.read()
  if (message === undefined)
    throw new ProblemError(
      'invalid-input',
      `The request is incomplete or longer than ${MOST_READ_BYTES / MIB} MiB, so rules cannot be applied.`,
    )
  const payload = message.compressed ? unpacked(message.payload, encoding) : message.payload
  try {
    return { ...READERS[method]?.(payload), requestBytes: payload.length }
  } catch (error) {
    if (error instanceof ProblemError) throw error
    throw new ProblemError('invalid-input', `The request is no valid message of ${method}, so rules cannot be applied.`)
  }
}

function unpacked(payload: Uint8Array, encoding: string | undefined): Uint8Array {
  try {
    if (encoding === 'gzip') return gunzipSync(payload, { maxOutputLength: MOST_READ_BYTES })
  } catch {
    // Damaged, or too long.
  }
  throw new ProblemError(
    'invalid-input',
    `The request cannot be unpacked, so rules cannot be applied. Send it uncompressed, or as gzip of at most ${MOST_READ_BYTES / MIB} MiB.`,
  )
}

/** The token of an AuthenticateResponse. Throws for bytes that cannot be parsed. */
export const readToken = (bytes: Uint8Array): string => readString(bytes, 2)

/** The displayed parts of a StatusResponse; 0 or empty where etcd does not report them. */
export interface MemberStatus {
  readonly version: string
  readonly dbSize: number
  readonly dbSizeInUse: number
  /** Since etcd 3.6. */
  readonly dbSizeQuota: number
  readonly raftIndex: number
  readonly raftAppliedIndex: number
}

const STATUS_NUMBERS: Readonly<Record<number, Exclude<keyof MemberStatus, 'version'>>> = {
  3: 'dbSize',
  5: 'raftIndex',
  7: 'raftAppliedIndex',
  9: 'dbSizeInUse',
  12: 'dbSizeQuota',
}

const VERSION = 2

/** Throws for bytes that cannot be parsed. */
export function readStatus(bytes: Uint8Array): MemberStatus {
  const status = { version: '', dbSize: 0, dbSizeInUse: 0, dbSizeQuota: 0, raftIndex: 0, raftAppliedIndex: 0 }
  eachField(bytes, (field, reader) => {
    const number = STATUS_NUMBERS[field]
    if (field === VERSION) {
      status.version = reader.text()
      return true
    }
    if (number === undefined) return false
    status[number] = reader.integer()
    return true
  })
  return status
}
