import { type Finding, member, quoted, rejected } from '../config/finding.ts'
import { isJsonObject, readAnything, readAmount, readFlag, readText, type Read } from '../config/jsonValues.ts'
import { readAs, type Members } from '../config/members.ts'
import { nearest, parseGoTime } from '../text/text.ts'
import { isMap, type JsonMap, toJson } from '../manifest/json.ts'
import { MS_PER_SECOND, msToNs, type Nanoseconds, nsToSeconds, secondsToNs } from '../units.ts'
import { bytesOf, successor, textOf } from './keys.ts'
import { METHODS, shortMethod } from './operations.ts'
import type { KeyOperation, QosRequest, RangeOptions, TxnElement } from './request.ts'
import type { Observed } from './tracker.ts'

/** One line of a stream of requests: a request, its time of arrival, and the cost of its call. */
export interface RequestRecord {
  /** Since the start of the stream. */
  readonly at: Nanoseconds
  readonly request: QosRequest
  readonly observed: Observed
  /** From then on; absent where it does not change. */
  readonly storageQuotaUsed?: number
}

/** A record whose time has not been compared with earlier ones yet. */
interface WrittenRecord extends Omit<RequestRecord, 'at'> {
  readonly time: number | string | undefined
}

/** No client nests deeper; a request that does is an attack or an accident. */
const MOST_NESTED = 16

const number = (value: unknown, at: string, findings: Finding[], whole: boolean): number => {
  const amount = readAmount(value, at, findings)
  if (amount >= 0 && (!whole || Number.isSafeInteger(amount))) return amount
  findings.push(
    rejected(
      at,
      'FieldValueInvalid',
      `${at} must be ${whole ? 'a whole number' : 'a number'} of at least 0, not ${amount}.`,
    ),
  )
  return 0
}
const readCount: Read<number> = (value, at, findings) => number(value, at, findings, true)
const readQuantity: Read<number> = (value, at, findings) => number(value, at, findings, false)

const readTime: Read<number | string | undefined> = (value, at, findings) =>
  typeof value === 'string'
    ? value
    : value === undefined || value === null
      ? undefined
      : readQuantity(value, at, findings)

interface WrittenOperation extends RangeOptions {
  readonly op: string
  readonly key?: string
  readonly rangeEnd?: string
  readonly prefix?: boolean
  readonly success: readonly TxnElement[]
  readonly failure: readonly TxnElement[]
}

/** What requests and elements of a Txn have in common. */
const operationMembers = (members: Members, depth: number): Omit<WrittenOperation, 'op'> => ({
  ...members.given('key', readText),
  ...members.given('rangeEnd', readText),
  ...members.given('prefix', readFlag),
  ...members.given('limit', readCount),
  ...members.given('revision', readCount),
  ...members.given('sortOrder', readCount),
  ...members.given('sortTarget', readCount),
  ...members.given('serializable', readFlag),
  ...members.given('keysOnly', readFlag),
  ...members.given('countOnly', readFlag),
  ...members.given('minModRevision', readCount),
  ...members.given('maxModRevision', readCount),
  ...members.given('minCreateRevision', readCount),
  ...members.given('maxCreateRevision', readCount),
  success: members.list('success', readElement(depth + 1)),
  failure: members.list('failure', readElement(depth + 1)),
})

const readElement =
  (depth: number): Read<TxnElement> =>
  (value, at, findings) => {
    if (depth > MOST_NESTED) {
      findings.push(rejected(at, 'FieldValueTooMany', `Txns are nested more than ${MOST_NESTED} deep.`))
      return NOTHING
    }
    const read = readAs((members) => ({ op: members.text('op'), ...operationMembers(members, depth) }))
    return elementOf(read(value, at, findings), at, findings) ?? NOTHING
  }

/** Substitute for an element that could not be read. */
const NOTHING: TxnElement = { op: 'Txn', success: [], failure: [] }
const ELEMENT_OPS = ['Range', 'Put', 'DeleteRange', 'Txn'] as const

function elementOf(written: WrittenOperation, at: string, findings: Finding[]): TxnElement | undefined {
  const op = ELEMENT_OPS.find((known) => known === written.op)
  const { key, rangeEnd, prefix, success, failure, op: _, ...options } = written
  if (op === undefined) {
    findings.push(
      rejected(
        member(at, 'op'),
        'FieldValueNotSupported',
        `op must be ${ELEMENT_OPS.join(', ')}, not ${quoted(written.op)}.`,
      ),
    )
    return undefined
  }
  if (op === 'Txn') return { op, success, failure }
  if (key === undefined) {
    findings.push(rejected(member(at, 'key'), 'FieldValueRequired', `A ${op} needs a key.`))
    return undefined
  }
  if (prefix === true && rangeEnd !== undefined) {
    findings.push(
      rejected(
        member(at, 'prefix'),
        'FieldValueForbidden',
        'prefix and rangeEnd are alternatives: set only one of them.',
      ),
    )
    return undefined
  }
  return keyOperation(
    op,
    bytesOf(key),
    prefix === true ? 'prefix' : rangeEnd === undefined ? undefined : { end: bytesOf(rangeEnd) },
    options,
  )
}

/** The operation on a key, on all keys with this prefix, or on those up to an end. */
export function keyOperation(
  op: KeyOperation['op'],
  key: string,
  reach: 'prefix' | { readonly end: string } | undefined,
  options: RangeOptions = {},
): KeyOperation {
  if (op === 'Put') return { op, key }
  // etcd's client does the same for a prefix without an end.
  const rangeEnd = reach === 'prefix' ? (successor(key) ?? '\0') : reach?.end
  const keys = { key: reach === 'prefix' && key === '' ? '\0' : key, ...(rangeEnd !== undefined && { rangeEnd }) }
  return op === 'DeleteRange' ? { op, ...keys } : { op, ...keys, ...(Object.keys(options).length > 0 && { options }) }
}

/** Recorded decisions about a request: another configuration decides again. */
const DECIDED = ['ops', 'hash', 'rule', 'class', 'verdict', 'reason', 'waitedMs']

const readWritten: Read<WrittenRecord | undefined> = (value, at, findings) => {
  const read = readAs((members) => {
    for (const name of DECIDED) members.nested(name, readAnything)
    return {
      time: members.nested('time', readTime),
      method: members.text('method'),
      ...members.given('name', readText),
      user: members.text('user'),
      clientIP: members.text('clientIP'),
      ...members.given('requestBytes', readCount),
      ...members.given('previousAttempts', readCount),
      ...members.given('storageQuotaUsed', readQuantity),
      status: members.text('status'),
      ...members.given('scannedKeys', readCount),
      ...members.given('responseBytes', readCount),
      ...members.given('latencyMs', readQuantity),
      operation: operationMembers(members, 0),
    }
  })
  const written = read(value, at, findings)
  const method = methodOf(written.method, findings)
  if (method === undefined || findings.length > 0) return undefined
  const body = bodyOf(method, written.operation, findings)
  const { name, requestBytes, previousAttempts, storageQuotaUsed, status, scannedKeys, responseBytes, latencyMs } =
    written
  return {
    time: written.time,
    request: {
      method,
      user: written.user,
      clientIP: written.clientIP,
      ...(body !== undefined && { body }),
      ...(name !== undefined && { name }),
      ...(requestBytes !== undefined && { requestBytes }),
      ...(previousAttempts !== undefined && { previousAttempts }),
    },
    observed: { ok: status === '' || status === 'OK', scannedKeys, responseBytes, latencyMs },
    ...(storageQuotaUsed !== undefined && { storageQuotaUsed }),
  }
}

function methodOf(written: string, findings: Finding[]): string | undefined {
  const short = shortMethod(written)
  if (METHODS.includes(short)) return short
  const meant = nearest(short, METHODS)
  const mend = meant === undefined ? 'write it as KV/Range' : `did you mean ${meant}?`
  if (written === '')
    findings.push(rejected('method', 'FieldValueRequired', 'The request has no method, such as KV/Range.'))
  else
    findings.push(
      rejected(
        'method',
        'FieldValueNotSupported',
        `etcd has no method ${quoted(written)}: ${mend}${mend.endsWith('?') ? '' : '.'}`,
      ),
    )
  return undefined
}

function bodyOf(method: string, operation: Omit<WrittenOperation, 'op'>, findings: Finding[]): TxnElement | undefined {
  const op = /^KV\/(?!Compact)(.*)$/.exec(method)?.[1]
  return op === undefined ? undefined : elementOf({ ...operation, op }, '', findings)
}

/** Result of reading one line. */
export type ReadRecord =
  | { readonly ok: true; readonly record: RequestRecord }
  /** `field`: of the JSON value, empty for the whole value. */
  | { readonly ok: false; readonly field: string; readonly unknown: boolean; readonly message: string }

/** Reads records one after another. Times count from the first one and do not go back. */
export class RecordReader {
  #first: number | undefined
  #clock: 'seconds' | 'times' | undefined
  #at: Nanoseconds = 0

  read(value: unknown): ReadRecord {
    if (!isJsonObject(value))
      return { ok: false, field: '', unknown: false, message: 'A request is a JSON object with a method.' }
    const findings: Finding[] = []
    const written = readWritten(value, '', findings)
    const [finding] = findings
    if (finding !== undefined || written === undefined) {
      const { field = '', reason, message = 'The record cannot be read.' } = finding ?? {}
      return { ok: false, field, unknown: reason === 'FieldUnknown', message }
    }
    const { time, ...record } = written
    const at = this.#timeOf(time)
    if (typeof at === 'string') return { ok: false, field: 'time', unknown: false, message: at }
    this.#at = at
    return { ok: true, record: { at, ...record } }
  }

  /** The time of a record, or an error message. */
  #timeOf(time: number | string | undefined): Nanoseconds | string {
    if (time === undefined) return this.#at
    const clock = typeof time === 'number' ? 'seconds' : 'times'
    if (this.#clock !== undefined && this.#clock !== clock)
      return 'time is given in seconds and as dates; use one of them.'
    this.#clock = clock
    const ms = typeof time === 'number' ? time * MS_PER_SECOND : parseGoTime(time)
    if (ms === undefined)
      return `time must be seconds or a time such as 2026-01-31T12:00:00.5Z, not ${quoted(String(time))}.`
    this.#first ??= clock === 'seconds' ? 0 : ms
    const at = typeof time === 'number' ? secondsToNs(time) : msToNs(ms - this.#first)
    return at < this.#at ? 'time is earlier than that of the previous record. Sort the records by time.' : at
  }
}

/** A record in the format that `RecordReader` reads, with the time in seconds. */
export function recordJson({ at, request, observed, storageQuotaUsed }: RequestRecord): JsonMap {
  const { method, body, ...caller } = request
  const { ok, ...costs } = observed
  const written = toJson({
    time: nsToSeconds(at),
    method,
    ...(body !== undefined && elementJson(body)),
    ...caller,
    storageQuotaUsed,
    status: ok ? 'OK' : 'UNKNOWN',
    ...costs,
  })
  return isMap(written) ? written : {}
}

function elementJson(element: TxnElement): object {
  if (element.op === 'Txn') {
    const inner = (each: TxnElement): object => ({ op: each.op, ...elementJson(each) })
    return { success: element.success.map(inner), failure: element.failure.map(inner) }
  }
  const key = textOf(element.key)
  if (element.op === 'Put') return { key }
  const { rangeEnd } = element
  return {
    key,
    ...(rangeEnd !== undefined && { rangeEnd: textOf(rangeEnd) }),
    ...(element.op === 'Range' && element.options),
  }
}
