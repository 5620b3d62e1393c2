import { LAST_APPLIED, manifestOf, withoutNulls } from '../config/content.ts'
import type { Kind } from '../config/objects.ts'
import { jsonText } from '../text/text.ts'
import { isMap, toJson, type Json, type JsonMap, isList, type JsonList } from './json.ts'
import { resolvePlain } from './syntax.ts'

/** Any FlowSchema or PriorityLevelConfiguration, as the API or a manifest has it. */
export interface WritableObject {
  readonly metadata?: unknown
  readonly spec?: unknown
}

/** The annotation that kubectl maintains. */

/**
 * One object as YAML for people and for `kubectl apply`: apiVersion v1, kind, the metadata that people write, spec;
 * members in the order of the API. Fields that the server maintains (uid, resourceVersion, managedFields, status …) are
 * left out.
 */
export function writeManifest(kind: Kind, object: WritableObject): string {
  return writeYaml(cleanManifest(kind, object))
}

/** Several objects as one text with several documents. */
export function writeManifests(objects: readonly { readonly kind: Kind; readonly object: WritableObject }[]): string {
  return objects.map(({ kind, object }) => writeManifest(kind, object)).join('---\n')
}

/** The parts of an object that belong in a manifest, in the order of the API. */
export function cleanManifest(kind: Kind, object: WritableObject): JsonMap {
  const manifest = toJson(withoutNulls(manifestOf(kind, object)))
  const metadata = isMap(manifest) ? (manifest['metadata'] ?? {}) : {}
  if (!isMap(manifest) || !isMap(metadata)) return {}
  const { annotations = {}, ...others } = metadata
  const own = Object.entries(isMap(annotations) ? annotations : {}).filter(([key]) => key !== LAST_APPLIED)
  return { ...manifest, metadata: { ...others, ...(own.length > 0 && { annotations: Object.fromEntries(own) }) } }
}

/** A JSON value as a YAML document. */
export function writeYaml(value: Json): string {
  return `${(emitLines(value) ?? [emitFlow(value)]).join('\n')}\n`
}

/** A list of words stays on its line up to this length. */
const WIDTH = 100

/** Words that have the same meaning without quotes in every reader of YAML 1.1 and 1.2, in block and flow style. */
const PLAIN = /^[A-Za-z_/](?:[\w./:@-]*[\w./@-])?$/
const PRINTABLE =
  /^[\u0020-\u007E\u00A1-\u00AC\u00AE-\u061B\u061D-\u200D\u2010-\u2027\u202F-\u2065\u206A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD]*$/

/** A string in YAML: unquoted where that is safe, in single quotes where that is enough. */
export function emitString(text: string): string {
  if (PLAIN.test(text) && resolvePlain(text) === text) return text
  return PRINTABLE.test(text) ? `'${text.replaceAll("'", "''")}'` : quoted(text)
}

/** In double quotes, valid in both JSON and YAML. */
const quoted = (text: string): string =>
  jsonText(text).replaceAll(
    /[\u00A0\u00AD\uFEFF\uFFFE\uFFFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** On one line, in flow style. */
export function emitFlow(value: Json): string {
  if (typeof value === 'string') return emitString(value)
  if (isList(value)) return `[${value.map(emitFlow).join(', ')}]`
  if (!isMap(value)) return String(value)
  const members = Object.entries(value).map(([key, member]) => `${emitString(key)}: ${emitFlow(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** The text after a key or a dash (including the space before it), and the lines below, indented by two. */
interface Emitted {
  readonly behind: string
  readonly below: readonly string[]
}

export function emitValue(value: Json, after: 'key' | 'dash'): Emitted {
  const literal = literalOf(value)
  if (literal !== undefined) return { behind: ` ${literal.header}`, below: indent(literal.lines) }
  const lines = emitLines(value)
  if (lines === undefined) return { behind: ` ${emitFlow(value)}`, below: [] }
  if (after === 'key') return { behind: '', below: indent(lines) }
  const [first = '', ...others] = lines
  return { behind: ` ${first}`, below: indent(others) }
}

/** The lines of a map or list in block style, not indented; `undefined` for a value that fits on one line. */
function emitLines(value: Json): readonly string[] | undefined {
  if (isMap(value)) {
    const members = Object.entries(value).toSorted(([a], [b]) => byApiOrder(a, b))
    return members.length === 0 ? undefined : members.flatMap(([key, member]) => emitMember(key, member))
  }
  return isList(value) && !isShort(value) ? value.flatMap(emitItem) : undefined
}

const isShort = (list: JsonList): boolean =>
  list.every((item) => !isMap(item) && !isList(item)) && emitFlow(list).length <= WIDTH

/** The lines of `key: value`, the first not indented. */
export function emitMember(key: string, value: Json): readonly string[] {
  const { behind, below } = emitValue(value, 'key')
  return [`${emitString(key)}:${behind}`, ...below]
}

/** The lines of `- value`, the first not indented. */
export function emitItem(value: Json): readonly string[] {
  const { behind, below } = emitValue(value, 'dash')
  return [`-${behind}`, ...below]
}

/** Multi-line text, as in annotations, is easier to read in literal style. */
function literalOf(value: Json): { readonly header: string; readonly lines: readonly string[] } | undefined {
  if (typeof value !== 'string') return undefined
  const lines = value.split('\n')
  if (lines.length < 2 || !lines.every((line) => PRINTABLE.test(line) && !line.endsWith(' '))) return undefined
  const ended = lines.at(-1) === ''
  const body = ended ? lines.slice(0, -1) : lines
  if (body.at(-1) === '' || body[0] === '' || body[0]?.startsWith(' ') === true) return undefined
  return { header: ended ? '|' : '|-', lines: body }
}

/** Adds two spaces before every line that is not empty. */
const indent = (lines: readonly string[]): readonly string[] => lines.map((line) => (line === '' ? line : `  ${line}`))

/** The members of the two kinds in API order (specification 1.2, 1.3). */
const MEMBERS = [
  'apiVersion',
  'kind',
  'metadata',
  'namespace',
  'name',
  'labels',
  'annotations',
  'spec',
  'type',
  'priorityLevelConfiguration',
  'matchingPrecedence',
  'distinguisherMethod',
  'rules',
  'subjects',
  'resourceRules',
  'nonResourceRules',
  'verbs',
  'apiGroups',
  'resources',
  'clusterScope',
  'namespaces',
  'nonResourceURLs',
  'exempt',
  'limited',
  'nominalConcurrencyShares',
  'lendablePercent',
  'borrowingLimitPercent',
  'limitResponse',
  'queuing',
  'queues',
  'handSize',
  'queueLengthLimit',
  'status',
]
const RANK = new Map(MEMBERS.map((member, index) => [member, index]))

const rankOf = (member: string): number => RANK.get(member) ?? MEMBERS.length

/** Order of members for people; members that the API does not have keep their order after the others. */
export const byApiOrder = (a: string, b: string): number => rankOf(a) - rankOf(b)
