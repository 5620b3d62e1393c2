import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { FLOW_CONTROL_GROUP, type ReviewContext } from './accessReview.ts'
import { getJson } from './json.ts'

const MetadataSchema = z.object({ name: z.string(), uid: z.string() })

const SchemaObjectSchema = z.object({
  metadata: MetadataSchema,
  spec: z.object({
    matchingPrecedence: z.number(),
    priorityLevelConfiguration: z.object({ name: z.string() }),
    rules: z
      .array(z.object({ resourceRules: z.array(z.object({ apiGroups: z.array(z.string()).optional() })).optional() }))
      .optional(),
  }),
})
const LevelObjectSchema = z.object({ metadata: MetadataSchema, spec: z.object({ type: z.string() }) })

export type SchemaObject = z.infer<typeof SchemaObjectSchema>
export type LevelObject = z.infer<typeof LevelObjectSchema>

/** Where the server put a request of the console: from the headers of its answer (specification 4.14). */
export interface FlowUids {
  readonly schema: string
  readonly level: string
}

export function flowUids(headers: IncomingHttpHeaders): FlowUids | undefined {
  const schema = headers['x-kubernetes-pf-flowschema-uid']
  const level = headers['x-kubernetes-pf-prioritylevel-uid']
  return typeof schema === 'string' && typeof level === 'string' ? { schema, level } : undefined
}

/** Which schema and level the console's own requests fall into, and whether other work shares that level. */
export interface OwnFlow {
  readonly schema: string
  readonly precedence: number
  readonly level: string
  readonly exempt: boolean
  readonly shared: boolean
}

/** Resolves the headers through the objects; `undefined` when these may not be listed or do not hold them. */
export async function readOwnFlow(context: ReviewContext, uids: FlowUids): Promise<OwnFlow | undefined> {
  const schemas = await list(context, 'flowschemas', SchemaObjectSchema)
  const levels = await list(context, 'prioritylevelconfigurations', LevelObjectSchema)
  return schemas === undefined || levels === undefined ? undefined : findOwnFlow(uids, schemas, levels)
}

export function findOwnFlow(
  uids: FlowUids,
  schemas: readonly SchemaObject[],
  levels: readonly LevelObject[],
): OwnFlow | undefined {
  const schema = schemas.find((candidate) => candidate.metadata.uid === uids.schema)
  const level = levels.find((candidate) => candidate.metadata.uid === uids.level)
  if (schema === undefined || level === undefined) return undefined
  const { name } = level.metadata
  const feeding = schemas.filter((candidate) => candidate.spec.priorityLevelConfiguration.name === name)
  return {
    schema: schema.metadata.name,
    precedence: schema.spec.matchingPrecedence,
    level: name,
    exempt: level.spec.type === 'Exempt',
    shared: !feeding.every(isNarrow),
  }
}

/** A schema that admits only reads of the server itself and flow-control objects: no workload comes through it. */
function isNarrow({ spec }: SchemaObject): boolean {
  const groups = (spec.rules ?? []).flatMap((rule) => rule.resourceRules ?? []).flatMap((rule) => rule.apiGroups ?? [])
  return groups.every((group) => group === FLOW_CONTROL_GROUP)
}

async function list<T>(
  { base, settings }: ReviewContext,
  resource: string,
  item: z.ZodType<T>,
): Promise<readonly T[] | undefined> {
  const answer = await getJson({ url: new URL(`${base}/apis/${FLOW_CONTROL_GROUP}/v1/${resource}`), settings })
  if (!answer.ok) return undefined
  const parsed = z.object({ items: z.array(item) }).safeParse(answer.value)
  return parsed.success ? parsed.data.items : undefined
}
