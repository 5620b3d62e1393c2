import {
  isJsonObject,
  readText,
  wrongType,
  type Read,
  readAnything,
  readLong,
  readTexts,
  readTime,
} from './jsonValues.ts'
import { type Finding, anyOf, quoted, rejected } from './finding.ts'
import { readAs, type Members } from './members.ts'
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
 * The result for a JSON value. `decoded` is absent when a value has a wrong type, because the server then rejects it as
 * a whole; unknown fields are findings and the rest is decoded.
 */
export interface DecodedObject {
  readonly decoded?: TypedObject
  readonly findings: readonly Finding[]
}

/**
 * Decodes a JSON value as an object of version v1, like the server (specification 1.2, 1.3): `null` is absent, absent
 * members are 0 or empty, no defaults are filled in and nothing is validated. Unknown fields are errors, because
 * applying rejects them (`fieldValidation=Strict`, also kubectl's default). Never throws.
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
      ? rejected('kind', 'FieldValueRequired', `The object has no kind: ${mend}.`)
      : rejected('kind', 'FieldValueNotSupported', `kind cannot be ${quoted(text)} in this group: ${mend}.`),
  )
  return undefined
}

const readKindOf = (kind: Kind, value: unknown, findings: Finding[]): TypedObject =>
  kind === 'FlowSchema'
    ? { kind, object: readFlowSchema(value, '', findings) }
    : { kind, object: readLevel(value, '', findings) }

const readFlowSchema: Read<FlowSchema> = readAs((members) => objectWith(members, readFlowSchemaSpec))
const readLevel: Read<PriorityLevelConfiguration> = readAs((members) => objectWith(members, readLevelSpec))

function objectWith<S>(members: Members, readSpec: Read<S>) {
  members.check('apiVersion', readText)
  members.check('kind', readText)
  return {
    metadata: members.nested('metadata', readMetadata),
    spec: members.nested('spec', readSpec),
    ...members.given('status', readStatus),
  }
}

/**
 * `metadata`, which is the same for both kinds. Members that the console does not use are checked for their type and
 * dropped.
 */
const readMetadata: Read<ObjectMeta> = readAs((members) => {
  // A cluster-scoped object has no namespace: the server drops one that is given.
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

/** `spec` of a level; absent members are absent, and members that the server always has are 0 or empty. */
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
