import {
  isJsonObject,
  readText,
  wrongType,
  type Read,
  readAnything,
  readLong,
  readTexts,
  readTime,
  type JsonObject,
  readFlag,
  readList,
  readWhole,
} from './jsonValues.ts'
import { type Finding, anyOf, quoted, rejected, member } from './finding.ts'
import {
  KINDS,
  type FlowSchema,
  type Kind,
  type PriorityLevelConfiguration,
  type Condition,
  type ManagedFields,
  type ObjectMeta,
  type OwnerReference,
  type ExemptSpec,
  type FlowSchemaSpec,
  type LimitedSpec,
  type LimitResponse,
  type NonResourceRule,
  type PolicyRules,
  type PriorityLevelSpec,
  type Queuing,
  type ResourceRule,
  type Subject,
} from './objects.ts'

/** An object of version v1 and its kind. */
export type TypedObject =
  | { readonly kind: 'FlowSchema'; readonly object: FlowSchema }
  | { readonly kind: 'PriorityLevelConfiguration'; readonly object: PriorityLevelConfiguration }

/**
 * What became of a JSON value. `decoded` is absent when a value has a wrong type, for then the server reads none of it;
 * unknown fields are findings and the rest is decoded.
 */
export interface DecodedObject {
  readonly decoded?: TypedObject
  readonly findings: readonly Finding[]
}

/**
 * Reads a JSON value as an object of version v1, as the server reads it (specification 1.2, 1.3): `null` is absent,
 * what is absent is 0 or empty, nothing is defaulted and nothing judged. Unknown fields are errors, for applying is strict
 * about them (`fieldValidation=Strict`, also kubectl's own choice). Never throws.
 */
export function decodeObject(value: unknown): DecodedObject {
  if (!isJsonObject(value)) return { findings: [wrongType('', value, 'an object')] }
  const findings: Finding[] = []
  const kind = readKind(value['kind'], findings)
  const decoded = kind === undefined ? undefined : readKindOf(kind, value, findings)
  const broken = findings.some(({ reason }) => reason !== 'FieldUnknown')
  return decoded === undefined || broken ? { findings } : { decoded, findings }
}

function readKind(value: unknown, findings: Finding[]): Kind | undefined {
  const text = readText(value, 'kind', findings)
  const kind = KINDS.find((known) => known === text)
  if (kind !== undefined || findings.length > 0) return kind
  const mend = `set it to ${anyOf(KINDS)}`
  findings.push(
    text === ''
      ? rejected('kind', 'FieldValueRequired', `The object says no kind: ${mend}.`)
      : rejected('kind', 'FieldValueNotSupported', `kind cannot be ${quoted(text)} in this group: ${mend}.`),
  )
  return undefined
}

const readKindOf = (kind: Kind, value: unknown, findings: Finding[]): TypedObject =>
  kind === 'FlowSchema'
    ? { kind, object: readFlowSchema(value, '', findings) }
    : { kind, object: readLevel(value, '', findings) }

const readFlowSchema: Read<FlowSchema> = readAs((members) => {
  members.check('apiVersion', readText)
  members.check('kind', readText)
  return {
    metadata: members.nested('metadata', readMetadata),
    spec: members.nested('spec', readFlowSchemaSpec),
    ...members.given('status', readStatus),
  }
})

const readLevel: Read<PriorityLevelConfiguration> = readAs((members) => {
  members.check('apiVersion', readText)
  members.check('kind', readText)
  return {
    metadata: members.nested('metadata', readMetadata),
    spec: members.nested('spec', readLevelSpec),
    ...members.given('status', readStatus),
  }
})

/** `metadata` as every kind has it. What the console has no use for is checked for its type and dropped. */
const readMetadata: Read<ObjectMeta> = readAs((members) => {
  // A cluster-scoped object has no namespace: the server drops the one that is given.
  members.check('namespace', readText)
  members.check('selfLink', readText)
  members.check('deletionTimestamp', readTime)
  members.check('deletionGracePeriodSeconds', readLong)
  return {
    name: members.text('name'),
    ...members.someText('generateName'),
    ...members.someText('uid'),
    ...members.someText('resourceVersion'),
    ...members.given('generation', readLong),
    ...members.someMap('labels', readTexts),
    ...members.someMap('annotations', readTexts),
    ...members.given('creationTimestamp', readTime),
    ...members.someList('finalizers', readText),
    ...members.someList('ownerReferences', readOwner),
    ...members.someList('managedFields', readManagedFields),
  }
})

const readOwner: Read<OwnerReference> = readAs((members) => ({
  apiVersion: members.text('apiVersion'),
  kind: members.text('kind'),
  name: members.text('name'),
  uid: members.text('uid'),
  ...members.givenFlag('controller'),
  ...members.givenFlag('blockOwnerDeletion'),
}))

const readManagedFields: Read<ManagedFields> = readAs((members) => {
  members.check('apiVersion', readText)
  members.check('fieldsType', readText)
  return {
    ...members.someText('manager'),
    ...members.someText('operation'),
    ...members.someText('subresource'),
    ...members.given('time', readTime),
    ...members.given('fieldsV1', readAnything),
  }
})

/** `status`, which is the same for both kinds. The server ignores it in objects that are written. */
const readStatus: Read<{ readonly conditions?: readonly Condition[] }> = readAs((members) =>
  members.someList('conditions', readCondition),
)

const readCondition: Read<Condition> = readAs((members) => ({
  type: members.text('type'),
  status: members.text('status'),
  ...members.given('lastTransitionTime', readTime),
  ...members.someText('reason'),
  ...members.someText('message'),
}))

/** `spec` of a level; what is absent is absent, and members that the server always has are 0 or empty. */
const readLevelSpec: Read<PriorityLevelSpec> = readAs((members) => ({
  type: members.text('type'),
  ...members.given('limited', readLimited),
  ...members.given('exempt', readExempt),
}))

const readLimited: Read<LimitedSpec> = readAs((members) => ({
  ...members.givenWhole('nominalConcurrencyShares'),
  limitResponse: members.nested('limitResponse', readLimitResponse),
  ...members.givenWhole('lendablePercent'),
  ...members.givenWhole('borrowingLimitPercent'),
}))

const readExempt: Read<ExemptSpec> = readAs((members) => ({
  ...members.givenWhole('nominalConcurrencyShares'),
  ...members.givenWhole('lendablePercent'),
}))

const readLimitResponse: Read<LimitResponse> = readAs((members) => ({
  type: members.text('type'),
  ...members.given('queuing', readQueuing),
}))

const readQueuing: Read<Queuing> = readAs((members) => ({
  queues: members.whole('queues'),
  handSize: members.whole('handSize'),
  queueLengthLimit: members.whole('queueLengthLimit'),
}))

/** `spec` of a schema. */
const readFlowSchemaSpec: Read<FlowSchemaSpec> = readAs((members) => ({
  priorityLevelConfiguration: members.nested('priorityLevelConfiguration', readNamed),
  matchingPrecedence: members.whole('matchingPrecedence'),
  ...members.given('distinguisherMethod', readDistinguisher),
  ...members.someList('rules', readRules),
}))

const readNamed: Read<{ readonly name: string }> = readAs((members) => ({ name: members.text('name') }))

const readDistinguisher: Read<{ readonly type: string }> = readAs((members) => ({ type: members.text('type') }))

const readRules: Read<PolicyRules> = readAs((members) => ({
  subjects: members.list('subjects', readSubject),
  ...members.someList('resourceRules', readResourceRule),
  ...members.someList('nonResourceRules', readNonResourceRule),
}))

const readSubject: Read<Subject> = readAs((members) => ({
  kind: members.text('kind'),
  ...members.given('user', readNamed),
  ...members.given('group', readNamed),
  ...members.given('serviceAccount', readServiceAccount),
}))

const readServiceAccount: Read<NonNullable<Subject['serviceAccount']>> = readAs((members) => ({
  namespace: members.text('namespace'),
  name: members.text('name'),
}))

const readResourceRule: Read<ResourceRule> = readAs((members) => ({
  verbs: members.list('verbs', readText),
  apiGroups: members.list('apiGroups', readText),
  resources: members.list('resources', readText),
  ...members.someFlag('clusterScope'),
  ...members.someList('namespaces', readText),
}))

const readNonResourceRule: Read<NonResourceRule> = readAs((members) => ({
  verbs: members.list('verbs', readText),
  nonResourceURLs: members.list('nonResourceURLs', readText),
}))

/** A member for an object literal: `{ [key]: value }`, or nothing. */
type Optional<K extends string, T> = { readonly [P in K]?: T }

/**
 * Reads an object as the API server decodes it: what is absent or `null` is empty, names are case sensitive, and a member
 * that `build` does not ask for is a finding. `undefined` and `null` have no members; that something else is no object is
 * a finding.
 */
function readAs<T>(build: (members: MemberReader) => T): Read<T> {
  return (value, at, findings) => {
    if (value !== undefined && value !== null && !isJsonObject(value)) findings.push(wrongType(at, value, 'an object'))
    const members = new MemberReader(isJsonObject(value) ? value : {}, at, findings)
    const built = build(members)
    members.end()
    return built
  }
}

/** The members of one object. */
class MemberReader {
  readonly #object: JsonObject
  readonly #at: string
  readonly #findings: Finding[]
  readonly #asked: string[] = []

  constructor(object: JsonObject, at: string, findings: Finding[]) {
    this.#object = object
    this.#at = at
    this.#findings = findings
  }

  text(key: string): string {
    return this.nested(key, readText)
  }

  whole(key: string): number {
    return this.nested(key, readWhole)
  }

  list<T>(key: string, read: Read<T>): readonly T[] {
    return this.nested(key, readList(read))
  }

  nested<T>(key: string, read: Read<T>): T {
    this.#asked.push(key)
    return read(this.#own(key), member(this.#at, key), this.#findings)
  }

  // Members that the server stores only when they say something: an empty text or list and `false` become absent.

  someText<K extends string>(key: K): Optional<K, string> {
    const text = this.text(key)
    return text === '' ? {} : only(key, text)
  }

  someFlag<K extends string>(key: K): Optional<K, boolean> {
    const flag = this.nested(key, readFlag)
    return flag ? only(key, flag) : {}
  }

  someList<K extends string, T>(key: K, read: Read<T>): Optional<K, readonly T[]> {
    const list = this.list(key, read)
    return list.length === 0 ? {} : only(key, list)
  }

  someMap<K extends string, T extends object>(key: K, read: Read<T>): Optional<K, T> {
    const map = this.nested(key, read)
    return Object.keys(map).length === 0 ? {} : only(key, map)
  }

  // Members of which the server tells absent ones from 0, `false` and an empty object.

  given<K extends string, T>(key: K, read: Read<T>): Optional<K, T> {
    const value = this.nested(key, read)
    return this.#own(key) === undefined || this.#own(key) === null ? {} : only(key, value)
  }

  givenWhole<K extends string>(key: K): Optional<K, number> {
    return this.given(key, readWhole)
  }

  givenFlag<K extends string>(key: K): Optional<K, boolean> {
    return this.given(key, readFlag)
  }

  /** A member that must have its type and that the console does not keep. */
  check(key: string, read: Read<unknown>): void {
    this.nested(key, read)
  }

  /** Reports every member that was not asked for. */
  end(): void {
    for (const key of Object.keys(this.#object)) {
      if (!this.#asked.includes(key)) this.#findings.push(unknownMember(this.#at, key, this.#asked))
    }
  }

  #own(key: string): unknown {
    return Object.hasOwn(this.#object, key) ? this.#object[key] : undefined
  }
}

function only<K extends string, T>(key: K, value: T): Optional<K, T>
function only(key: string, value: unknown): JsonObject {
  return { [key]: value }
}

function unknownMember(at: string, key: string, known: readonly string[]): Finding {
  const meant = known.find((name) => name.toLowerCase() === key.toLowerCase())
  const mend = meant === undefined ? 'remove it or correct its name' : `write ${quoted(meant)}`
  const field = /[.[\]]/.test(key) ? `${at}[${key}]` : member(at, key)
  return rejected(field, 'FieldUnknown', `There is no field ${quoted(key)} ${placeOf(at)}: ${mend}.`)
}

const placeOf = (at: string): string => (at === '' ? 'at the top of the object' : `in ${at}`)
