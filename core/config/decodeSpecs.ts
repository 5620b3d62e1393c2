import { readAs } from './jsonReader.ts'
import { readText, type Read } from './jsonValues.ts'
import type {
  ExemptSpec,
  FlowSchemaSpec,
  LimitedSpec,
  LimitResponse,
  NonResourceRule,
  PolicyRules,
  PriorityLevelSpec,
  Queuing,
  ResourceRule,
  Subject,
} from './objects.ts'

/** `spec` of a level; what is absent is absent, and members that the server always has are 0 or empty. */
export const readLevelSpec: Read<PriorityLevelSpec> = readAs((members) => ({
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
export const readFlowSchemaSpec: Read<FlowSchemaSpec> = readAs((members) => ({
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
