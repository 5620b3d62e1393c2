import { plural } from '../../../core/text/format.ts'
import { addressOf, fieldsOf, type ResourceFields } from '../../../core/classify/requestFields.ts'
import { explainSeats } from '../../../core/classify/explainSeats.ts'
import { editManifest, insertEntry, valueOf, type Edited } from '../../../core/manifest/edit.ts'
import {
  fieldOf,
  getIn,
  isList,
  isMap,
  parseField,
  setIn,
  type FieldPath,
  type Json,
  type JsonMap,
} from '../../../core/manifest/json.ts'
import { locate, textDocuments } from '../../../core/manifest/locate.ts'
import type { LocatedFinding, TextRange } from '../../../core/manifest/manifest.ts'
import { readRequestLine } from '../../../core/request/requestInfo.ts'
import { behaviourText, storeText } from '../../../core/scenario/describe.ts'
import { readAnyScenario } from '../../../core/scenario/read.ts'
import { numbered } from '../../../core/simulate/workload.ts'

/** The content of a scenario's text, for its form. */
export interface ScenarioText {
  readonly text: string
  /** The target of the clients: it determines which fields they have. */
  readonly of: 'server' | 'etcd'
  /** As written; absent while the text cannot be parsed. */
  readonly value?: JsonMap
  /** Why there is no value: a sentence. */
  readonly why?: string
  /** In the order of the text. */
  readonly findings: readonly LocatedFinding[]
  /** What each group of clients does, by its index; empty while the scenario has errors. */
  readonly does: readonly string[]
  /** The position of a field; absent while the text cannot be parsed. */
  readonly rangeOf?: (field: string) => TextRange
}

/** Reads the text of a scenario. Never throws. */
export function understandScenario(text: string, file: string): ScenarioText {
  const { found, findings } = readAnyScenario(text, file)
  const read = valueOf(text)
  const tree = textDocuments(text, file)[0]?.tree
  const value = read.ok && isMap(read.value) ? read.value : undefined
  const of = value !== undefined && Object.hasOwn(value, 'etcd') ? 'etcd' : 'server'
  const why = read.ok ? 'The text holds no scenario: it needs a name, clients and variants.' : read.why
  return {
    text,
    of,
    ...(value === undefined ? { why } : { value }),
    findings,
    does:
      found === undefined
        ? []
        : found.of === 'etcd'
          ? found.scenario.clients.map(storeText)
          : found.scenario.clients.map(behaviourText),
    ...(tree !== undefined && { rangeOf: (field: string) => locate(tree, field) }),
  }
}

/** The entries of a list in the text; an entry that is not a map has no fields. */
export function entriesAt(value: Json, path: FieldPath): readonly JsonMap[] {
  const list = getIn(value, path)
  return list !== undefined && isList(list) ? list.map((entry) => (isMap(entry) ? entry : {})) : []
}

export const textAt = (map: JsonMap, key: string): string => {
  const value = map[key]
  return typeof value === 'string' ? value : ''
}

// Fields

/** The input of a field: `words` are a list of texts, `group` names clients, `job` clients that send on demand. */
export type FieldKind = 'number' | 'text' | 'words' | 'flag' | 'group' | 'job'

/** One field of a form. */
export interface FieldSpec {
  /** Relative to the entry of the form. */
  readonly path: FieldPath
  readonly label: string
  readonly kind: FieldKind
  /** The default; a field without one is required, and stays in the text while it is empty. */
  readonly usual?: string
}

const SINCE: readonly FieldSpec[] = [
  { path: ['from'], label: 'From (s)', kind: 'number', usual: '0' },
  { path: ['to'], label: 'To (s)', kind: 'number', usual: 'end' },
]
const THINK: FieldSpec = { path: ['thinkMs'], label: 'Think time (ms)', kind: 'number', usual: '5' }

/** How a group sends: each way has its own fields, and a scenario needs exactly one. */
export type Sending = 'threads' | 'perSecond' | 'burst' | 'onDemand'

export const SENDINGS: readonly (readonly [value: Sending, label: string])[] = [
  ['perSecond', 'Open: at a rate'],
  ['threads', 'Closed loop: threads'],
  ['burst', 'Burst'],
  ['onDemand', 'On demand'],
]
/** Clients of an etcd have only two. */
export const STORE_SENDINGS = SENDINGS.slice(0, 2)

/** How a group sends; `undefined` when the text specifies no way or more than one. */
export function sendingOf(group: JsonMap): Sending | undefined {
  const there = (['threads', 'perSecond', 'burst'] as const).filter((key) => Object.hasOwn(group, key))
  const said = there.filter((key) => group[key] !== null)
  // A rate that is being typed again is still the way to send.
  const [only, second] = said.length > 0 ? said : there
  if (second !== undefined || only === undefined) return undefined
  return only === 'threads' && group['onDemand'] === true ? 'onDemand' : only
}

const SENDING_FIELDS: Readonly<Record<Sending, readonly FieldSpec[]>> = {
  perSecond: [{ path: ['perSecond'], label: 'Rate (/s)', kind: 'number' }, ...SINCE],
  threads: [{ path: ['threads'], label: 'Threads', kind: 'number' }, THINK, ...SINCE],
  burst: [
    { path: ['burst', 'at'], label: 'Burst at (s)', kind: 'number', usual: '0' },
    { path: ['burst', 'requests'], label: 'Requests', kind: 'number' },
  ],
  onDemand: [
    { path: ['threads'], label: 'Threads', kind: 'number' },
    { ...THINK, usual: '0' },
  ],
}
const RETRIES: FieldSpec = { path: ['retries'], label: 'Retry after 429', kind: 'flag' }

/** The fields of how a group sends. */
export function sendingFields(of: ScenarioText['of'], sending: Sending | undefined): readonly FieldSpec[] {
  const fields = sending === undefined ? SINCE : SENDING_FIELDS[sending]
  return of === 'etcd' || sending === 'onDemand' ? fields : [...fields, RETRIES]
}

/** The identity of the clients. The name is separate: other parts of the scenario refer to it. */
export const WHO: Readonly<Record<ScenarioText['of'], readonly FieldSpec[]>> = {
  server: [
    { path: ['count'], label: 'Clients', kind: 'number', usual: '1' },
    { path: ['user'], label: 'User', kind: 'text' },
    { path: ['groups'], label: 'Groups', kind: 'words', usual: 'from the user name' },
  ],
  etcd: [
    { path: ['count'], label: 'Clients', kind: 'number', usual: '1' },
    { path: ['user'], label: 'User', kind: 'text', usual: 'none' },
    { path: ['clientIP'], label: 'Client IP', kind: 'text', usual: 'none' },
  ],
}

/** A client's call to an API server, without its request. */
export const CALL_FIELDS: readonly FieldSpec[] = [
  { path: ['executionMs'], label: 'Execution (ms)', kind: 'number', usual: '0' },
  { path: ['weight'], label: 'Weight', kind: 'number', usual: '1' },
  { path: ['needs'], label: 'Needs', kind: 'job', usual: 'nothing' },
  { path: ['causes'], label: 'Causes', kind: 'job', usual: 'nothing' },
]
export const DISTRIBUTION: FieldSpec = { path: ['distribution'], label: 'Distribution', kind: 'text' }

/** A request to an etcd; other members of it stay in the text. */
export const REQUEST_FIELDS: readonly FieldSpec[] = [
  { path: ['method'], label: 'Method', kind: 'text' },
  { path: ['key'], label: 'Key', kind: 'text', usual: 'none' },
  { path: ['requestBytes'], label: 'Request (bytes)', kind: 'number', usual: 'none' },
  { path: ['responseBytes'], label: 'Response (bytes)', kind: 'number', usual: 'none' },
  { path: ['latencyMs'], label: 'Latency (ms)', kind: 'number', usual: 'none' },
]

/** Possible changes of a phase. */
export const CHANGES = {
  executionFactor: 'Execution factor',
  pause: 'Network pause',
  bug: 'Client bug',
  restart: 'Server restart',
  disconnect: 'Storage unreachable',
} as const satisfies Readonly<Record<string, string>>
export type ChangeName = keyof typeof CHANGES
export const CHANGE_NAMES: readonly ChangeName[] = ['executionFactor', 'pause', 'bug', 'restart', 'disconnect']

const CLIENTS_OF_FAULT = (fault: string): FieldSpec => ({ path: [fault, 'clients'], label: 'Group', kind: 'group' })
const LASTS = (fault: string): FieldSpec => ({ path: [fault, 'seconds'], label: 'For (s)', kind: 'number', usual: '0' })

export const CHANGE_FIELDS: Readonly<Record<ChangeName, readonly FieldSpec[]>> = {
  executionFactor: [{ path: ['executionFactor'], label: 'Execution factor', kind: 'number' }],
  pause: [CLIENTS_OF_FAULT('pause'), LASTS('pause')],
  bug: [CLIENTS_OF_FAULT('bug'), { path: ['bug', 'thinkMs'], label: 'Think time (ms)', kind: 'number' }],
  restart: [LASTS('restart')],
  disconnect: [LASTS('disconnect')],
}
export const PHASE_AT: FieldSpec = { path: ['at'], label: 'At (s)', kind: 'number', usual: '0' }

export const changesOf = (phase: JsonMap): readonly ChangeName[] =>
  CHANGE_NAMES.filter((name) => Object.hasOwn(phase, name))

/** The start and end of a phase's changes: a change without a duration lasts until the end. */
export function spanOf(phase: JsonMap): string {
  const at = numberIn(phase, ['at']) ?? 0
  // An empty change is being typed, and the parser treats it as absent.
  const given = changesOf(phase).filter((name) => phase[name] !== null)
  const spans = given.map((name) => {
    const seconds = name === 'bug' ? undefined : numberIn(phase, [name, 'seconds'])
    return `${CHANGES[name].toLowerCase()} ${seconds === undefined ? `from ${at} s on` : `${at}–${round(at + seconds)} s`}`
  })
  const { configuration = null } = phase
  const objects = isList(configuration) ? configuration.length : 0
  if (objects > 0) spans.push(`${objects} object${plural(objects, '', 's')} applied at ${at} s`)
  return spans.length === 0 ? `${at} s: changes nothing` : spans.join(', ')
}

const round = (seconds: number): number => Math.round(seconds * 1_000) / 1_000

const numberIn = (value: Json, path: FieldPath): number | undefined => {
  const found = getIn(value, path)
  return typeof found === 'number' ? found : undefined
}

/** Typed text as a value for the manifest. Text that is not a number stays as typed: the parser reports the error. */
export function typedValue({ kind, usual }: Pick<FieldSpec, 'kind' | 'usual'>, typed: string): Json | undefined {
  const trimmed = typed.trim()
  if (kind === 'words') {
    const words = trimmed.split(',').flatMap((word) => (word.trim() === '' ? [] : [word.trim()]))
    return words.length === 0 ? undefined : words
  }
  if (typed === '') return usual !== undefined ? undefined : kind === 'number' ? null : ''
  if (kind !== 'number') return typed
  return trimmed !== '' && /^-?(?:\d+\.?\d*|\.\d+)(?:e-?\d{1,2})?$/i.test(trimmed) ? Number(trimmed) : trimmed
}

/** The inverse: a value as the form shows it. */
export function shownValue(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (isList(value)) return value.map((item) => shownValue(item)).join(', ')
  return typeof value === 'object' ? '' : String(value)
}

// Requests

/** A request of a call as the form shows it. */
export interface CallRequest {
  readonly verb: string
  /** `v1`, `apps/v1`. */
  readonly api: string
  /** With its subresource: `pods/status`. */
  readonly resource: string
  readonly namespace: string
  readonly name: string
  /** Parameters of the query: `limit=500&resourceVersion=0`. */
  readonly parameters: string
}

/** The fields of a request line; `undefined` if it has no resource or no server understands it. */
export function requestFieldsOf(request: string): CallRequest | undefined {
  const [method = '', url = '', more] = request.split(' ')
  if (more !== undefined) return undefined
  const fields = fieldsOf({ method, url })
  if (fields?.kind !== 'resource') return undefined
  const { verb, apiGroup, version, resource, subresource, namespace, name, options } = fields
  return {
    verb,
    api: apiGroup === '' ? version : `${apiGroup}/${version}`,
    resource: subresource === '' ? resource : `${resource}/${subresource}`,
    namespace,
    name,
    parameters: options.map(([option, value]) => `${option}=${value}`).join('&'),
  }
}

/** The request line for such fields, or why there is none: a sentence. */
export function requestLineOf(fields: CallRequest): { readonly line: string } | { readonly problem: string } {
  const slash = fields.api.lastIndexOf('/')
  const [resource = '', subresource = ''] = fields.resource.split('/')
  const resourceFields: ResourceFields = {
    kind: 'resource',
    verb: fields.verb,
    apiGroup: slash === -1 ? '' : fields.api.slice(0, slash),
    version: fields.api.slice(slash + 1),
    resource,
    subresource,
    namespace: fields.namespace,
    name: fields.name,
    options: fields.parameters.split('&').flatMap((pair): [string, string][] => {
      const [option = '', ...value] = pair.split('=')
      return option === '' ? [] : [[option, value.join('=')]]
    }),
  }
  const address = addressOf(resourceFields)
  if ('problem' in address) return address
  return { line: `${address.method} ${withPlaceholders(address.url)}` }
}

/** `{i}` and `{n:12}` are placeholders for numbers, and so are not encoded. */
const withPlaceholders = (url: string): string =>
  url.replaceAll('%7Bi%7D', '{i}').replaceAll(/%7Bn%3A(\d+)%7D/g, '{n:$1}')

/**
 * How many seats a request takes with the stored objects of the scenario, before the limit of its level caps it;
 * `undefined` for a line that no server understands.
 */
export function widthOf(request: string, scenario: JsonMap): number | undefined {
  const [method = '', target = ''] = request.split(' ')
  if (!target.startsWith('/')) return undefined
  const line = readRequestLine(method, numbered(target, 0))
  if (!line.ok) return undefined
  const { resource, apiGroup } = line.info
  const key = apiGroup === '' ? resource : `${resource}.${apiGroup}`
  const kind = entriesAt(scenario, ['stored']).find((one) => one['resource'] === key)
  const count = kind === undefined ? undefined : numberIn(kind, ['count'])
  const version = getIn(scenario, ['server', 'version'])
  return explainSeats(line.info, line.query, 0, {
    ...(typeof version === 'string' && { version: version.startsWith('v') ? version : `v${version}` }),
    objects: kind === undefined ? 'none' : { count: count ?? 0, averageSize: numberIn(kind, ['averageSize']) ?? 0 },
  }).width
}

// Changes of the text

/** A name that no entry has: the requested one, or one with a number appended. */
function freeName(entries: readonly JsonMap[], wanted: string): string {
  const taken = new Set(entries.map((entry) => textAt(entry, 'name')))
  let name = wanted
  for (let number = 2; taken.has(name); number += 1) name = `${wanted}-${number}`
  return name
}

const NEW_CLIENTS: Readonly<Record<ScenarioText['of'], JsonMap>> = {
  server: {
    user: 'system:serviceaccount:default:app',
    perSecond: 1,
    calls: [{ request: 'GET /api/v1/namespaces/default/configmaps', executionMs: 10 }],
  },
  etcd: { user: 'app', perSecond: 1, requests: [{ method: 'KV/Range', key: '/app', latencyMs: 1 }] },
}

/** Appends a group of clients to the text. */
export function withNewClients({ text, value = {}, of }: ScenarioText): Edited {
  const groups = entriesAt(value, ['clients'])
  return insertEntry(text, ['clients'], groups.length, { name: freeName(groups, 'clients'), ...NEW_CLIENTS[of] })
}

/** Inserts a copy of a group after it, under a new name. */
export function withClientsCopy({ text, value = {} }: ScenarioText, index: number): Edited {
  const groups = entriesAt(value, ['clients'])
  const group = groups[index] ?? {}
  const name = freeName(groups, textAt(group, 'name') === '' ? 'clients' : textAt(group, 'name'))
  return insertEntry(text, ['clients'], index + 1, { ...group, name })
}

/**
 * Renames a group of clients and all references to it. If the name is empty or another group has it, only the name
 * changes: the references would then point to other clients.
 */
export function withClientsName({ text, value = {} }: ScenarioText, index: number, name: string): Edited {
  const groups = entriesAt(value, ['clients'])
  const old = textAt(groups[index] ?? {}, 'name')
  const path = ['clients', index, 'name']
  const isAmbiguous = name === '' || old === '' || groups.some((one, at) => at !== index && isOneOf(one, [name, old]))
  const paths = isAmbiguous ? [path] : [path, ...referencesTo(value, old)]
  const wanted = paths.reduce<Json>((whole, at) => {
    const changed = setIn(whole, at, name)
    return changed.ok ? changed.value : whole
  }, value)
  return editManifest(text, [], wanted)
}

const isOneOf = (entry: JsonMap, names: readonly string[]): boolean => names.includes(textAt(entry, 'name'))

/** References to the name of a group of clients, without the group itself. */
function referencesTo(value: JsonMap, name: string): readonly FieldPath[] {
  const faults = entriesAt(value, ['phases']).flatMap((_, index) =>
    ['pause', 'bug'].map((fault): FieldPath => ['phases', index, fault, 'clients']),
  )
  const checks = ['criteria', 'assertions'].flatMap((list) =>
    entriesAt(value, [list]).map((_, index): FieldPath => [list, index, 'clients']),
  )
  const calls = entriesAt(value, ['clients']).flatMap((_, group) =>
    entriesAt(value, ['clients', group, 'calls']).flatMap((_call, index) =>
      ['needs', 'causes'].map((key): FieldPath => ['clients', group, 'calls', index, key]),
    ),
  )
  return [...faults, ...checks, ...calls].filter((path) => getIn(value, path) === name)
}

/** Members that belong to a way of sending; the others stay when it changes. */
const OF_SENDING: ReadonlySet<string> = new Set(['threads', 'perSecond', 'burst', 'thinkMs', 'onDemand'])

const BEGUN: Readonly<Record<Sending, JsonMap>> = {
  threads: { threads: 1 },
  perSecond: { perSecond: 1 },
  burst: { burst: { at: 0, requests: 10 } },
  onDemand: { threads: 1, onDemand: true },
}
/** Members that do not apply to the way of sending; the parser rejects them. */
const UNUSED: Readonly<Partial<Record<Sending, readonly string[]>>> = {
  burst: ['from', 'to'],
  onDemand: ['from', 'to', 'retries'],
}

/** Changes how a group sends, with initial values. */
export function withSending({ text, value = {} }: ScenarioText, index: number, sending: Sending): Edited {
  const group = entriesAt(value, ['clients'])[index] ?? {}
  const kept = Object.entries(group).filter(([key]) => !OF_SENDING.has(key) && UNUSED[sending]?.includes(key) !== true)
  const threads = group['threads'] ?? null
  const keepsThreads = threads !== null && (sending === 'threads' || sending === 'onDemand')
  return editManifest(text, ['clients', index], {
    ...Object.fromEntries(kept),
    ...BEGUN[sending],
    ...(keepsThreads && { threads }),
  })
}

/** Appends a call to a group, as a copy of the last one. */
export function withNewCall({ text, value = {}, of }: ScenarioText, group: number): Edited {
  const list = of === 'etcd' ? 'requests' : 'calls'
  const path = ['clients', group, list]
  const calls = entriesAt(value, path)
  const begun = calls.at(-1) ?? entriesAt(NEW_CLIENTS[of], [list])[0] ?? {}
  return insertEntry(text, path, calls.length, begun)
}

export function withNewPhase({ text, value = {} }: ScenarioText): Edited {
  const phases = entriesAt(value, ['phases'])
  const last = numberIn(phases.at(-1) ?? {}, ['at']) ?? 0
  const seconds = numberIn(value, ['seconds']) ?? 60
  return insertEntry(text, ['phases'], phases.length, {
    at: Math.min(seconds, last + 10),
    executionFactor: 2,
  })
}

export function withPhaseCopy({ text, value = {} }: ScenarioText, index: number): Edited {
  return insertEntry(text, ['phases'], index + 1, entriesAt(value, ['phases'])[index] ?? {})
}

/** Adds a change to a phase, for the first group of clients if it needs one. */
export function withChange({ text, value = {} }: ScenarioText, index: number, change: ChangeName): Edited {
  const clients = textAt(entriesAt(value, ['clients'])[0] ?? {}, 'name')
  const begun: Readonly<Record<ChangeName, Json>> = {
    executionFactor: 2,
    pause: { clients, seconds: 5 },
    bug: { clients, thinkMs: 10 },
    restart: { seconds: 2 },
    disconnect: { seconds: 10 },
  }
  return editManifest(text, ['phases', index, change], begun[change])
}

/** Removes an entry of a list, and the list when that was its last entry. */
export function withoutEntry({ text, value = {} }: ScenarioText, list: FieldPath, index: number): Edited {
  const isLast = entriesAt(value, list).length <= 1
  const isOptional = list.length === 1 && list[0] === 'phases'
  return editManifest(text, isLast && isOptional ? list : [...list, index], undefined)
}

// Findings

/** Whether a field equals another one, or is below it. */
export function isWithin(field: string, place: string): boolean {
  const steps = parseField(field)
  return parseField(place).every((step, index) => steps[index] === step)
}

/** Findings about a field or anything below it. */
export const findingsWithin = (findings: readonly LocatedFinding[], path: FieldPath): readonly LocatedFinding[] =>
  findings.filter(({ field }) => isWithin(field, fieldOf(path)))

/**
 * Assigns each finding to the narrowest place that it is about; findings outside all places get the empty key. Keys are
 * fields as the parser names them.
 */
export function findingsByPlace(
  findings: readonly LocatedFinding[],
  places: readonly string[],
): ReadonlyMap<string, readonly LocatedFinding[]> {
  const narrowestFirst = places.toSorted((a, b) => parseField(b).length - parseField(a).length)
  return Map.groupBy(findings, ({ field }) => narrowestFirst.find((place) => isWithin(field, place)) ?? '')
}

/** Every place where the form of a scenario shows findings. */
export function placesOf({ value = {}, of }: ScenarioText): readonly string[] {
  const below = (path: FieldPath, specs: readonly FieldSpec[]): FieldPath[] =>
    specs.map((spec) => [...path, ...spec.path])
  const list = of === 'etcd' ? 'requests' : 'calls'
  const callFields = of === 'etcd' ? REQUEST_FIELDS : [...CALL_FIELDS, DISTRIBUTION]
  const clients = entriesAt(value, ['clients']).flatMap((group, index): FieldPath[] => {
    const at = ['clients', index]
    const calls = entriesAt(group, [list]).flatMap((_, call): FieldPath[] => {
      const place = [...at, list, call]
      return [place, ...below(place, callFields), ...(of === 'etcd' ? [] : [[...place, 'request']])]
    })
    const own = [...WHO[of], ...sendingFields(of, sendingOf(group))]
    return [at, [...at, 'name'], ...below(at, own), [...at, list], ...calls]
  })
  const phases = entriesAt(value, ['phases']).flatMap((phase, index): FieldPath[] => {
    const at = ['phases', index]
    return [at, ...below(at, [PHASE_AT, ...changesOf(phase).flatMap((name) => CHANGE_FIELDS[name])])]
  })
  const lists: FieldPath[] = of === 'etcd' ? [['clients']] : [['clients'], ['phases']]
  return [...lists, ...clients, ...phases].map(fieldOf)
}
