/**
 * The two kinds of group flowcontrol.apiserver.k8s.io, version v1 (specification 1.2, 1.3), as the API returns them:
 * absent members are absent, nothing is defaulted.
 */
export interface ObjectMeta {
  /** Empty where the server generates one from `generateName`. */
  readonly name: string
  readonly generateName?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly annotations?: Readonly<Record<string, string>>
  readonly labels?: Readonly<Record<string, string>>
  readonly creationTimestamp?: string
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
  readonly managedFields?: readonly ManagedFields[]
}

/** An object whose deletion also deletes this one. */
export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** Who last wrote which fields, as recorded by the server; `fieldsV1` is its set of paths. */
export interface ManagedFields {
  readonly manager?: string
  readonly operation?: string
  readonly subresource?: string
  readonly time?: string
  readonly fieldsV1?: unknown
}

export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

export interface Subject {
  readonly kind: string
  readonly user?: { readonly name: string }
  readonly group?: { readonly name: string }
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
}
export interface ResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly clusterScope?: boolean
  readonly namespaces?: readonly string[]
}
export interface NonResourceRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs: readonly string[]
}
export interface PolicyRules {
  readonly subjects: readonly Subject[]
  readonly resourceRules?: readonly ResourceRule[]
  readonly nonResourceRules?: readonly NonResourceRule[]
}
export interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: { readonly name: string }
  readonly matchingPrecedence: number
  readonly distinguisherMethod?: { readonly type: string }
  readonly rules?: readonly PolicyRules[]
}
export interface FlowSchema {
  readonly metadata: ObjectMeta
  readonly spec: FlowSchemaSpec
  readonly status?: { readonly conditions?: readonly Condition[] }
}

export interface Queuing {
  readonly queues: number
  readonly handSize: number
  readonly queueLengthLimit: number
}
export interface LimitResponse {
  readonly type: string
  readonly queuing?: Queuing
}
export interface LimitedSpec {
  readonly nominalConcurrencyShares?: number
  readonly limitResponse: LimitResponse
  readonly lendablePercent?: number
  readonly borrowingLimitPercent?: number
}
export interface ExemptSpec {
  readonly nominalConcurrencyShares?: number
  readonly lendablePercent?: number
}
export interface PriorityLevelSpec {
  readonly type: string
  readonly limited?: LimitedSpec
  readonly exempt?: ExemptSpec
}
export interface PriorityLevelConfiguration {
  readonly metadata: ObjectMeta
  readonly spec: PriorityLevelSpec
  readonly status?: { readonly conditions?: readonly Condition[] }
}

export const KINDS = ['PriorityLevelConfiguration', 'FlowSchema'] as const
export type Kind = (typeof KINDS)[number]

/** A whole configuration. */
export interface ObjectSet {
  readonly levels: readonly PriorityLevelConfiguration[]
  readonly schemas: readonly FlowSchema[]
}

/** The one of that name. */
export const objectNamed = <T extends { readonly metadata: { readonly name: string } }>(
  objects: readonly T[] | undefined,
  name: string | undefined,
): T | undefined => objects?.find(({ metadata }) => metadata.name === name)

/** The object of a configuration. */
export const objectOf = (
  { levels, schemas }: ObjectSet,
  { kind, name }: { readonly kind: Kind; readonly name: string },
): FlowSchema | PriorityLevelConfiguration | undefined =>
  objectNamed<FlowSchema | PriorityLevelConfiguration>(kind === 'FlowSchema' ? schemas : levels, name)

/** Names of the mandatory level and schema without limits, and of those for requests that no other schema matches. */
export const EXEMPT = 'exempt'
export const CATCH_ALL = 'catch-all'

/** Whether the API server restores the built-in object to the state of its release. */
export const AUTOUPDATE_ANNOTATION = 'apf.kubernetes.io/autoupdate-spec'

/** The field manager of the API server's reconciler (`metadata.managedFields`). */
export const RECONCILER = 'api-priority-and-fairness-config-producer-v1'

/** Who wrote an object, by its field manager. */
export const writerName = (manager: string): string =>
  manager === RECONCILER ? 'the API server’s reconciler' : manager

/**
 * In version v1beta3: whether 0 shares are intended and not the default. Versions before and after it do not have it.
 */
export const PRESERVE_ZERO_ANNOTATION = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares'

/** Defaults that the API server fills in (specification 1.2, 1.3). */
const DEFAULT_MATCHING_PRECEDENCE = 1_000
export const DEFAULT_SHARES = 30
export const DEFAULT_QUEUING: Queuing = { queues: 64, handSize: 8, queueLengthLimit: 50 }

/**
 * A schema as the server stores it: absent or 0 members have their defaults (specification 1.2). Returns the same
 * object if there is nothing to fill in.
 */
export function defaultFlowSchema(schema: FlowSchema): FlowSchema {
  if (schema.spec.matchingPrecedence !== 0) return schema
  return { ...schema, spec: { ...schema.spec, matchingPrecedence: DEFAULT_MATCHING_PRECEDENCE } }
}

/**
 * A level as the server stores it: absent numbers have their defaults (specification 1.3). Only members are filled in:
 * `limited`, `exempt` and `queuing` are never created.
 */
export const defaultLevel = (level: PriorityLevelConfiguration): PriorityLevelConfiguration => ({
  ...level,
  spec: defaultLevelSpec(level.spec),
})

const defaultLevelSpec = (spec: PriorityLevelSpec): PriorityLevelSpec => ({
  ...spec,
  ...(spec.limited !== undefined && { limited: defaultLimited(spec.limited) }),
  ...(spec.exempt !== undefined && { exempt: defaultExempt(spec.exempt) }),
})

const defaultExempt = (exempt: ExemptSpec): ExemptSpec => ({
  nominalConcurrencyShares: exempt.nominalConcurrencyShares ?? 0,
  lendablePercent: exempt.lendablePercent ?? 0,
})

function defaultLimited(limited: LimitedSpec): LimitedSpec {
  const { queuing } = limited.limitResponse
  return {
    ...limited,
    nominalConcurrencyShares: limited.nominalConcurrencyShares ?? DEFAULT_SHARES,
    lendablePercent: limited.lendablePercent ?? 0,
    limitResponse: { ...limited.limitResponse, ...(queuing !== undefined && { queuing: defaultQueuing(queuing) }) },
  }
}

/** For these three an explicit 0 counts as absent. */
const defaultQueuing = ({ queues, handSize, queueLengthLimit }: Queuing): Queuing => ({
  queues: queues || DEFAULT_QUEUING.queues,
  handSize: handSize || DEFAULT_QUEUING.handSize,
  queueLengthLimit: queueLengthLimit || DEFAULT_QUEUING.queueLengthLimit,
})
