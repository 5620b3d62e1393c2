import { EVERY_RESOURCE } from '../../../../core/draft/presets.ts'
import { isList, isMap, type Json } from '../../../../core/manifest/json.ts'

export const listAt = (value: Json | undefined): readonly Json[] => (value !== undefined && isList(value) ? value : [])

const textAt = (value: Json | undefined, key: string): string => {
  const found = value !== undefined && isMap(value) ? value[key] : undefined
  return typeof found === 'string' ? found : ''
}

export const NEW_URL_RULE = { verbs: ['get'], nonResourceURLs: ['/healthz'] }
const NEW_SUBJECT = { kind: 'User', user: { name: '' } }
export const NEW_RULE = { subjects: [NEW_SUBJECT], resourceRules: [EVERY_RESOURCE] }

/** Kinds of subjects, and their labels in the form. */
export const SUBJECT_KINDS = [
  ['User', 'User'],
  ['Group', 'Group'],
  ['ServiceAccount', 'Account'],
] as const

/** The fields of a subject in the form; service accounts also have a namespace. */
export interface SubjectFields {
  readonly kind: string
  readonly name: string
  readonly namespace: string
}

const MEMBERS: Readonly<Record<string, string>> = { User: 'user', Group: 'group', ServiceAccount: 'serviceAccount' }

export function subjectFields(subject: Json): SubjectFields {
  const kind = textAt(subject, 'kind')
  const of = isMap(subject) ? subject[MEMBERS[kind] ?? ''] : undefined
  return { kind, name: textAt(of, 'name'), namespace: textAt(of, 'namespace') }
}

export function subjectOf({ kind, name, namespace }: SubjectFields): Json {
  const member = MEMBERS[kind]
  if (member === undefined) return { kind }
  return { kind, [member]: kind === 'ServiceAccount' ? { namespace, name } : { name } }
}

/** The core API group has an empty name, which would be invisible in a field. */
const CORE = 'core'

export const tokensText = (value: Json | undefined): string =>
  listAt(value)
    .map((token) => (token === '' ? CORE : typeof token === 'string' ? token : JSON.stringify(token)))
    .join(', ')

/** Splits words at commas and spaces. */
export function readTokens(text: string, groups: boolean): readonly string[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  return groups ? words.map((word) => (word === CORE || word === '""' ? '' : word)) : words
}

/** `list, get and watch`. */
function all(words: readonly string[], last = 'or'): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1) ?? ''}`
}

const isEverything = (tokens: readonly Json[]): boolean => tokens.includes('*')
const words = (value: Json | undefined): readonly string[] =>
  listAt(value).map((token) => (typeof token === 'string' ? token : JSON.stringify(token)))

function subjectSentence(subject: Json): string {
  const { kind, name, namespace } = subjectFields(subject)
  if (kind === 'ServiceAccount')
    return name === '*' ? `any service account of ${namespace}` : `service account ${namespace}:${name}`
  if (name === '*') return kind === 'Group' ? 'any group' : 'any user'
  return kind === 'Group' ? `group ${name}` : `user ${name}`
}

export function ruleSentence(rule: Json): string {
  const of = (key: string): readonly Json[] => listAt(isMap(rule) ? rule[key] : undefined)
  const who = of('subjects').map(subjectSentence)
  const what = [...of('resourceRules').map(resourceSentence), ...of('nonResourceRules').map(urlSentence)]
  if (who.length === 0) return 'Without subjects the rule matches no requests.'
  if (what.length === 0) return 'Without resources and URLs the rule matches nothing.'
  return `Requests of ${all(who)} that ${all(what)}.`
}

function verbsOf(rule: Json): string {
  const verbs = words(isMap(rule) ? rule['verbs'] : undefined)
  return isEverything(verbs) ? 'do anything with' : all(verbs)
}

function resourceSentence(rule: Json): string {
  const of = (key: string): readonly string[] => words(isMap(rule) ? rule[key] : undefined)
  const [resources, groups, namespaces] = [of('resources'), of('apiGroups'), of('namespaces')]
  const named = isEverything(resources) ? 'any resource' : all(resources)
  const group = isEverything(groups) ? '' : ` of ${all(groups.map((name) => (name === '' ? 'the core group' : name)))}`
  const cluster = isMap(rule) && rule['clusterScope'] === true
  const inside = isEverything(namespaces) ? 'in any namespace' : namespaces.length > 0 ? `in ${all(namespaces)}` : ''
  const where = [...(inside === '' ? [] : [inside]), ...(cluster ? ['for the whole cluster'] : [])]
  return `${verbsOf(rule)} ${named}${group}${where.length === 0 ? ' nowhere' : ` ${where.join(' or ')}`}`
}

function urlSentence(rule: Json): string {
  const urls = words(isMap(rule) ? rule['nonResourceURLs'] : undefined)
  return `${verbsOf(rule)} ${isEverything(urls) ? 'any other path' : all(urls)}`
}
