import { type JsonObject, isJsonObject } from '../config/jsonValues.ts'
import { withoutEscapes } from '../text/escapes.ts'
import { parseJson } from '../text/text.ts'
import { quoted } from './request.ts'

/** One record of a log, without what collectors put around it. */
export type LogRecord =
  | { readonly kind: 'json'; readonly value: JsonObject }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'damaged'; readonly problem: string }

/** What a reader looks for in a log. */
export interface Wanted {
  /** What only its records contain, however often they are quoted. */
  readonly traces: RegExp
  readonly isRecord: (value: JsonObject) => boolean
}

/** A request line of a log in JSON (`--logging-format=json`). */
export const isHttpValue = ({ msg, verb }: JsonObject): boolean => msg === 'HTTP' && verb !== undefined

/** An event of audit.k8s.io; other lines of a server's log may have an auditID too. */
export const isAuditValue = ({ auditID, kind, apiVersion, stage }: JsonObject): boolean =>
  stage === undefined
    ? kind === 'Event' && typeof apiVersion === 'string' && apiVersion.startsWith('audit.k8s.io/')
    : kind === 'Event' || typeof auditID === 'string'

/** Audit events and request lines. */
export const REQUESTS: Wanted = {
  // At the end as lists of bytes: `"HTTP"`, `auditID`.
  traces:
    /audit\.k8s\.io\/v|auditID|AuditId|cloud\.audit\.AuditLog|protopayload_auditlog|protoPayload\.methodName|"HTTP\\*"|34,\s*72,\s*84,\s*84,\s*80,\s*34|97,\s*117,\s*100,\s*105,\s*116,\s*73,\s*68/,
  isRecord: (value) => isAuditValue(value) || isHttpValue(value),
}

const list = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined)
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const member = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined)

/** What forms hide that are not just members around a record: other values, or a sentence where they cannot be opened. */
type Form = (value: JsonObject) => readonly unknown[] | string | undefined

const FORMS: readonly Form[] = [
  ({ kind, status, code, reason, message }) =>
    kind === 'Status' && status === 'Failure'
      ? `The text is a response of the API server, not a log: ${[code, reason].join(' ')}: ${quoted(text(message) ?? '')}`
      : undefined,
  ({ messageType }) => (messageType === 'CONTROL_MESSAGE' ? [] : undefined),
  // Cloud Audit Logs, from Cloud Logging or BigQuery.
  (entry) => {
    const payload = entry['protoPayload'] ?? entry['protopayload_auditlog']
    return payload === undefined ? undefined : [cloudAudit(entry, payload)]
  },
  // The same as a table, whose columns are named by the path of a member.
  (row) => (row['protoPayload.methodName'] === undefined ? undefined : [unflattened(row)]),
  (row) => (text(row['AuditId']) === undefined ? undefined : [aksAudit(row)]),
  // Cloud Logging keeps the time of a line of klog beside the rest of it.
  ({ jsonPayload, timestamp }) => {
    const [message, time] = [text(member(jsonPayload, 'message')), KLOG_TIME.exec(text(timestamp) ?? '')]
    if (message?.startsWith('"HTTP" ') !== true || time === null) return undefined
    const [, month = '', day = '', clock = '', fraction = ''] = time
    return [`I${month}${day} ${clock}.${fraction.padEnd(6, '0')} 1 httplog.go] ${message}`]
  },
  // Log Analytics: names of columns apart from the rows.
  ({ columns, rows }) => {
    const names = list(columns)?.map((column) => text(member(column, 'name')) ?? '')
    return names && list(rows)?.map((row) => membersOf(names, list(row) ?? []))
  },
  // CloudWatch Logs Insights: rows of columns with their names.
  ({ results }) =>
    list(results)?.map((row) => {
      const columns = list(row)
      const names = columns?.map((column) => text(member(column, 'field')))
      return names?.every((name) => name !== undefined) === true
        ? membersOf(names, columns?.map((column) => member(column, 'value')) ?? [])
        : row
    }),
  // OpenTelemetry: a map as a list of its members.
  (value) => (isJsonObject(value['kvlistValue']) ? [openTelemetry(value)] : undefined),
]

function unflattened(row: JsonObject): JsonObject {
  const whole: Record<string, unknown> = {}
  for (const [path, value] of Object.entries(row)) {
    if (value === '') continue
    const names = path.split('.')
    const last = names.pop() ?? ''
    let at = whole
    for (const name of names) {
      const inner = at[name]
      const next: Record<string, unknown> = isJsonObject(inner) ? { ...inner } : {}
      at[name] = next
      at = next
    }
    at[last] = at === whole ? value : parsed(value)
  }
  return whole
}

const KLOG_TIME = /^\d{4}-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,6})\d*)?Z$/

export const membersOf = (names: readonly string[], values: readonly unknown[]): JsonObject =>
  Object.fromEntries(names.map((name, index) => [name, values[index]]))

function openTelemetry(value: unknown): unknown {
  const entries = list(member(member(value, 'kvlistValue'), 'values'))
  const items = list(member(member(value, 'arrayValue'), 'values'))
  if (entries !== undefined)
    return Object.fromEntries(entries.map((one) => [String(member(one, 'key')), openTelemetry(member(one, 'value'))]))
  if (items !== undefined) return items.map(openTelemetry)
  const whole = member(value, 'intValue')
  return whole === undefined
    ? ['stringValue', 'boolValue', 'doubleValue'].map((name) => member(value, name)).find((one) => one !== undefined)
    : Number(whole)
}

/** Queries and tables flatten members (`user.username`, `user.groups.0`) or keep them as texts of JSON. */
const FLAT = /^(user|impersonatedUser|responseStatus|sourceIPs|annotations)(?:\.(.+))?$/
const isFlat = (name: string, value: unknown): boolean =>
  FLAT.test(name) && (typeof value === 'string' || name.includes('.'))

const parsed = (value: unknown): unknown => (typeof value === 'string' ? (parseJson(value) ?? value) : value)

function nested(event: JsonObject): JsonObject {
  const names = Object.keys(event)
  if (!names.some((name) => isFlat(name, event[name]))) return event
  const whole: Record<string, unknown> = { kind: 'Event' }
  const members = new Map<string, Record<string, unknown>>()
  for (const name of names) {
    const [, outer, inner] = FLAT.exec(name) ?? []
    if (outer === undefined || inner === undefined)
      whole[name] = outer === undefined ? event[name] : parsed(event[name])
    else {
      const into = members.get(outer) ?? {}
      members.set(outer, into)
      const [, group] = /^(groups)(?:\.\d+)?$/.exec(inner) ?? []
      if (group !== undefined) into[group] = [into[group] ?? [], event[name] ?? []].flat()
      else into[inner] = inner === 'code' ? Number(event[name]) : event[name]
    }
  }
  for (const [outer, into] of members) whole[outer] = outer === 'sourceIPs' ? Object.values(into) : into
  return whole
}

const US_TIME = /^(\d+)\/(\d+)\/(\d{4}), (\d+):(\d\d:\d\d(?:\.\d+)?) ([AP])M$/

/** A time of a table, RFC 3339 where it is one that clouds export; the portal of Azure writes UTC as in the United States. */
function tableTime(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const [, month = '', day = '', year = '', hour, rest = '', half] = US_TIME.exec(value) ?? []
  if (hour === undefined) return value.replace(/^(\S+) (\S+) UTC$/, '$1T$2Z')
  const hours = (Number(hour) % 12) + (half === 'P' ? 12 : 0)
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}T${String(hours).padStart(2, '0')}:${rest}Z`
}

/** Members of the table AKSAudit of a Log Analytics workspace, by the members of an audit event. */
function aksAudit(exported: JsonObject): JsonObject {
  // The portal adds the zone to the names of columns.
  const row = Object.fromEntries(
    Object.entries(exported).map(([name, value]) => [name.replace(/ \[UTC\]$/, ''), value]),
  )
  return {
    kind: 'Event',
    auditID: row['AuditId'],
    stage: row['Stage'],
    verb: row['Verb'],
    requestURI: row['RequestUri'],
    user: parsed(row['User']),
    impersonatedUser: parsed(row['ImpersonatedUser']),
    sourceIPs: parsed(row['SourceIps']),
    userAgent: row['UserAgent'],
    responseStatus: parsed(row['ResponseStatus']),
    requestReceivedTimestamp: tableTime(row['RequestReceivedTime']),
    stageTimestamp: tableTime(row['StageReceivedTime'] ?? row['TimeGenerated']),
    annotations: parsed(row['Annotations']),
  }
}

/** HTTP status codes of the codes of google.rpc. */
const RPC_STATUS: ReadonlyMap<unknown, number> = new Map([
  [0, 200],
  [3, 400],
  [5, 404],
  [6, 409],
  [7, 403],
  [8, 429],
  [9, 400],
  [10, 409],
  [13, 500],
  [14, 503],
  [16, 401],
])
/** Marks a record whose events lack members that Cloud Audit Logs drop. */
export const CLOUD_AUDIT = 'cloudAudit'

/**
 * The audit event of an entry of Cloud Audit Logs (GKE), as far as the entry has its members: groups, URL parameters,
 * durations and waits are not in it.
 */
function cloudAudit(entry: JsonObject, payload: unknown): JsonObject {
  const operation = entry['operation']
  const method = text(member(payload, 'methodName')) ?? ''
  const name = text(member(payload, 'resourceName')) ?? ''
  const user = text(member(member(payload, 'authenticationInfo'), 'principalEmail')) ?? ''
  const request = member(payload, 'requestMetadata')
  const status = member(payload, 'status')
  const isFirstOfSeveral = member(operation, 'first') === true && member(operation, 'last') !== true
  const time = tableTime(entry['timestamp'])
  return {
    [CLOUD_AUDIT]: true,
    kind: 'Event',
    auditID: text(member(operation, 'id')) ?? entry['insertId'],
    stage: isFirstOfSeveral ? 'ResponseStarted' : 'ResponseComplete',
    verb: method.slice(method.lastIndexOf('.') + 1),
    requestURI: name.startsWith('core/')
      ? `/api/${name.slice('core/'.length)}`
      : name.startsWith('/')
        ? name
        : `/apis/${name}`,
    user: { username: user },
    sourceIPs: [member(request, 'callerIp')],
    userAgent: member(request, 'callerSuppliedUserAgent'),
    responseStatus: { code: RPC_STATUS.get(member(status, 'code') ?? 0) ?? 500 },
    requestReceivedTimestamp: time,
    stageTimestamp: time,
    annotations: entry['labels'],
  }
}

/** Values and texts inside each other, as real pipelines have them; deeper is not a log. */
const MOST_NESTED = 40
const TOO_DEEP: readonly LogRecord[] = [
  { kind: 'damaged', problem: `A record is nested more than ${MOST_NESTED} deep.` },
]

/**
 * The records in a value, whatever the members around them are called; `undefined` without any. Of a list that has
 * some, the elements of the same kind without one are records too: the reader counts them as unreadable.
 */
export function recordsIn(value: unknown, wanted: Wanted, depth = 0): readonly LogRecord[] | undefined {
  if (depth > MOST_NESTED) return TOO_DEEP
  if (typeof value === 'string') {
    if (BASE64.test(value)) return recordsInText(value, wanted, depth)
    return value.includes('"') && wanted.traces.test(value) ? recordsInText(value, wanted, depth) : undefined
  }
  if (Array.isArray(value)) return recordsInList(value, wanted, depth)
  if (!isJsonObject(value)) return undefined
  if (wanted.isRecord(value)) return [{ kind: 'json', value: nested(value) }]
  for (const form of FORMS) {
    const contents = form(value)
    if (typeof contents === 'string') return [{ kind: 'damaged', problem: contents }]
    if (contents !== undefined) return contents.length === 0 ? [] : recordsIn(contents, wanted, depth + 1)
  }
  // Some collectors keep a record twice: as it came, and parsed.
  const found: LogRecord[] = []
  const keys = new Set<string>()
  for (const name in value) {
    const fresh = (recordsIn(value[name], wanted, depth + 1) ?? []).filter((record) => !keys.has(keyOf(record)))
    for (const record of fresh) {
      found.push(record)
      keys.add(keyOf(record))
    }
  }
  return found.length === 0 ? undefined : found
}

function keyOf(record: LogRecord): string {
  if (record.kind !== 'json') return record.kind === 'text' ? record.text : record.problem
  const { auditID, stage, 'audit-ID': id = JSON.stringify(record.value) } = record.value
  return `${String(auditID ?? id)} ${String(stage)}`
}

function recordsInList(values: readonly unknown[], wanted: Wanted, depth: number): readonly LogRecord[] | undefined {
  // The journal writes messages with control characters as bytes.
  if (values.length > 0 && values.every((one) => typeof one === 'number' && one >= 0 && one < 256))
    return recordsIn(new TextDecoder('utf-8').decode(Uint8Array.from(values, Number)), wanted, depth + 1)
  const found = values.map((one) => recordsIn(one, wanted, depth + 1))
  if (found.every((records) => records === undefined)) return undefined
  const isList = values.some((one, index) => found[index] !== undefined && Array.isArray(one))
  const isObject = values.some((one, index) => found[index] !== undefined && isJsonObject(one))
  return found.flatMap((records, index): readonly LogRecord[] => {
    const one = values[index]
    if (records !== undefined) return records
    if (isObject && isJsonObject(one)) return [{ kind: 'json', value: one }]
    return isList && Array.isArray(one) ? [{ kind: 'text', text: JSON.stringify(one) }] : []
  })
}

/** The records in a text: those of the JSON in it, whatever is before and after, or the text itself. */
export function recordsInText(written: string, wanted: Wanted, depth = 0): readonly LogRecord[] {
  const line = plainOf(withoutEscapes(written).trim())
  if (typeof line !== 'string') return [line]
  const start = line.search(/[{[]\s*["{[]/)
  if (start >= 0 && !line.slice(0, start).includes('] "HTTP"')) {
    const { values, cut } = valuesIn(line.slice(start))
    const arrows = values.length === 0 ? parseJson(asJson(line.slice(start))) : undefined
    const records = (arrows === undefined ? values : [arrows]).flatMap((one) => recordsIn(one, wanted, depth + 1) ?? [])
    if (records.length > 0) return cut && arrows === undefined ? [...records, cutShort(line)] : records
  }
  return [{ kind: 'text', text: line }]
}

/** JSON in base64 (Pub/Sub), or gzip in base64 (CloudWatch subscriptions, Kinesis), by how it begins. */
export const BASE64 = /(?:^|["\s])(?:eyJ|ewo|ew0K|W3s|Wwo|H4sI)[\w+/-]{32}/

/** The message of a line of logfmt, where it is a record itself. */
const LOGFMT = /(?:^|\s)(?:msg|message|log|line)="((?:[^"\\]|\\.)*)"/

/** A text as it was before it was quoted or encoded once more. */
function plainOf(line: string): string | LogRecord {
  if (BASE64.test(line) && /^[\w+/\s-]+={0,2}$/.test(line)) {
    if (line.startsWith('H4sI')) return { kind: 'damaged', problem: COMPRESSED }
    try {
      const characters = atob(line.replaceAll('-', '+').replaceAll('_', '/'))
      return new TextDecoder('utf-8').decode(Uint8Array.from(characters, (one) => one.charCodeAt(0)))
    } catch {
      return line
    }
  }
  if (/[{[]\s*["{[]/.test(line)) return line
  const inner = LOGFMT.exec(line)?.[1] ?? line
  return inner !== line || /^"?[{[]\s*\\"/.test(line) ? inner.replaceAll(/\\(["\\])/g, '$1') : line
}

export const COMPRESSED =
  'A record is compressed, as in subscriptions of CloudWatch: unpack it with jq -r .awslogs.data | base64 -d | gunzip (of Kinesis: .Records[].kinesis.data).'

export const cutShort = (written: string): LogRecord => ({
  kind: 'damaged',
  problem: `A JSON value is cut short: ${quoted(written)}`,
})

/** Fluent Bit prints records to its standard output with arrows instead of colons. */
const asJson = (line: string): string =>
  line.includes('=>')
    ? line.replaceAll(/("(?:[^"\\]|\\.)*")|=>/g, (_whole, string: string | undefined) => string ?? ':')
    : ''

/**
 * The JSON values in a text, one after the other, whatever is between them; of one that is cut short, the largest
 * whole objects and lists in it.
 */
export function valuesIn(written: string): { readonly values: readonly unknown[]; readonly cut: boolean } {
  const whole = parseJson(written)
  if (whole !== undefined) return { values: [whole], cut: false }
  const open: number[] = []
  const closed: (readonly [from: number, to: number])[] = []
  for (let at = 0; at < written.length; at++) {
    const character = written[at]
    if (character === '{' || character === '[') open.push(at)
    else if (open.length === 0) continue
    else if (character === '"') {
      at = endOfString(written, at)
      if (at === -1) break
    } else if (character === '}' || character === ']') {
      const from = open.pop() ?? 0
      while ((closed.at(-1)?.[0] ?? -1) > from) closed.pop()
      closed.push([from, at + 1])
    }
  }
  const values = closed.map(([from, to]) => parseJson(written.slice(from, to)))
  return { values: values.filter((one) => one !== undefined), cut: open.length > 0 }
}

/** Where the string that begins at a quotation mark ends; -1 where it does not. */
export function endOfString(written: string, start: number): number {
  for (let at = start + 1; at < written.length; at++) {
    if (written[at] === '\\') at += 1
    else if (written[at] === '"') return at
  }
  return -1
}
