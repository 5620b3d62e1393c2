import { z } from 'zod'
import { MOST_REQUEST_TESTS } from '../bounds.ts'
import { REASONS } from '../config/finding.ts'
import { KINDS } from '../config/objects.ts'
import { ObjectSetSchema } from '../config/schema.ts'
import { ForecastReportSchema } from './forecast.ts'
import { ProblemSchema } from '../problem.ts'
import { SentFileSchema, TargetSchema } from './source.ts'

/**
 * FlowSchemas and PriorityLevelConfigurations of the connected source, and everything that changes them. A change is
 * proposed as whole objects; applied changes are stored as `{from, to}` values, so that they can be reverted.
 */

/** Whether the objects may be changed. Off after every connect. */
export const EditingSchema = z.discriminatedUnion('state', [
  /**
   * Nothing that is connected can be changed; `why` is a sentence. `role`: the ClusterRole and binding that would allow
   * it, as YAML; once it is applied, switching editing on checks the permissions again.
   */
  z.object({ state: z.literal('impossible'), why: z.string(), role: z.string().exactOptional() }),
  z.object({ state: z.literal('off') }),
  z.object({
    state: z.literal('on'),
    since: z.string(),
    /** The user that the server authenticates the console as, if it reports that. */
    user: z.object({ name: z.string(), groups: z.array(z.string()) }).exactOptional(),
  }),
])
export type Editing = z.infer<typeof EditingSchema>

export const ObjectsOriginSchema = z.enum(['cluster', 'simulation', 'proxy', 'feed', 'files', 'none'])
export type ObjectsOrigin = z.infer<typeof ObjectsOriginSchema>

export const ObjectsStateSchema = z.object({
  /** Id of the connection; 0 when nothing is connected. */
  connection: z.number(),
  /**
   * `proxy`: those of a proxy's own engine, which edits change; `feed`: those of a feed's engine, if no cluster
   * provides its own; `none`: the source has none (a metrics page alone).
   */
  origin: ObjectsOriginSchema,
  /** The edited target, as shown to the operator: `prod-eu-1 (https://10.20.0.10:6443)`. */
  target: z.string(),
  /** Stable name of the same target in the journal and in drafts. */
  targetKey: z.string(),
  /** `stale`: the last objects that were read, while the watch is broken. */
  state: z.enum(['loading', 'current', 'stale', 'unavailable']),
  /** gitVersion of the server, if known: built-in objects and validation depend on it. */
  version: z.string().exactOptional(),
  /** RFC 3339 of the last time that the objects were known to be current. */
  asOf: z.string().exactOptional(),
  /** Why they are unavailable or stale. */
  problem: ProblemSchema.exactOptional(),
  objects: ObjectSetSchema,
  editing: EditingSchema,
  /** A request of the console that the server's flow control rejected (429) and that is retried; see `Retry-After`. */
  waiting: z
    .object({
      /** RFC 3339 of the next retry. */
      until: z.string(),
      /** Number of that attempt, from 2. */
      attempt: z.number(),
      most: z.number(),
    })
    .exactOptional(),
})
export type ObjectsState = z.infer<typeof ObjectsStateSchema>

export const KindSchema = z.enum(KINDS)

/** A JSON object of a manifest, of any shape: the server's validation of it is part of the response. */
const ManifestObjectSchema = z.record(z.string(), z.unknown())

/** The desired state of one object: as in `object` (of apiVersion flowcontrol.apiserver.k8s.io/v1), or deleted. */
export const ObjectChangeSchema = z.object({
  kind: KindSchema,
  name: z.string().min(1).max(253),
  /** `null` deletes. */
  object: ManifestObjectSchema.nullable(),
  /**
   * The version that the change was made from; a server that has another one responds with a conflict. Absent: create.
   */
  base: z.object({ uid: z.string(), resourceVersion: z.string() }).exactOptional(),
})
export type ObjectChange = z.infer<typeof ObjectChangeSchema>

export const CauseSchema = z.object({ field: z.string(), reason: z.enum(REASONS).or(z.string()), message: z.string() })
export type Cause = z.infer<typeof CauseSchema>

/** The server's result for one change, dry run or not. */
export const ChangeVerdictSchema = z.object({
  kind: KindSchema,
  name: z.string(),
  /**
   * `conflict`: another writer changed or owns what the change touches; nothing was done. `rejected`: by validation or
   * admission. `throttled`: by flow control (429), so nothing was done. `failed`: no response, so the outcome is
   * unknown. `skipped`: an earlier one stopped it.
   */
  outcome: z.enum(['accepted', 'unchanged', 'conflict', 'rejected', 'forbidden', 'throttled', 'failed', 'skipped']),
  /** The object as the server stores or would store it. */
  object: ManifestObjectSchema.exactOptional(),
  /** Fields that the server names. */
  causes: z.array(CauseSchema),
  /** Other field managers that own fields set by the change. */
  conflicts: z.array(z.object({ manager: z.string(), field: z.string(), message: z.string() })),
  /** The current object on the server, if it is not the one that the change was made from. */
  theirs: ManifestObjectSchema.exactOptional(),
  /** Warnings of the server (header Warning). */
  warnings: z.array(z.string()),
  /** Sentences: where our own validation had another result. The server's result counts. */
  differences: z.array(z.string()),
  problem: ProblemSchema.exactOptional(),
})
export type ChangeVerdict = z.infer<typeof ChangeVerdictSchema>

export const CheckReportSchema = z.object({ at: z.string(), verdicts: z.array(ChangeVerdictSchema) })
export type CheckReport = z.infer<typeof CheckReportSchema>

/** How a change of the journal is sent: for the first time, reverted, or again. */
export const WaySchema = z.enum(['apply', 'undo', 'redo'])
export type Way = z.infer<typeof WaySchema>

/** One object of a change in the journal; `null` if there was or is none. */
export const AppliedChangeSchema = z.object({
  kind: KindSchema,
  name: z.string(),
  from: ManifestObjectSchema.nullable(),
  to: ManifestObjectSchema.nullable(),
  /** After the change; absent after a deletion. */
  resourceVersion: z.string().exactOptional(),
  /**
   * `not-applied`: the server does not have it, because nothing was sent yet or the console ended before it was
   * applied. `unknown`: the console ended before the response, and the object matches neither the state before nor the
   * state after.
   */
  state: z.enum(['applied', 'undone', 'not-applied', 'unknown']),
  /**
   * Written before the change is sent, and removed with its outcome. `console`: id of the one that sends it; once that
   * console has ended, another one determines the outcome from the object.
   */
  sending: z
    .object({ way: WaySchema, at: z.string(), console: z.string(), pid: z.number(), fieldManager: z.string() })
    .exactOptional(),
  /** How the object now differs from its state after the change; absent if it does not, or if that is unknown. */
  since: z
    .object({
      /** `taken-back`: it is again as it was before the change. */
      what: z.enum(['taken-back', 'changed', 'deleted', 'created']),
      /** Field manager of the latest change, as the server reports it. */
      by: z.string().exactOptional(),
      at: z.string().exactOptional(),
    })
    .exactOptional(),
})
export type AppliedChange = z.infer<typeof AppliedChangeSchema>

/** A set of changes that was applied together. */
export const JournalEntrySchema = z.object({
  id: z.string(),
  at: z.string(),
  target: z.string(),
  targetKey: z.string(),
  user: z.string().exactOptional(),
  label: z.string(),
  changes: z.array(AppliedChangeSchema).min(1),
})
export type JournalEntry = z.infer<typeof JournalEntrySchema>

/** Changes of an entry that can now be sent in that way. */
export const changesToSend = ({ changes }: Pick<JournalEntry, 'changes'>, way: 'undo' | 'redo'): AppliedChange[] =>
  changes.filter(({ state, sending }) => sending === undefined && state === (way === 'undo' ? 'applied' : 'undone'))

export const ApplyReportSchema = CheckReportSchema.extend({
  /** Present when at least one object was changed. */
  entry: JournalEntrySchema.exactOptional(),
})
export type ApplyReport = z.infer<typeof ApplyReportSchema>

export const ApplyRequestSchema = z.object({
  changes: z.array(ObjectChangeSchema).min(1).max(1_000),
  /** Its name in the journal. */
  label: z.string().max(200).exactOptional(),
  /** Force ownership of fields of other managers. */
  force: z.boolean().default(false),
  /** Measures the effect of the edit on a server and compares it with the forecast of this edit. */
  watch: z.object({ server: z.string(), forecast: ForecastReportSchema.exactOptional() }).exactOptional(),
})
/** The server and the forecast for which an edit is watched. */
export type WatchRequest = NonNullable<z.infer<typeof ApplyRequestSchema>['watch']>

/** A draft as it is stored across restarts: one text for each object that is being changed. */
export const DraftSchema = z.object({
  entries: z
    .array(
      z.object({
        kind: KindSchema,
        /** Name at the start of the edit; the text may contain another one. */
        name: z.string(),
        /** YAML of the whole object; `null` to delete it. */
        text: z.string().max(1_000_000).nullable(),
        /** The object that the edit started from; absent for a new one. */
        base: ManifestObjectSchema.exactOptional(),
      }),
    )
    .max(1_000),
  savedAt: z.string().exactOptional(),
})
export type Draft = z.infer<typeof DraftSchema>

/** A request to classify, with the fields of the form; also a row of the saved test table. */
export const RequestSampleSchema = z.object({
  user: z.string(),
  groups: z.array(z.string()),
  method: z.string(),
  /** Path and query. */
  url: z.string(),
})
export type RequestSample = z.infer<typeof RequestSampleSchema>

/** A row of the test table: a request that must continue to match the expected schema. */
export const RequestTestSchema = z.object({
  id: z.string(),
  label: z.string(),
  request: RequestSampleSchema,
  expect: z.object({ flowSchema: z.string(), priorityLevel: z.string() }).exactOptional(),
})
export type RequestTest = z.infer<typeof RequestTestSchema>

/** Rows to add or replace, by id, and ids of rows to remove: other windows may have changed the rest of the table. */
export const RequestTestsChangeSchema = z.object({
  put: z.array(RequestTestSchema).max(MOST_REQUEST_TESTS),
  remove: z.array(z.string()),
})
export type RequestTestsChange = z.infer<typeof RequestTestsChangeSchema>

/** Objects from elsewhere, to compare with. */
export const ElsewhereSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('cluster'), target: TargetSchema }),
  z.object({ kind: z.literal('files'), files: z.array(SentFileSchema).min(1) }),
])
export type Elsewhere = z.infer<typeof ElsewhereSchema>

export const ElsewhereObjectsSchema = z.object({
  name: z.string(),
  version: z.string().exactOptional(),
  objects: ObjectSetSchema,
  /** What could not be parsed, in sentences. */
  notes: z.array(z.string()),
})
export type ElsewhereObjects = z.infer<typeof ElsewhereObjectsSchema>
