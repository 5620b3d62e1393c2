import { z } from 'zod'
import { AUTOUPDATE_ANNOTATION } from '../config/objects.ts'
import { ObjectSetSchema } from '../config/schema.ts'
import type { SourceInfo } from '../frame/frame.ts'
import { byCodeUnits, decoded, asText } from '../text/text.ts'
import { isList, isObject, type Data } from './changes.ts'
import { ETCD_MEMBERS, ETCD_WORDS, PUBLIC_GROUPS, PUBLIC_QUERY, PUBLIC_RESOURCES, PUBLIC_WORDS } from './publicWords.ts'
import { dataOf, eventOf } from './recording.ts'
import type { SourceEvent } from './sourceEvent.ts'
import type { DumpFrame } from '../frame/dump.ts'

/**
 * Replaces everything that could identify someone; equal words get equal replacements. Numbers and times stay, but for
 * those that are a function of a name (docs/recording.md lists both).
 */
export interface Anonymiser {
  event(event: SourceEvent): SourceEvent
  source(source: SourceInfo): SourceInfo
}

/** Replacement for sentences, which may quote anything. */
export const REMOVED_TEXT = 'Removed when the recording was anonymised.'

/**
 * `pseudonym` derives a name from a name: always the same, and of letters, digits and `-` only. Every string that is
 * not known to be public is replaced, and every member that the format does not define is dropped, so a field that a
 * later version adds is covered too.
 */
export function createAnonymiser(pseudonym: (word: string) => string): Anonymiser {
  const name = (text: string): string => {
    if (PUBLIC_WORDS.has(text)) return text
    const [, prefix, rest = ''] =
      /^(system:serviceaccount:|system:serviceaccounts:|system:node:)(.+)$/s.exec(text) ?? []
    if (prefix === undefined) return pseudonym(text)
    return prefix + rest.split(':').map(name).join(':')
  }
  const group = (text: string): string => (PUBLIC_GROUPS.has(text) ? text : pseudonym(text))
  /** `pods`, `deployments.apps`, `deployments.apps/scale`. */
  const resource = (text: string): string =>
    text
      .split('/')
      .map((part) => {
        const dot = part.indexOf('.')
        const [plural, of] = dot < 0 ? [part] : [part.slice(0, dot), part.slice(dot + 1)]
        const own = PUBLIC_RESOURCES.has(plural) ? plural : pseudonym(plural)
        return of === undefined ? own : `${own}.${group(of)}`
      })
      .join('/')
  /** Segments that are a resource, a name and a subresource in turn: `pods/x/log`. */
  const inTurn = ([plural, own, ...sub]: readonly string[]): string[] => [
    ...(plural === undefined ? [] : [resource(decoded(plural))]),
    ...(own === undefined ? [] : [name(decoded(own))]),
    ...sub.map((part) => (PUBLIC_RESOURCES.has(part) ? part : name(decoded(part)))),
  ]
  const ofApi = (parts: readonly string[]): string[] => {
    const [first = '', own, ...rest] = parts
    if (first === 'watch' || first === 'proxy') return [first, ...ofApi(parts.slice(1))]
    if (first !== 'namespaces' || rest.length === 0 || rest[0] === 'status') return inTurn(parts)
    return [first, name(decoded(own ?? '')), ...inTurn(rest)]
  }
  /** The position of a segment decides, because a namespace may have the name of a group. */
  const segments = ([root = '', first = '', ...rest]: readonly string[]): string[] => {
    const versions = first === 'apis' ? 2 : first === 'api' ? 1 : 0
    if (versions === 0) return [root, first, ...rest].map((part) => name(decoded(part)))
    const prefix = rest.slice(0, versions).map((part, at) => {
      if (API_VERSION.test(part)) return part
      return at === 0 && versions === 2 ? group(decoded(part)) : name(decoded(part))
    })
    return [name(decoded(root)), first, ...prefix, ...ofApi(rest.slice(versions))]
  }
  const queryPart = (part: string): string => {
    const [key = '', value] = part.split(/=(.*)/s)
    const known = PUBLIC_QUERY.has(key) ? key : pseudonym(decoded(key))
    if (value === undefined) return known
    // Comparable with those in other logs; 0 and none have a meaning of their own.
    if (key === 'resourceVersion' && /^[1-9]\d*$/.test(value)) return `${known}=1`
    return `${known}=${/^(?:\d{1,10}|true|false|)$/.test(value) ? value : pseudonym(decoded(value))}`
  }
  const url = (text: string): string => {
    const [path = '', query] = text.split(/\?(.*)/s)
    const own = segments(path.split('/')).join('/')
    return query === undefined ? own : `${own}?${query.split('&').map(queryPart).join('&')}`
  }

  /** `KV/Range /registry/pods/a (prefix) limit 500`, and keys alone: text between separators is a name. */
  const etcdRequest = (value: string): string =>
    value.replace(ETCD_PARTS, (part: string, option?: string) =>
      option === undefined && !PUBLIC_RESOURCES.has(part) ? name(part) : part,
    )

  const text = (key: string, value: string): string => {
    if (TIME.test(value) || PUBLIC_WORDS.has(value)) return value
    if (SENTENCES.has(key)) return REMOVED_TEXT
    switch (key) {
      case 'version':
      case 'apiVersion':
        // The text after the number identifies the vendor.
        return RELEASE.exec(value)?.[0] ?? pseudonym(value)
      case 'url':
      case 'path':
      case 'nonResourceURLs':
        return url(value)
      case 'objects':
      case 'resource':
      case 'resources':
      case 'subresource':
        return resource(value)
      case 'request':
      case 'example':
      case 'keys':
      case 'prefixPaths':
      case 'method':
      case 'methods':
        return etcdRequest(value)
      case 'summary':
      case 'text':
        return value.split(/[ ,]+/).every((word) => ETCD_WORDS.has(word) || NUMBER.test(word)) ? value : REMOVED_TEXT
      case 'apiGroup':
      case 'apiGroups':
        return group(value)
      default:
        return name(value)
    }
  }

  const walk = (key: string, data: Data): Data => {
    if (typeof data === 'string') return text(key, data)
    if (typeof data !== 'object' || data === null) return data
    if (isList(data)) return inOrder(key, SENTENCES.has(key) ? [] : data.map((item) => walk(key, item)))
    const members = Object.entries(data).flatMap(([member, value]): [string, Data][] => {
      if (value === undefined || REMOVED.has(member)) return []
      if (DOCUMENTS.has(member)) return [[member, walk(member, ofRules(value))]]
      if (member === 'annotations') return [[member, annotations(value)]]
      // Prometheus' labels are a list of names and values.
      if (member === 'labels' && !isList(value)) return []
      // Metric families, and the console's sentences about them.
      if (member === 'missing') return [[member, value]]
      return [[BY_NAME.has(key) ? name(member) : member, walk(member, value)]]
    })
    return Object.fromEntries(BY_NAME.has(key) ? members.toSorted(([a], [b]) => byCodeUnits(a, b)) : members)
  }

  return {
    event: (event) => withoutHands(onlyKnown(eventOf(walk('', dataOf(event)))), pseudonym),
    source: ({ kind, name: own }) => ({ kind, name: pseudonym(own), via: 'an anonymised source' }),
  }
}

/** Their content is written by people, or by servers for people. */
const SENTENCES: ReadonlySet<string> = new Set(
  'message note notes title limits what likely last lastUnreadable reason via selects warnings'.split(' '),
)
const REMOVED: ReadonlySet<string> = new Set(
  'details managedFields ownerReferences finalizers clientKubeconfig resourceVersion'.split(' '),
)
/** The names of their members are levels. */
const BY_NAME: ReadonlySet<string> = new Set(['waitP99', 'retryAfterSeconds'])

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/
const NUMBER = /^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/
/** The first group matches descriptions of keys, which are not part of a key. */
const ETCD_PARTS =
  /(\((?:prefix|all keys|and after)\)|(?<=\()to (?=\S)|(?<= )limit \d{1,10}(?=;|$)|(?<=; )\d+ more$)|[^\s();/]+/g
const RELEASE = /^v\d+(?:\.\d+){1,2}|^v\d+(?:(?:alpha|beta)\d+)?$/
const API_VERSION = /^v\d+(?:(?:alpha|beta)\d+)?$/

const annotations = (data: Data): Data => {
  const value = isObject(data) ? data[AUTOUPDATE_ANNOTATION] : undefined
  return value === 'true' || value === 'false' ? { [AUTOUPDATE_ANNOTATION]: value } : {}
}

/** Lists that are sorted by names, whose order would otherwise be that of the names replaced. */
const SORTED: ReadonlySet<string> = new Set('levels schemas deleted objects watches uncorrected'.split(' '))

function inOrder(key: string, items: readonly Data[]): readonly Data[] {
  // An entry of a map is a list as well.
  if (!SORTED.has(key) || (key === 'objects' && !isList(items[0]))) return items
  const nameOf = (item: Data | undefined): string => {
    if (typeof item === 'string') return item
    if (isList(item)) return nameOf(item[0])
    if (!isObject(item)) return ''
    return ['name', 'level', 'schema', 'apiGroup', 'resource'].map((member) => asText(item[member])).join(' ')
  }
  return items.toSorted((a, b) => byCodeUnits(nameOf(a), nameOf(b)))
}

/** Rules and settings of an etcd proxy as they were written. */
const DOCUMENTS: ReadonlySet<string> = new Set(['document', 'settings'])

function ofRules(data: Data): Data {
  if (isList(data)) return data.map(ofRules)
  if (!isObject(data)) return data
  return Object.fromEntries(
    Object.entries(data).flatMap(([member, value]): [string, Data][] =>
      value === undefined || !ETCD_MEMBERS.has(member) ? [] : [[member, ofRules(value)]],
    ),
  )
}

/** The same shape without members that it does not name. */
function exactly(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodObject) {
    return z.object(Object.fromEntries(Object.entries(schema.shape).map(([name, own]) => [name, exactly(own)])))
  }
  if (schema instanceof z.ZodArray) return z.array(exactly(schema.element))
  if (schema instanceof z.ZodExactOptional) return exactly(schema.unwrap()).exactOptional()
  if (schema instanceof z.ZodType) return schema
  throw new TypeError('no schema')
}
const EXACT_OBJECTS = exactly(ObjectSetSchema).transform((objects) => ObjectSetSchema.parse(objects))

/** Objects keep members of later versions of Kubernetes; every other event has lost what it does not define. */
function onlyKnown(event: SourceEvent): SourceEvent {
  if (event.kind !== 'objects' || event.reading.objects === undefined) return event
  return { ...event, reading: { ...event.reading, objects: EXACT_OBJECTS.parse(event.reading.objects) } }
}

/**
 * Separates flows from queues. The queues of a flow are a public function of its flow schema and its name
 * (specification 2.7, 3.2), so whoever guesses a name can compare: by their numbers, or, with enough flows, by which
 * flows share a queue. Requests therefore lose their queue, and those of a dump are in the order of their arrival. The
 * queues of each level of a server are numbered in the order of `rank`.
 */
function withoutHands(event: SourceEvent, rank: (queue: string) => string): SourceEvent {
  if (event.kind === 'dump') return { kind: 'dump', dump: dumpWithout(event.dump, rank) }
  if (event.kind !== 'requests' || 'state' in event) return event
  const requests = event.changes.requests.map((request) => {
    const { queue: _, ...others } = request
    return others
  })
  return { kind: 'requests', changes: { ...event.changes, requests } }
}

function dumpWithout({ queues, requests, ...dump }: DumpFrame, rank: (queue: string) => string): DumpFrame {
  const ranked = queues?.map((queue) => ({
    queue,
    rank: rank(JSON.stringify([dump.server, queue.level, queue.index])),
  }))
  return {
    ...dump,
    ...(ranked && {
      queues: [...Map.groupBy(ranked, ({ queue }) => queue.level).values()]
        .toSorted(([a], [b]) => byCodeUnits(a?.queue.level ?? '', b?.queue.level ?? ''))
        .flatMap((level) =>
          level.toSorted((a, b) => byCodeUnits(a.rank, b.rank)).map(({ queue }, index) => ({ ...queue, index })),
        ),
    }),
    ...(requests && {
      requests: requests
        .map((request) => ({ ...request, queue: -1, position: -1 }))
        .toSorted((a, b) => byCodeUnits(a.level, b.level) || a.arrivedAt - b.arrivedAt || byCodeUnits(a.flow, b.flow)),
    }),
  }
}
