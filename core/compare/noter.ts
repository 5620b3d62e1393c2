import { shortField } from '../config/fieldWords.ts'
import { configDiff, type FieldChange, type ObjectDifference } from '../config/content.ts'
import {
  type FlowSchema,
  type Kind,
  type ObjectSet,
  type PriorityLevelConfiguration,
  objectOf,
  writerName,
} from '../config/objects.ts'
import type { ObjectsState } from '../contract/objects.ts'
import type { Note } from '../contract/recording.ts'
import type { RejectReason, ServerFrame } from '../frame/frame.ts'
import { isRestart, recordOf, REJECT_REASONS } from '../frame/reading.ts'
import { unixMsOf, type UnixMs } from '../units.ts'
import { rejectingText, startedText } from './notes.ts'
import { createSpells } from './spells.ts'

/** Notes changes of objects, processes and levels, in chronological order. */
export interface Noter {
  /** `at`: when it was received, Unix milliseconds, for a reading that has no time. */
  takeObjects(reading: Pick<ObjectsState, 'state' | 'objects' | 'asOf'>, at: UnixMs): readonly Note[]
  takeServer(server: ServerFrame): readonly Note[]
}

export function createNoter(): Noter {
  let objects: ObjectSet | undefined
  const servers = new Map<string, { readonly frame: ServerFrame; readonly spells: Spells }>()
  return {
    takeObjects(reading, at) {
      if (reading.state !== 'current' || reading.objects === objects) return []
      const before = objects
      objects = reading.objects
      const asOf = reading.asOf === undefined ? at : unixMsOf(reading.asOf)
      return before === undefined ? pastWrites(objects) : objectChanges(before, objects, asOf)
    },
    takeServer(server) {
      const before = servers.get(server.id)
      if (before?.frame === server) return []
      // Limited to the current levels, however many there were.
      const spells: Spells = new Map(
        server.levels.map(({ name }) => [name, before?.spells.get(name) ?? recordOf(REJECT_REASONS, createSpells)]),
      )
      servers.set(server.id, { frame: server, spells })
      if (before === undefined) return []
      return [
        ...processChanges(before.frame, server),
        // A changed object is reported with its author.
        ...(objects === undefined ? reconfigurations(before.frame, server) : []),
        ...firstRejections(before.frame, server, spells),
      ]
    },
  }
}

type AnyObject = FlowSchema | PriorityLevelConfiguration

/** Fields in one line; those that do not fit are counted. */
const FIELDS = 2

/** Differences between two readings of the objects, with the last writer; `at` where the object contains no time. */
export function objectChanges(before: ObjectSet, after: ObjectSet, at: number): readonly Note[] {
  return configDiff(before, after).map((difference): Note => {
    const object = objectOf(difference.change === 'removed' ? before : after, difference)
    const level = levelOf(object)
    const about = { kind: 'object', ...(level !== undefined && { level }) } as const
    const { at: when, by } = writeOf(difference, object, at)
    return { ...about, at: when, text: changeText(difference, by) }
  })
}

/** When and by whom an object was last written; `at` and nobody where it does not tell, as a deleted one. */
export function writeOf(
  { change }: ObjectDifference,
  object: AnyObject | undefined,
  at: UnixMs,
): { readonly at: UnixMs; readonly by: string | undefined } {
  if (change === 'removed') return { at, by: undefined }
  const { manager, time } = lastWriter(object)
  const created = unixMsOf(object?.metadata.creationTimestamp ?? '')
  const exact = change === 'added' && !Number.isNaN(created) ? created : time
  return { at: Math.min(exact ?? at, at), by: manager }
}

const DONE = { added: 'created', removed: 'deleted', changed: 'changed' } as const

/** `PriorityLevelConfiguration batch changed by kubectl-edit: nominalConcurrencyShares 10 → 300`. */
export const changeText = (difference: ObjectDifference, by: string | undefined): string =>
  `${difference.kind} ${difference.name} ${DONE[difference.change]}${by === undefined ? '' : ` by ${by}`}${difference.change === 'changed' ? `: ${fieldsText(difference.fields)}` : ''}`

/**
 * The past recorded in the objects: who wrote each last, and when. Objects that were only written at creation count as
 * created.
 */
export const pastWrites = (objects: ObjectSet): readonly Note[] =>
  [...objects.levels, ...objects.schemas].flatMap((object): readonly Note[] => {
    const { manager, time } = lastWriter(object)
    if (time === undefined) return []
    const { name, creationTimestamp } = object.metadata
    const created = creationTimestamp !== undefined && unixMsOf(creationTimestamp) === time
    const kind: Kind = 'matchingPrecedence' in object.spec ? 'FlowSchema' : 'PriorityLevelConfiguration'
    const by = manager === undefined ? '' : ` by ${manager}`
    const level = levelOf(object)
    const text = `${kind} ${name} ${created ? 'created' : 'changed'}${by}`
    return [{ at: time, kind: 'object', text, ...(level !== undefined && { level }) }]
  })

function fieldsText(fields: readonly FieldChange[]): string {
  // What an edit is about, without the annotation that keeps it.
  const about = fields.filter(({ field }) => field.startsWith('spec.'))
  const told = about.length === 0 ? fields : about
  const shown = told
    .slice(0, FIELDS)
    .map(({ field, from, to }) => `${shortField(field)} ${plain(from, to)} → ${plain(to, from)}`)
  const more = told.length > FIELDS ? `, and ${told.length - FIELDS} more` : ''
  return `${shown.join(', ')}${more}`
}

/** Longer values are cut: the objects themselves are a click away. */
const LONGEST_VALUE = 80

/** What is only in one of two lists says more than both of them. */
function plain(value: unknown, other: unknown): string {
  if (value === undefined) return 'none'
  const known = Array.isArray(other) ? new Set(other.map((one) => JSON.stringify(one))) : undefined
  const shown = Array.isArray(value) ? value.filter((one) => known?.has(JSON.stringify(one)) !== true) : value
  const text = JSON.stringify(shown)
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
}

const levelOf = (object: AnyObject | undefined): string | undefined =>
  object === undefined
    ? undefined
    : 'priorityLevelConfiguration' in object.spec
      ? object.spec.priorityLevelConfiguration.name
      : object.metadata.name

/** The last writer of the object, apart from its status. */
function lastWriter(object: AnyObject | undefined): { readonly manager?: string; readonly time?: number } {
  const writes = (object?.metadata.managedFields ?? []).flatMap(({ manager, subresource, time }) => {
    const at = unixMsOf(time ?? '')
    return subresource !== undefined || Number.isNaN(at)
      ? []
      : [{ time: at, ...(manager !== undefined && { manager: writerName(manager) }) }]
  })
  return writes.toSorted((a, b) => b.time - a.time)[0] ?? {}
}

/** What two frames of one server show about its process: a restart, another version. */
export function processChanges(before: ServerFrame, now: ServerFrame): readonly Note[] {
  const at = unixMsOf(now.at)
  const about = { at, server: now.id }
  const { startedAt: was } = before
  const { startedAt: is } = now
  return [
    ...(is !== undefined && isRestart(was, is)
      ? [
          {
            ...about,
            at: Math.min(at, is * 1_000),
            kind: 'restarted' as const,
            text: startedText(now.id),
          },
        ]
      : []),
    ...(before.version !== undefined && now.version !== undefined && before.version !== now.version
      ? [{ ...about, kind: 'version' as const, text: `${now.id} changed from ${before.version} to ${now.version}` }]
      : []),
  ]
}

/** Levels in one line; those that do not fit are counted. */
const LEVELS = 3
const CONFIGURED = ['nominal', 'lower', 'upper'] as const

/** Limits that differ although no recomputation changes them: other shares or percentages, or another server limit. */
export function reconfigurations(before: ServerFrame, now: ServerFrame): readonly Note[] {
  const then = new Map(before.levels.map(({ name, limits }) => [name, limits]))
  const changed = now.levels.flatMap(({ name, limits }) => {
    const was = then.get(name)
    const of = CONFIGURED.find(
      (one) => was?.[one] !== undefined && limits[one] !== undefined && was[one] !== limits[one],
    )
    return was === undefined || of === undefined ? [] : [{ name, of, from: was[of] ?? 0, to: limits[of] ?? 0 }]
  })
  if (changed.length === 0) return []
  const most = changed.toSorted((a, b) => Math.abs(b.to - b.from) - Math.abs(a.to - a.from))
  const shown = most.slice(0, LEVELS).map(({ name, of, from, to }) => `${name} ${of} ${from} → ${to}`)
  const more = most.length > LEVELS ? `, and ${most.length - LEVELS} more levels` : ''
  const text = `limits configured otherwise: ${shown.join(', ')}${more}`
  return [{ at: unixMsOf(now.at), kind: 'reconfigured', server: now.id, text }]
}

/** For each level, by reason. */
type Spells = ReadonlyMap<string, Readonly<Record<RejectReason, ReturnType<typeof createSpells>>>>

function firstRejections(before: ServerFrame, now: ServerFrame, spells: Spells): readonly Note[] {
  const anew = isRestart(before.startedAt, now.startedAt)
  const then = new Map(before.levels.map(({ name, rejected }) => [name, rejected]))
  const at = unixMsOf(now.at)
  return now.levels.flatMap(({ name, rejected }) =>
    REJECT_REASONS.flatMap((reason): readonly Note[] => {
      const was = anew ? 0 : (then.get(name)?.[reason] ?? 0)
      const turn = rejected && spells.get(name)?.[reason](at, Math.max(0, rejected[reason] - was))
      if (turn?.begins !== true) return []
      return [{ at, kind: 'rejecting', level: name, server: now.id, text: rejectingText(name, reason) }]
    }),
  )
}
