import type { z } from 'zod'
import { withoutNulls } from './content.ts'
import type { Kind } from './objects.ts'
import { FlowSchemaSchema, type ObjectSetSchema, PriorityLevelConfigurationSchema } from './schema.ts'

/** Objects in the shape in which messages carry them. */
export type StoredSet = z.infer<typeof ObjectSetSchema>
export type StoredLevel = StoredSet['levels'][number]
export type StoredSchema = StoredSet['schemas'][number]
export type Stored<K extends Kind> = K extends 'FlowSchema' ? StoredSchema : StoredLevel

/**
 * An object as the API gives it, or `undefined` when it has not the shape of its kind. Of the managers' fields only whose
 * they are is kept: the sets of paths are as large as the objects.
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
