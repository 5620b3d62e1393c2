import { z } from 'zod'
import { withoutNulls } from './content.ts'
import type { Kind } from './objects.ts'

/**
 * The two kinds as an API server stores them, for messages between the two sides: complete types, nothing defaulted,
 * nothing validated. Unknown fields are kept: an object that is edited and applied must not lose a field of a later
 * Kubernetes version.
 */
const names = z.array(z.string())
const whole = z.number().int()

const MetadataSchema = z.looseObject({
  name: z.string(),
  uid: z.string().exactOptional(),
  resourceVersion: z.string().exactOptional(),
  generation: whole.exactOptional(),
  annotations: z.record(z.string(), z.string()).exactOptional(),
  labels: z.record(z.string(), z.string()).exactOptional(),
  creationTimestamp: z.string().exactOptional(),
  managedFields: z
    .array(
      z.looseObject({
        manager: z.string().exactOptional(),
        operation: z.string().exactOptional(),
        subresource: z.string().exactOptional(),
        time: z.string().exactOptional(),
        fieldsV1: z.unknown().exactOptional(),
      }),
    )
    .exactOptional(),
})

const StatusSchema = z.object({
  conditions: z
    .array(
      z.looseObject({
        type: z.string(),
        status: z.string(),
        reason: z.string().exactOptional(),
        message: z.string().exactOptional(),
        lastTransitionTime: z.string().exactOptional(),
      }),
    )
    .exactOptional(),
})

export const PriorityLevelConfigurationSchema = z.object({
  metadata: MetadataSchema,
  spec: z.looseObject({
    type: z.string(),
    limited: z
      .looseObject({
        nominalConcurrencyShares: whole.exactOptional(),
        lendablePercent: whole.exactOptional(),
        borrowingLimitPercent: whole.exactOptional(),
        limitResponse: z.looseObject({
          type: z.string(),
          queuing: z.looseObject({ queues: whole, handSize: whole, queueLengthLimit: whole }).exactOptional(),
        }),
      })
      .exactOptional(),
    exempt: z
      .looseObject({ nominalConcurrencyShares: whole.exactOptional(), lendablePercent: whole.exactOptional() })
      .exactOptional(),
  }),
  status: StatusSchema.exactOptional(),
})

const PolicyRulesSchema = z.looseObject({
  subjects: z.array(
    z.looseObject({
      kind: z.string(),
      user: z.looseObject({ name: z.string() }).exactOptional(),
      group: z.looseObject({ name: z.string() }).exactOptional(),
      serviceAccount: z.looseObject({ namespace: z.string(), name: z.string() }).exactOptional(),
    }),
  ),
  resourceRules: z
    .array(
      z.looseObject({
        verbs: names,
        apiGroups: names,
        resources: names,
        clusterScope: z.boolean().exactOptional(),
        namespaces: names.exactOptional(),
      }),
    )
    .exactOptional(),
  nonResourceRules: z.array(z.looseObject({ verbs: names, nonResourceURLs: names })).exactOptional(),
})

export const FlowSchemaSchema = z.object({
  metadata: MetadataSchema,
  spec: z.looseObject({
    priorityLevelConfiguration: z.looseObject({ name: z.string() }),
    matchingPrecedence: whole,
    distinguisherMethod: z.looseObject({ type: z.string() }).exactOptional(),
    rules: z.array(PolicyRulesSchema).exactOptional(),
  }),
  status: StatusSchema.exactOptional(),
})

export const ObjectSetSchema = z.object({
  levels: z.array(PriorityLevelConfigurationSchema),
  schemas: z.array(FlowSchemaSchema),
})

/** Objects in the form used in messages. */
export type StoredSet = z.infer<typeof ObjectSetSchema>
type StoredLevel = StoredSet['levels'][number]
type StoredSchema = StoredSet['schemas'][number]
export type Stored<K extends Kind> = K extends 'FlowSchema' ? StoredSchema : StoredLevel

/**
 * An object from the API, or `undefined` when it does not have the shape of its kind. For managed fields only the
 * managers are kept: the sets of paths are as large as the objects.
 */
export function readStored<K extends Kind>(kind: K, value: unknown): Stored<K> | undefined
export function readStored(kind: Kind, value: unknown): StoredLevel | StoredSchema | undefined {
  const schema = kind === 'FlowSchema' ? FlowSchemaSchema : PriorityLevelConfigurationSchema
  const parsed = schema.safeParse(withoutNulls(value))
  if (!parsed.success) return undefined
  const { managedFields, ...metadata } = parsed.data.metadata
  if (managedFields === undefined) return parsed.data
  const managers = managedFields.map(({ manager, operation, subresource, time }) => ({
    ...(manager !== undefined && { manager }),
    ...(operation !== undefined && { operation }),
    ...(subresource !== undefined && { subresource }),
    ...(time !== undefined && { time }),
  }))
  return { ...parsed.data, metadata: { ...metadata, managedFields: managers } }
}
