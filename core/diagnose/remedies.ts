import { subjectOf } from '../classify/identity.ts'
import { isSuggested } from '../config/builtIn.ts'
import {
  AUTOUPDATE_ANNOTATION,
  defaultLevel,
  DEFAULT_QUEUING,
  type LimitedSpec,
  type ObjectMeta,
  type ObjectSet,
  objectNamed,
} from '../config/objects.ts'
import type { ProposedManifest } from '../contract/diagnosis.ts'
import { emptyObject } from '../draft/presets.ts'
import { freeName } from '../draft/draft.ts'
import { sharesForSeats } from '../impact/shareCalculator.ts'
import { writeManifest } from '../manifest/write.ts'
import type { DumpedFlow } from '../verdict/ledger.ts'
import type { Change } from './changes.ts'
import type { LevelFacts, ServerFacts } from './facts.ts'

/** What helps; the manifests are written for causes that are shown only. */
export interface Remedy {
  readonly text: string
  /** What is left of the text without the edit; empty if nothing is. */
  readonly withoutEdit: string
  readonly manifests: () => readonly ProposedManifest[]
}

/** The objects that an edit starts from, and the version of the server to which the built-in ones belong. */
export interface Known {
  readonly objects: ObjectSet | undefined
  readonly version: string | undefined
  /** Changes of the objects, oldest first. */
  readonly changes?: readonly Change[]
}

export const advice = (text: string, manifests: Remedy['manifests'] = () => [], withoutEdit = ''): Remedy => ({
  text,
  withoutEdit,
  manifests,
})

/** What a client can do, or an edit instead. */
export const either = (does: string, edit: string, manifests: Remedy['manifests']): Remedy =>
  advice(`${does}, or ${edit}.`, manifests, `${does}.`)

/** What takes a change back. */
export const undoing = ({ undo, subject, difference: { kind, name } }: Change): Remedy =>
  undo === undefined
    ? advice(`Delete ${subject}: it did not exist before (kubectl delete ${kind.toLowerCase()} ${name}).`)
    : advice(`Undo this change of ${subject}.`, undo)

/** The server restores built-in objects unless they carry this annotation. */
function keptMetadata({ name, annotations }: ObjectMeta, kind: ProposedManifest['kind'], version: string | undefined) {
  const own = version !== undefined && isSuggested(kind, name, version)
  const kept = { ...annotations, ...(own && { [AUTOUPDATE_ANNOTATION]: 'false' }) }
  return { name, ...(Object.keys(kept).length > 0 && { annotations: kept }) }
}

/** A level with another limited spec; nothing if the level is unknown. */
export function levelEdit(
  { objects, version }: Known,
  name: string,
  change: (limited: LimitedSpec) => LimitedSpec,
): readonly ProposedManifest[] {
  const found = objectNamed(objects?.levels, name)
  const level = found && defaultLevel(found)
  if (level?.spec.limited === undefined) return []
  const kind = 'PriorityLevelConfiguration'
  const metadata = keptMetadata(level.metadata, kind, version)
  const spec = { ...level.spec, limited: change(level.spec.limited) }
  return [{ kind, name, text: writeManifest(kind, { metadata, spec }) }]
}

/** A schema that divides its requests into flows differently. */
export function distinguisherEdit(
  { objects, version }: Known,
  name: string,
  type: 'ByUser' | 'ByNamespace',
): readonly ProposedManifest[] {
  const kind = 'FlowSchema'
  const schema = objectNamed(objects?.schemas, name)
  if (schema === undefined) return []
  const metadata = keptMetadata(schema.metadata, kind, version)
  return [
    { kind, name, text: writeManifest(kind, { metadata, spec: { ...schema.spec, distinguisherMethod: { type } } }) },
  ]
}

/** The shares with which a level owns the seats that it needs; nothing if they cannot be computed. */
export function moreShares(known: Known, server: ServerFacts, level: LevelFacts): readonly ProposedManifest[] {
  const { objects } = known
  const { last, now } = level
  const wanted = Math.ceil(Math.max(now.smoothed.last ?? 0, last.demand.highWatermark ?? 0, last.limits.nominal ?? 0))
  if (objects === undefined || server.limit === undefined) return []
  // Demand for more than half of the server cannot be met by shares alone.
  const nominal = Math.min(wanted, Math.floor(server.limit / 2))
  if (nominal <= (last.limits.nominal ?? 0)) return []
  const answer = sharesForSeats(objects, server.limit, level.name, nominal)
  if (!answer.possible) return []
  return levelEdit(known, level.name, (limited) => ({ ...limited, nominalConcurrencyShares: answer.sharesAfter }))
}

/** Queues with the capacity of those of a default level. */
export const longerQueues = (known: Known, level: string): readonly ProposedManifest[] =>
  levelEdit(known, level, (limited) => {
    const { queues, handSize, queueLengthLimit } = limited.limitResponse.queuing ?? DEFAULT_QUEUING
    const queuing = {
      queues,
      handSize,
      queueLengthLimit: Math.max(2 * queueLengthLimit, DEFAULT_QUEUING.queueLengthLimit),
    }
    return { ...limited, limitResponse: { type: 'Queue', queuing } }
  })

/** Queues few of which one busy flow covers. */
export const moreQueues = (known: Known, level: string): readonly ProposedManifest[] =>
  levelEdit(known, level, (limited) => {
    const length = limited.limitResponse.queuing?.queueLengthLimit ?? DEFAULT_QUEUING.queueLengthLimit
    const queuing = { queues: 128, handSize: 6, queueLengthLimit: length }
    return { ...limited, limitResponse: { type: 'Queue', queuing } }
  })

/** Whether a level was made to hold certain clients back: it serves named users only, and does not borrow. */
export function holdsBack({ objects }: Known, name: string): boolean {
  const level = objectNamed(objects?.levels, name)
  const schemas = objects?.schemas.filter(({ spec }) => spec.priorityLevelConfiguration.name === name) ?? []
  const subjects = schemas.flatMap(({ spec }) => spec.rules ?? []).flatMap((rule) => rule.subjects)
  return (
    level?.spec.limited?.borrowingLimitPercent === 0 &&
    subjects.length > 0 &&
    subjects.every(({ kind }) => kind !== 'Group')
  )
}

/** A flow schema and a small level for the busiest user of a flow, before the schema that now matches its requests. */
export function ownLevel(
  { objects }: Known,
  { users: [user], schema }: Pick<DumpedFlow, 'users' | 'schema'>,
): readonly ProposedManifest[] {
  const taking = objectNamed(objects?.schemas, schema)
  if (objects === undefined || user === undefined || taking === undefined) return []
  const [level, own] = [
    emptyObject('PriorityLevelConfiguration', freeName([], objects, 'PriorityLevelConfiguration', 'isolated')),
    emptyObject('FlowSchema', freeName([], objects, 'FlowSchema', 'isolated')),
  ]
  if (level.kind === 'FlowSchema' || own.kind !== 'FlowSchema') return []
  const { metadata, spec } = level.object
  const limited: LimitedSpec = {
    nominalConcurrencyShares: 5,
    lendablePercent: 0,
    borrowingLimitPercent: 0,
    limitResponse: { type: 'Queue', queuing: { queues: 16, handSize: 4, queueLengthLimit: 50 } },
  }
  const rules = own.object.spec.rules?.map((rule) => ({ ...rule, subjects: [subjectOf(user.name)] })) ?? []
  const schemaSpec = {
    ...own.object.spec,
    priorityLevelConfiguration: { name: metadata.name },
    matchingPrecedence: Math.max(1, taking.spec.matchingPrecedence - 50),
    rules,
  }
  const [levelKind, schemaKind] = ['PriorityLevelConfiguration', 'FlowSchema'] as const
  return [
    { kind: levelKind, name: metadata.name, text: writeManifest(levelKind, { metadata, spec: { ...spec, limited } }) },
    {
      kind: schemaKind,
      name: own.object.metadata.name,
      text: writeManifest(schemaKind, { metadata: own.object.metadata, spec: schemaSpec }),
    },
  ]
}
