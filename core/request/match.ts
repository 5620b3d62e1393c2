import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import {
  type FlowSchema,
  type NonResourceRule,
  type PolicyRules,
  type ResourceRule,
  type Subject,
  CATCH_ALL,
  EXEMPT,
  type Condition,
  objectNamed,
} from '../config/objects.ts'
import { mandatorySchemas } from '../config/builtIn.ts'
import { byCodeUnits } from '../text/text.ts'
import type { RequestInfo } from './requestInfo.ts'

/** The user of a request, after impersonation. */
export interface User {
  readonly name: string
  readonly groups: readonly string[]
}

/** The inputs of flow schemas (specification 2.1). */
export interface RequestDigest {
  readonly user: User
  readonly info: RequestInfo
}

/** `*` means everything only as the one element of a list (trap T33). */
const contains = (list: readonly string[] | undefined, item: string): boolean =>
  list !== undefined && ((list.length === 1 && list[0] === '*') || list.includes(item))

/** Specification 2.3. */
export function matchesSubject(subject: Subject, user: User): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.user !== undefined && (subject.user.name === '*' || subject.user.name === user.name)
    case 'Group':
      return subject.group !== undefined && (subject.group.name === '*' || user.groups.includes(subject.group.name))
    case 'ServiceAccount': {
      if (subject.serviceAccount === undefined) return false
      const { namespace, name } = subject.serviceAccount
      const prefix = `system:serviceaccount:${namespace}:`
      return name === '*' ? user.name.startsWith(prefix) : user.name === prefix + name
    }
    default:
      return false
  }
}

/** The four conditions of a resource rule (specification 2.4). */
export const matchesVerb = ({ verbs }: ResourceRule | NonResourceRule, info: RequestInfo): boolean =>
  contains(verbs, info.verb)
export const matchesResource = ({ resources }: ResourceRule, info: RequestInfo): boolean =>
  contains(resources, resourceOf(info))
export const matchesGroup = ({ apiGroups }: ResourceRule, info: RequestInfo): boolean =>
  contains(apiGroups, info.apiGroup)
export const matchesScope = ({ clusterScope, namespaces }: ResourceRule, { namespace }: RequestInfo): boolean =>
  namespace === '' ? clusterScope === true : contains(namespaces, namespace)

/** With the subresource, as rules name it: `pods/status`. */
export const resourceOf = ({ resource, subresource }: RequestInfo): string =>
  subresource === '' ? resource : `${resource}/${subresource}`

const matchesResourceRule = (rule: ResourceRule, info: RequestInfo): boolean =>
  matchesVerb(rule, info) && matchesResource(rule, info) && matchesGroup(rule, info) && matchesScope(rule, info)

/** Every entry also matches what lies below it, with or without a `*` at its end (trap T32). */
function matchesUrl(entry: string, path: string): boolean {
  if (entry === '*' || entry === path) return true
  const bare = entry.endsWith('*') ? entry.slice(0, -1) : entry
  return path.startsWith(bare.endsWith('/') ? bare : `${bare}/`)
}

/** Specification 2.5. */
export const matchesUrls = ({ nonResourceURLs }: NonResourceRule, { path }: RequestInfo): boolean =>
  (nonResourceURLs ?? []).some((entry) => matchesUrl(entry, path))

export const matchesNonResourceRule = (rule: NonResourceRule, info: RequestInfo): boolean =>
  matchesVerb(rule, info) && matchesUrls(rule, info)

function matchesRules(rules: PolicyRules, { user, info }: RequestDigest): boolean {
  if (!(rules.subjects ?? []).some((subject) => matchesSubject(subject, user))) return false
  return info.isResource
    ? (rules.resourceRules ?? []).some((rule) => matchesResourceRule(rule, info))
    : (rules.nonResourceRules ?? []).some((rule) => matchesNonResourceRule(rule, info))
}

/** Whether any rule of the schema matches, whatever level it refers to. */
export const matchesFlowSchema = ({ spec }: FlowSchema, digest: RequestDigest): boolean =>
  (spec.rules ?? []).some((rules) => matchesRules(rules, digest))

/** An unsigned 64-bit hash in two unsigned 32-bit words. */
export interface Hash64 {
  readonly hi: number
  readonly lo: number
}

export const hashFromBigInt = (value: bigint): Hash64 => ({
  hi: Number(BigInt.asUintN(32, value >> 32n)),
  lo: Number(BigInt.asUintN(32, value)),
})
export const hashToBigInt = ({ hi, lo }: Hash64): bigint => (BigInt(hi) << 32n) | BigInt(lo)

/** A flow: the requests that share the hand dealt by its hash. */
export interface Flow {
  readonly distinguisher: string
  readonly hash: Hash64
}

/** First eight bytes of the SHA-256 of name, NUL, distinguisher, as a little-endian number (specification 2.7). */
export function flowHash(schemaName: string, distinguisher: string): Hash64 {
  const digest = sha256(utf8ToBytes(`${schemaName}\0${distinguisher}`))
  const view = new DataView(digest.buffer, digest.byteOffset)
  return { lo: view.getUint32(0, true), hi: view.getUint32(4, true) }
}

const NO_FLOW: Flow = { distinguisher: '', hash: { hi: 0, lo: 0 } }

/** The value that distinguishes the flows of a schema (specification 2.6). */
export function distinguisherOf({ spec }: FlowSchema, { user, info }: RequestDigest): string {
  switch (spec.distinguisherMethod?.type) {
    case 'ByUser':
      return user.name
    case 'ByNamespace':
      return info.namespace
    default:
      return ''
  }
}

/**
 * The flow of a request in a level with `queues` queues. Where there is no queue to choose, none is computed (trap T35).
 */
export function flowOf(schema: FlowSchema, digest: RequestDigest, queues: number): Flow {
  if (queues <= 1) return NO_FLOW
  const distinguisher = distinguisherOf(schema, digest)
  return { distinguisher, hash: flowHash(schema.metadata.name, distinguisher) }
}

/** The condition that reports whether a schema's level exists (specification 7.6). */
const DANGLING = 'Dangling'

/** The flow schemas that take part in classification, and those that do not because their level does not exist. */
interface FlowSchemaOrder {
  /** In matching order, missing mandatory schemas added. */
  readonly order: readonly FlowSchema[]
  readonly dangling: readonly FlowSchema[]
}

/** Sorted by precedence, then name by code point; matches bytewise order of UTF-8 for names that the API admits. */
export const inMatchingOrder = (a: FlowSchema, b: FlowSchema): number =>
  a.spec.matchingPrecedence - b.spec.matchingPrecedence || byCodeUnits(a.metadata.name, b.metadata.name)

/**
 * Orders the schemas whose level is among `levels` (specification 2.2, 7.3). A built-in stand-in for a missing or dangling
 * mandatory schema comes first (exempt) or last (catch-all), whatever its precedence (trap T37).
 */
export function orderFlowSchemas(schemas: readonly FlowSchema[], levels: ReadonlySet<string>): FlowSchemaOrder {
  const refersToLevel = ({ spec }: FlowSchema): boolean => levels.has(spec.priorityLevelConfiguration.name)
  const usable = schemas.filter(refersToLevel).toSorted(inMatchingOrder)
  const builtIn = (name: string): FlowSchema[] =>
    usable.some(({ metadata }) => metadata.name === name)
      ? []
      : mandatorySchemas.filter(({ metadata }) => metadata.name === name)
  return {
    order: [...builtIn(EXEMPT), ...usable, ...builtIn(CATCH_ALL)],
    dangling: schemas.filter((schema) => !refersToLevel(schema)),
  }
}

/**
 * The first schema that matches. When none does, which requires a user in neither of the two system groups, the one
 * named catch-all is returned anyway.
 */
export function classify(order: readonly FlowSchema[], digest: RequestDigest): FlowSchema {
  const matching = order.find((schema) => matchesFlowSchema(schema, digest))
  const schema = matching ?? objectNamed(order, CATCH_ALL)
  if (schema === undefined) throw new Error('the order contains no catch-all schema')
  return schema
}

/** The Dangling condition that the schema must have; `undefined` when it already has it (specification 7.6). */
export function danglingCondition(schema: FlowSchema, found: boolean): Condition | undefined {
  const level = JSON.stringify(schema.spec.priorityLevelConfiguration.name)
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named ${level}`
  const wanted: Condition = found
    ? { type: DANGLING, status: 'False', reason: 'Found', message: `${reference} and it exists` }
    : { type: DANGLING, status: 'True', reason: 'NotFound', message: `${reference} but there is no such object` }
  const present = schema.status?.conditions?.find(({ type }) => type === DANGLING)
  const same =
    present?.status === wanted.status && present?.reason === wanted.reason && present?.message === wanted.message
  return same ? undefined : wanted
}
