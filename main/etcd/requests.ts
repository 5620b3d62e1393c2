import { gunzipSync } from 'node:zlib'
import { BinaryReader, type WireType } from '@bufbuild/protobuf/wire'
import type { KeyOperation, RangeOptions, Txn, TxnElement } from '../../core/qos/request.ts'
import type { Bytes } from '../../core/qos/keys.ts'

/** The parts of a message that rules read (QoS specification 10). */
export interface ReadRequest {
  readonly body?: TxnElement
  /** The user name in an Authenticate. */
  readonly name?: string
}

/** A longer request message is forwarded without being parsed; by default etcd rejects messages above 1.5 MiB. */
export const MOST_READ_BYTES = 8 * 1024 * 1024
/** Txns are nested less deep than this; otherwise the stack would be the limit. */
const MOST_NESTED = 32

/** Called for each field; returns `false` for a field that it does not read. */
type ReadField = (field: number, reader: BinaryReader) => boolean

function eachField(bytes: Uint8Array, read: ReadField): void {
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [field, type]: [number, WireType] = reader.tag()
    if (!read(field, reader)) reader.skip(type, field)
  }
}

function keyOf(reader: BinaryReader): Bytes {
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
    if (isOf(RANGE_NUMBERS, field)) options[RANGE_NUMBERS[field]] = Number(reader.int64())
    else if (isOf(RANGE_FLAGS, field)) options[RANGE_FLAGS[field]] = reader.bool()
    else return readKeys(keys, field, reader)
    return true
  })
  return { op: 'Range', ...keys, options }
}

function readKeys(keys: { key: Bytes; rangeEnd: Bytes }, field: number, reader: BinaryReader): boolean {
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
  if (depth > MOST_NESTED) throw new RangeError('Txns are nested too deep')
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
    text = reader.string()
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

export interface Payload {
  readonly compressed: boolean
  readonly payload: Uint8Array
}

/** The parts of a request that rules read. `undefined` when it cannot be parsed: etcd decides whether it is valid. */
export function readRequest(
  method: string,
  { compressed, payload }: Payload,
  encoding: string | undefined,
): ReadRequest | undefined {
  const read = READERS[method]
  if (read === undefined) return {}
  try {
    return read(compressed ? unpacked(payload, encoding) : payload)
  } catch {
    return undefined
  }
}

function unpacked(payload: Uint8Array, encoding: string | undefined): Uint8Array {
  if (encoding !== 'gzip') throw new TypeError('unknown compression')
  return gunzipSync(payload, { maxOutputLength: MOST_READ_BYTES })
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
      status.version = reader.string()
      return true
    }
    if (number === undefined) return false
    status[number] = Number(reader.int64())
    return true
  })
  return status
}
