import { type JsonObject, isJsonObject } from '../config/jsonValues.ts'
import { parseJson } from '../text/text.ts'
import { quoted } from './request.ts'

/** One record of a log, without what collectors put around it. `line`: 1-based line on which it begins. */
export type LogPiece = { readonly line: number } & (
  | { readonly kind: 'json'; readonly value: JsonObject }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'damaged'; readonly problem: string }
)

/** What an envelope contains: values or texts, which may be envelopes again; a sentence where it cannot be opened. */
type Contents = readonly unknown[] | string

/** The form in which a collector or a cloud exports log records. */
export interface Envelope {
  readonly name: string
  readonly open: (value: JsonObject) => Contents | undefined
}

const list = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined)
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const member = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined)
/** `[[time, line], …]` of Loki. */
const linesOf = (streams: readonly unknown[] | undefined): readonly unknown[] | undefined =>
  streams?.flatMap((stream) => (list(member(stream, 'values')) ?? []).map((entry) => list(entry)?.[1]))
const only = (value: unknown): readonly unknown[] | undefined =>
  isJsonObject(value) || typeof value === 'string' ? [value] : undefined

/** In the order in which they are tried: a specific form before a member that many collectors use. */
export const ENVELOPES: readonly Envelope[] = [
  {
    name: 'response of the API server',
    open: ({ kind, status, code, reason, message }) =>
      kind === 'Status' && status === 'Failure'
        ? `The text is a response of the API server, not a log: ${[code, reason].join(' ')}: ${quoted(text(message) ?? '')}`
        : undefined,
  },
  { name: 'EventList', open: ({ kind, items }) => (kind === 'EventList' ? list(items) : undefined) },
  {
    name: 'CloudWatch subscription, compressed',
    open: ({ awslogs }) =>
      awslogs === undefined
        ? undefined
        : 'The text is a compressed CloudWatch subscription event: unpack it with jq -r .awslogs.data | base64 -d | gunzip.',
  },
  {
    name: 'CloudWatch control message',
    open: ({ messageType }) => (messageType === 'CONTROL_MESSAGE' ? [] : undefined),
  },
  {
    name: 'CloudWatch filter-log-events or subscription',
    open: ({ events, logEvents }) => list(events) ?? list(logEvents),
  },
  {
    name: 'CloudWatch Logs Insights',
    open: ({ results }) =>
      list(results)?.flatMap((row) =>
        (list(row) ?? [row]).flatMap((column) => {
          const name = member(column, 'field')
          return name === undefined ? [column] : name === '@message' ? [member(column, 'value')] : []
        }),
      ),
  },
  {
    name: 'Cloud Audit Logs',
    open: (value) => (value['protoPayload'] === undefined ? undefined : [cloudAudit(value)]),
  },
  { name: 'entries of Cloud Logging', open: ({ entries }) => list(entries) },
  { name: 'Azure diagnostic records', open: ({ records }) => list(records) },
  { name: 'AKS diagnostic record', open: ({ properties }) => only(member(properties, 'log')) },
  { name: 'AKS table AzureDiagnostics', open: (value) => only(value['log_s']) },
  {
    name: 'AKS table AKSAudit',
    open: (value) => (text(value['AuditId']) === undefined ? undefined : [aksAudit(value)]),
  },
  { name: 'Loki query', open: ({ data }) => linesOf(list(member(data, 'result'))) },
  { name: 'Loki push', open: ({ streams }) => linesOf(list(streams)) },
  {
    name: 'Elasticsearch',
    open: ({ hits, _source }) => list(member(hits, 'hits')) ?? only(_source),
  },
  { name: 'Splunk', open: ({ result, _raw, event }) => only(result) ?? only(_raw) ?? only(event) },
  {
    name: 'record that a collector has parsed',
    open: (value) => only(value['log_processed']) ?? only(value['jsonPayload']),
  },
  {
    name: 'line of a collector',
    // Docker, CRI-O and Fluent Bit; Fluentd, Vector and CloudWatch; the journal; logcli and Grafana; Cloud Logging; OpenTelemetry.
    open: (value) => {
      const named = ['log', 'message', 'MESSAGE', 'line', 'Line', '@message', 'textPayload', 'body'].find(
        (name) => only(value[name]) !== undefined,
      )
      return named === undefined ? undefined : only(value[named])
    },
  },
]

/** A request line of a log in JSON (`--logging-format=json`). */
export const isHttpValue = ({ msg, verb }: JsonObject): boolean => msg === 'HTTP' && verb !== undefined

/** An event of audit.k8s.io; other lines of a server's log may have an auditID too. */
export const isAuditValue = ({ auditID, kind, apiVersion, stage }: JsonObject): boolean =>
  stage === undefined
    ? kind === 'Event' && typeof apiVersion === 'string' && apiVersion.startsWith('audit.k8s.io/')
    : kind === 'Event' || typeof auditID === 'string'

/** An audit event, or a request line of a log in JSON: not an envelope, whatever its members are called. */
const isRecord = (value: JsonObject): boolean => isAuditValue(value) || isHttpValue(value)

/** Members of the table AKSAudit of a Log Analytics workspace, by the members of an audit event. */
function aksAudit(row: JsonObject): JsonObject {
  const parsed = (name: string): unknown => {
    const value = row[name]
    return typeof value === 'string' ? (parseJson(value) ?? value) : value
  }
  return {
    kind: 'Event',
    auditID: row['AuditId'],
    stage: row['Stage'],
    verb: row['Verb'],
    requestURI: row['RequestUri'],
    user: parsed('User'),
    impersonatedUser: parsed('ImpersonatedUser'),
    sourceIPs: parsed('SourceIps'),
    userAgent: row['UserAgent'],
    responseStatus: parsed('ResponseStatus'),
    requestReceivedTimestamp: row['RequestReceivedTime'],
    stageTimestamp: row['StageReceivedTime'] ?? row['TimeGenerated'],
    annotations: parsed('Annotations'),
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
function cloudAudit(entry: JsonObject): JsonObject {
  const payload = entry['protoPayload']
  const operation = entry['operation']
  const method = text(member(payload, 'methodName')) ?? ''
  const name = text(member(payload, 'resourceName')) ?? ''
  const user = text(member(member(payload, 'authenticationInfo'), 'principalEmail')) ?? ''
  const request = member(payload, 'requestMetadata')
  const status = member(payload, 'status')
  const account = /^system:serviceaccount:([^:]+):/.exec(user)
  const groups = account === null ? [] : ['system:serviceaccounts', `system:serviceaccounts:${account[1] ?? ''}`]
  const isFirstOfSeveral = member(operation, 'first') === true && member(operation, 'last') !== true
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
    user: { username: user, groups: [...groups, 'system:authenticated'] },
    sourceIPs: [member(request, 'callerIp')],
    userAgent: member(request, 'callerSuppliedUserAgent'),
    responseStatus: { code: RPC_STATUS.get(member(status, 'code') ?? 0) ?? 500 },
    requestReceivedTimestamp: entry['timestamp'],
    stageTimestamp: entry['timestamp'],
    annotations: entry['labels'],
  }
}

/** Envelopes inside envelopes, as real pipelines have them; deeper is not a log. */
const MOST_NESTED = 8
/** Characters of a JSON value of several lines. */
const MOST_CHARACTERS = 64_000_000
const STRINGS = /"(?:[^"\\]|\\.)*"/g
const BINARY = 'The file is no text: unpack it if it is an archive, and save it as UTF-8 if it is UTF-16.'
const BOM = '\uFEFF'
const OTHER_CLOSERS = /^(?:[[\],]|\],)$/

/** Opens the envelopes of a log line by line; a JSON value may span several lines. */
export class LogUnwrapper {
  private line = 0
  /** Lines of a value that is not complete, and how many brackets are open. */
  private parts: string[] = []
  private depth = 0
  private characters = 0
  private began = 0

  /** The records that this line completes. */
  push(written: string): readonly LogPiece[] {
    this.line += 1
    const line = this.line === 1 && written.startsWith(BOM) ? written.slice(1) : written
    if (this.parts.length === 0) return this.begin(line)
    // A value that was cut short must not hide the whole records after it.
    const whole = line.startsWith('{') ? parseJson(line) : undefined
    if (whole !== undefined) return [...this.end(), ...this.unwrapped(whole, 0)]
    return this.proceed(line)
  }

  /** After the last line: a value that is still open was cut short. */
  end(): readonly LogPiece[] {
    if (this.parts.length === 0) return []
    const [first = ''] = this.parts
    this.parts = []
    return [{ kind: 'damaged', line: this.began, problem: `A JSON value is cut short: ${quoted(first)}` }]
  }

  private begin(line: string): readonly LogPiece[] {
    const trimmed = line.trim()
    // One element on each line, between brackets on lines of their own.
    if (trimmed === '' || OTHER_CLOSERS.test(trimmed)) return []
    this.began = this.line
    if (trimmed.startsWith('{') || trimmed.startsWith('[')) {
      const value = parseJson(trimmed.endsWith(',') ? trimmed.slice(0, -1) : trimmed)
      if (value !== undefined) return this.unwrapped(value, 0)
      if (isOpening(trimmed)) return this.proceed(line)
    }
    return this.fromText(trimmed, 0)
  }

  private proceed(line: string): readonly LogPiece[] {
    this.depth = this.parts.length === 0 ? bracketsOf(line) : this.depth + bracketsOf(line)
    this.characters = this.parts.length === 0 ? line.length : this.characters + line.length
    this.parts.push(line)
    if (this.characters > MOST_CHARACTERS) {
      this.parts = []
      const problem = `A JSON value is longer than ${MOST_CHARACTERS} characters: write one record on each line, for example with jq -c '.[]'.`
      return [{ kind: 'damaged', line: this.began, problem }]
    }
    if (this.depth > 0) return []
    const value = parseJson(this.parts.join('\n').trim().replace(/,$/, ''))
    if (value === undefined) return this.end()
    this.parts = []
    return this.unwrapped(value, 0)
  }

  /** What a text contains: JSON, with or without something before it, or a line. */
  private fromText(written: string, nested: number): readonly LogPiece[] {
    const line = written.trim()
    if (line === '') return []
    const start = line.indexOf('{"')
    if (start >= 0 && !line.slice(0, start).includes('] "HTTP"')) {
      const inside = line.slice(start, line.lastIndexOf('}') + 1)
      const value = parseJson(line) ?? parseJson(inside) ?? parseJson(asJson(inside))
      if (isJsonObject(value) || Array.isArray(value)) return this.unwrapped(value, nested + 1)
    }
    return line.includes('\u0000')
      ? [{ kind: 'damaged', line: this.began, problem: BINARY }]
      : [{ kind: 'text', line: this.began, text: line }]
  }

  private unwrapped(value: unknown, nested: number): readonly LogPiece[] {
    if (nested > MOST_NESTED) {
      return [{ kind: 'damaged', line: this.began, problem: `A record is nested more than ${MOST_NESTED} deep.` }]
    }
    if (typeof value === 'string') return this.fromText(value, nested)
    if (Array.isArray(value) && value.every((one) => typeof one === 'number')) {
      return value.length === 0 ? [] : [{ kind: 'text', line: this.began, text: JSON.stringify(value) }]
    }
    if (Array.isArray(value)) return value.flatMap((one) => this.unwrapped(one, nested + 1))
    if (!isJsonObject(value)) return [{ kind: 'text', line: this.began, text: String(value) }]
    if (!isRecord(value)) {
      for (const { open } of ENVELOPES) {
        const contents = open(value)
        if (typeof contents === 'string') return [{ kind: 'damaged', line: this.began, problem: contents }]
        if (contents !== undefined) return contents.flatMap((one) => this.unwrapped(one, nested + 1))
      }
    }
    return [{ kind: 'json', line: this.began, value }]
  }
}

/** Fluent Bit prints records to its standard output with arrows instead of colons. */
const asJson = (line: string): string =>
  line.includes('=>')
    ? line.replaceAll(/("(?:[^"\\]|\\.)*")|=>/g, (_whole, string: string | undefined) => string ?? ':')
    : ''

/** Brackets that a line opens and does not close; strings do not span lines. */
function bracketsOf(line: string): number {
  let depth = 0
  for (const character of line.replaceAll(STRINGS, '')) {
    if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
  }
  return depth
}

/** Whether a line may begin a value of several lines. A line that ends within a string was cut. */
const isOpening = (line: string): boolean =>
  /[[{,]$/.test(line) && !line.replaceAll(STRINGS, '').includes('"') && bracketsOf(line) > 0
