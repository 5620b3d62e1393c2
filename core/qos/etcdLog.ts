import { LogUnwrapper, type LogPiece } from '../feeds/unwrapper.ts'
import type { JsonObject } from '../config/jsonValues.ts'
import { parseGoDuration, parseGoTime, asText } from '../text/text.ts'
import { MS_PER_SECOND } from '../units.ts'
import { METHODS, shortMethod } from './operations.ts'

/** The lines in which etcd logs a slow request: of its apply loop, and of a whole call (with the client’s address). */
const SLOW = /apply request took too long|took too long \(|"request stats\\*"/
/** Until 3.4: `W | etcdserver: read-only range request "key:…" with result "…" took too long (123ms) to execute`. */
const OLD =
  /(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?) W \| etcdserver: (?:.*?)request "((?:[^"\\]|\\.)*)" (?:with result "((?:[^"\\]|\\.)*)" )?took too long \((\S+)\)/

export const isEtcdLog = (text: string): boolean => SLOW.test(text)

/** The requests of an etcd log. */
export interface EtcdLog {
  /** As lines of a recording, for `RecordReader`, by the time of their arrival. */
  readonly records: readonly JsonObject[]
  /** Lines about slow requests that are not calls of clients, or that cannot be read. */
  readonly left: number
}

interface Slow {
  /** Unix milliseconds. */
  readonly arrivedMs: number
  readonly content: string
  readonly isCall: boolean
  readonly record: JsonObject
}

/** Reads the slow requests of a log, in whatever envelope. A request that etcd logged twice counts once. */
export function readEtcdLog(text: string): EtcdLog {
  const unwrapper = new LogUnwrapper({ traces: SLOW, isRecord: isSlowValue })
  const pieces = [...text.split('\n').flatMap((line) => unwrapper.push(line)), ...unwrapper.end()]
  const slow: Slow[] = []
  let left = 0
  for (const piece of pieces) {
    if (!isSlow(piece)) continue
    const read = slowOf(piece)
    if (read === undefined) left += 1
    else {
      if (read.isCall) dropApply(slow, read.content)
      slow.push(read)
    }
  }
  const ordered = slow.toSorted((a, b) => a.arrivedMs - b.arrivedMs)
  const first = ordered[0]?.arrivedMs ?? 0
  return {
    records: ordered.map(({ record, arrivedMs }) => ({ ...record, time: (arrivedMs - first) / MS_PER_SECOND })),
    left,
  }
}

const isSlowValue = ({ msg }: JsonObject): boolean => msg === 'apply request took too long' || msg === 'request stats'

const isSlow = (piece: LogPiece): boolean =>
  piece.kind === 'json' ? isSlowValue(piece.value) : piece.kind === 'text' && OLD.test(piece.text)

/** How many lines may be between the two about one request. */
const NEAR = 64

function dropApply(slow: Slow[], content: string): void {
  for (let at = slow.length - 1; at >= Math.max(0, slow.length - NEAR); at--) {
    const one = slow[at]
    if (one === undefined || one.isCall || content === '' || !one.content.includes(content)) continue
    slow.splice(at, 1)
    return
  }
}

function slowOf(piece: LogPiece): Slow | undefined {
  if (piece.kind === 'json') return piece.value['msg'] === 'request stats' ? callOf(piece.value) : applyOf(piece.value)
  const [, at = '', request = '', result = '', took = ''] = (piece.kind === 'text' && OLD.exec(piece.text)) || []
  const plain = (quotedText: string): string => quotedText.replaceAll(/\\(["\\])/g, '$1')
  return applyOf({ ts: `${at.replace(' ', 'T')}Z`, request: plain(request), response: plain(result), took })
}

/** A line about the apply loop, which logs at the end. */
function applyOf({ ts, request, response, took, error }: JsonObject): Slow | undefined {
  const endedMs = timeOf(ts)
  const latencyMs = parseGoDuration(asText(took))
  const content = asText(request).trim()
  const operation = operationOf(fieldsOf(content))
  if (endedMs === undefined || latencyMs === undefined || operation === undefined) return undefined
  const [, keys] = /range_response_count:(\d+)/.exec(asText(response)) ?? []
  const [, size] = /size:(\d+)/.exec(asText(response)) ?? []
  return {
    arrivedMs: endedMs - latencyMs,
    content,
    isCall: false,
    record: {
      ...operation,
      latencyMs,
      ...(keys !== undefined && { scannedKeys: Number(keys) }),
      ...(size !== undefined && { responseBytes: Number(size) }),
      ...(asText(error) !== '' && { status: 'Unknown' }),
    },
  }
}

/** A line about a whole call. */
function callOf(value: JsonObject): Slow | undefined {
  const arrivedMs = timeOf(value['start time'])
  const latencyMs = parseGoDuration(asText(value['time spent']))
  const method = shortMethod(asText(value['response type']))
  const content = asText(value['request content']).trim()
  if (arrivedMs === undefined || latencyMs === undefined || !METHODS.includes(method)) return undefined
  const fields = fieldsOf(content)
  const count = (name: string): number | undefined => {
    const number = value[name]
    return typeof number === 'number' && number >= 0 ? number : undefined
  }
  const [requestBytes, scannedKeys, responseBytes] = ['request size', 'response count', 'response size'].map(count)
  return {
    arrivedMs,
    content,
    isCall: true,
    record: {
      ...(method.startsWith('KV/') && method !== 'KV/Compact' ? withMethod(method, fields) : { method }),
      clientIP: asText(value['remote']).replace(/:\d+$/, '').replaceAll(/[[\]]/g, ''),
      latencyMs,
      ...(requestBytes !== undefined && { requestBytes }),
      ...(scannedKeys !== undefined && { scannedKeys }),
      ...(responseBytes !== undefined && { responseBytes }),
    },
  }
}

/** RFC 3339, or the time of zap’s ISO 8601 encoder (`…+0000`); etcd’s own clock is taken to be UTC where it has no zone. */
const timeOf = (value: unknown): number | undefined =>
  typeof value === 'number' ? value * MS_PER_SECOND : parseGoTime(asText(value).replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))

/** Fields of a message in the text format of protocol buffers, in order. */
interface Field {
  readonly name: string
  readonly value: string | readonly Field[]
}

const TOKEN = /\s*(?:([A-Za-z_]\w*)\s*:?\s*(?:([<{])|("(?:[^"\\]|\\.)*"|[^\s<>{}"]+))|([>}]))/gy
const MOST_NESTED = 20

function fieldsOf(text: string): readonly Field[] {
  TOKEN.lastIndex = 0
  const read = (depth: number): readonly Field[] => {
    const fields: Field[] = []
    for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
      const [, name, open, scalar, close] = token
      if (close !== undefined || depth > MOST_NESTED) return fields
      if (name === undefined) continue
      fields.push({ name, value: open === undefined ? (scalar ?? '') : read(depth + 1) })
    }
    return fields
  }
  return read(0)
}

const nested = (fields: readonly Field[], name: string): readonly Field[] | undefined => {
  const value = fields.find((field) => field.name === name)?.value
  return typeof value === 'string' ? undefined : value
}

/** By the field of a raft request: the method of the call. */
const RAFT = {
  put: 'KV/Put',
  delete_range: 'KV/DeleteRange',
  range: 'KV/Range',
  txn: 'KV/Txn',
  compaction: 'KV/Compact',
  lease_grant: 'Lease/LeaseGrant',
  lease_revoke: 'Lease/LeaseRevoke',
} as const

/** The request of a client; `undefined` for what etcd proposes itself. */
function operationOf(fields: readonly Field[]): JsonObject | undefined {
  for (const [name, method] of Object.entries(RAFT)) {
    const inside = nested(fields, name)
    if (inside !== undefined)
      return method.startsWith('KV/') && name !== 'compaction' ? withMethod(method, inside) : { method }
  }
  if (fields.some(({ name }) => name === 'key')) return withMethod('KV/Range', fields)
  // A read-only Txn has no header.
  return fields.some(({ name }) => name === 'success' || name === 'compare') ? withMethod('KV/Txn', fields) : undefined
}

const withMethod = (method: string, fields: readonly Field[]): JsonObject => ({
  method,
  ...(method === 'KV/Txn' ? branchesOf(fields) : keyedOf(fields)),
})

/** Members of a record, by fields that etcd logs. */
const OPTIONS: ReadonlyMap<string, string> = new Map([
  ['limit', 'limit'],
  ['revision', 'revision'],
  ['min_mod_revision', 'minModRevision'],
  ['max_mod_revision', 'maxModRevision'],
])
const FLAGS: ReadonlyMap<string, string> = new Map([
  ['serializable', 'serializable'],
  ['keys_only', 'keysOnly'],
  ['count_only', 'countOnly'],
])

function keyedOf(fields: readonly Field[]): JsonObject {
  const operation: Record<string, unknown> = {}
  for (const { name, value } of fields) {
    if (typeof value !== 'string') continue
    if (name === 'key') operation['key'] = keyOf(value)
    else if (name === 'range_end') operation['rangeEnd'] = keyOf(value)
    else if (OPTIONS.has(name)) operation[OPTIONS.get(name) ?? name] = Number(value)
    else if (FLAGS.has(name)) operation[FLAGS.get(name) ?? name] = value === 'true'
  }
  return operation
}

const ELEMENTS: ReadonlyMap<string, string> = new Map([
  ['request_range', 'Range'],
  ['request_put', 'Put'],
  ['request_delete_range', 'DeleteRange'],
  ['request_txn', 'Txn'],
])

function branchesOf(fields: readonly Field[]): JsonObject {
  const branch = (name: string): readonly JsonObject[] =>
    fields.flatMap((field) => {
      const [element] = field.name === name && typeof field.value !== 'string' ? field.value : []
      const op = ELEMENTS.get(element?.name ?? '')
      if (op === undefined || element === undefined || typeof element.value === 'string') return []
      return [{ op, ...(op === 'Txn' ? branchesOf(element.value) : keyedOf(element.value)) }]
    })
  return { success: branch('success'), failure: branch('failure') }
}

/** A quoted key with the octal escapes of protocol buffers, in the notation of recordings (`\xff`). */
const keyOf = (written: string): string =>
  written
    .replace(/^"|"$/g, '')
    .replaceAll(/\\(?:([0-7]{3})|x([\da-fA-F]{2})|(.))/g, (_whole, octal?: string, hex?: string, one?: string) => {
      if (one === '"' || one === "'") return one
      const code =
        octal !== undefined
          ? Number.parseInt(octal, 8)
          : hex !== undefined
            ? Number.parseInt(hex, 16)
            : CODES[one ?? '']
      return code === undefined ? String.raw`\\` : `\\x${code.toString(16).padStart(2, '0')}`
    })

const CODES: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11 }
