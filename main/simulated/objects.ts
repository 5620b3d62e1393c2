import { checkObject } from '../../core/config/checkObject.ts'
import { sameContent, shownObject, createObjectVersions, versionOf } from '../../core/config/content.ts'
import type { JsonObject } from '../../core/config/jsonValues.ts'
import {
  objectOf,
  type FlowSchema,
  type ObjectSet,
  type PriorityLevelConfiguration,
} from '../../core/config/objects.ts'
import type { Cause, ObjectChange } from '../../core/contract/objects.ts'
import { refusal } from '../../core/engine/levelPlan.ts'
import { readStored } from '../../core/config/schema.ts'
import {
  type ObjectGateway,
  FIELD_MANAGER,
  type ObjectEditor,
  type ServerVerdict,
  judgeBeforehand,
  verdictOf,
} from '../ports/objectGateway.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'

export interface SimulatedObjectsOptions {
  /** The owner of the objects: the simulated server if absent. */
  readonly origin?: 'simulation' | 'proxy'
  /** The server that validates them, at the beginning of a sentence: `The simulated server` if absent. */
  readonly judge?: string
  readonly target: string
  readonly targetKey: string
  readonly version: string
  /** All objects of the simulated server. */
  readonly objects: () => ObjectSet
  /** Puts all objects in force at once. */
  readonly adopt: (objects: ObjectSet) => void
  /** Field manager of all writes that are no edits. */
  readonly otherManager?: string
  /** Edits wait for this. */
  readonly ready?: () => Promise<void>
  /** RFC 3339 of the simulated time, in whole seconds as objects carry it. */
  readonly now: () => string
}

export interface SimulatedObjects extends ObjectGateway {
  /** Reports that the objects have changed. */
  changed(): void
}

/** The objects of the simulated server, which also validates them. */
export function createSimulatedObjects(options: SimulatedObjectsOptions): SimulatedObjects {
  const { target, targetKey, version, objects, otherManager } = options
  const versions = createObjectVersions()
  /** Resource versions that edits left. */
  const edits = new Set<string>()
  const isEdit = (ref: Pick<ObjectChange, 'kind' | 'name'>): boolean =>
    edits.has(objectOf(objects(), ref)?.metadata.resourceVersion ?? '')
  let tell: (() => void) | undefined
  const see = (): void => [...objects().levels, ...objects().schemas].forEach((object) => versions.see({ ...object }))
  const reading = (): ObjectsReading => ({
    state: 'current',
    version,
    asOf: options.now(),
    objects: storedSet(objects()),
  })
  return {
    origin: options.origin ?? 'simulation',
    target,
    targetKey,
    fleeting: true,
    start(signal, onReading) {
      tell = () => {
        if (!signal.aborted) onReading(reading())
      }
      see()
      tell()
    },
    ...(otherManager !== undefined && {
      lastWrite: (of) => ({ by: isEdit(of) ? FIELD_MANAGER : otherManager }),
    }),
    changed() {
      see()
      tell?.()
    },
    editor: createEditor(
      options,
      (base, present) => versions.saidTheSame(base, present),
      (edit) => edits.add(edit),
    ),
  }
}

/** Objects in the form of messages. */
export const storedSet = ({ levels, schemas }: ObjectSet): ObjectsReading['objects'] => ({
  levels: levels.flatMap((level) => readStored('PriorityLevelConfiguration', level) ?? []),
  schemas: schemas.flatMap((schema) => readStored('FlowSchema', schema) ?? []),
})

function createEditor(
  { version, objects, adopt, now, ready, judge: judgeName = 'The simulated server' }: SimulatedObjectsOptions,
  saidTheSame: (base: NonNullable<ObjectChange['base']>, present: JsonObject) => boolean,
  wrote: (resourceVersion: string) => void,
): ObjectEditor {
  const find = (ref: Pick<ObjectChange, 'kind' | 'name'>): JsonObject | undefined => {
    const found = objectOf(objects(), ref)
    return found && shownObject(ref.kind, { ...found })
  }
  const judge = (change: ObjectChange): { readonly verdict: ServerVerdict; readonly next?: ObjectSet } => {
    const present = find(change)
    const early = judgeBeforehand(change, present, (base) => saidTheSame(base, present ?? {}))
    if (early !== undefined) return { verdict: early }
    if (change.object === null) return { verdict: verdictOf(change, 'accepted'), next: without(objects(), change) }
    const { kind, findings, defaulted } = checkObject(change.object, version)
    const causes = findings.flatMap(({ severity, field, reason, message }): Cause[] =>
      severity === 'error' ? [{ field, reason, message }] : [],
    )
    if (causes.length > 0 || kind === '' || defaulted === undefined)
      return { verdict: rejected(change, causes, judgeName) }
    const tooLarge = kind === 'PriorityLevelConfiguration' ? beyondBounds(defaulted, judgeName) : []
    if (tooLarge.length > 0) return { verdict: rejected(change, tooLarge, judgeName) }
    const object = shownObject(kind, { ...defaulted })
    if (present !== undefined && sameContent(present, object))
      return { verdict: verdictOf(change, 'unchanged', { object: present }) }
    const refused = kind === 'PriorityLevelConfiguration' ? refusal(defaulted) : undefined
    const warnings = refused === undefined ? [] : [`Flow control treats the object as if it did not exist: ${refused}.`]
    return {
      verdict: verdictOf(change, 'accepted', { object, warnings }),
      next: kind === 'FlowSchema' ? withSchema(objects(), defaulted, now()) : withLevel(objects(), defaulted, now()),
    }
  }
  return {
    access: async () => ({ ok: true }),
    read: async (change) => find(change) ?? null,
    check: async (change) => judge(change).verdict,
    apply: async (change, _force, announce) => {
      await ready?.()
      const judged = judge(change)
      if (judged.next === undefined) return { verdict: judged.verdict }
      await announce({
        from: find(change) ?? null,
        to: change.object === null ? null : (judged.verdict.object ?? null),
      })
      // Another change may have happened in between.
      const { verdict, next } = judge(change)
      if (next === undefined) return { verdict }
      const from = find(change) ?? null
      adopt(next)
      const to = find(change) ?? null
      wrote((to && versionOf(to)?.resourceVersion) ?? '')
      return { verdict: { ...verdict, ...(to && { object: to }) }, done: { from, to } }
    },
  }
}

function without({ levels, schemas }: ObjectSet, { kind, name }: ObjectChange): ObjectSet {
  const others = <O extends FlowSchema | PriorityLevelConfiguration>(all: readonly O[]): O[] =>
    all.filter(({ metadata }) => metadata.name !== name)
  return kind === 'FlowSchema' ? { levels, schemas: others(schemas) } : { levels: others(levels), schemas }
}

const withLevel = (objects: ObjectSet, level: PriorityLevelConfiguration, now: string): ObjectSet => ({
  ...objects,
  levels: put(objects.levels, level, now),
})
const withSchema = (objects: ObjectSet, schema: FlowSchema, now: string): ObjectSet => ({
  ...objects,
  schemas: put(objects.schemas, schema, now),
})

/** Replaces the one with its name, or is appended. */
function put<O extends FlowSchema | PriorityLevelConfiguration>(all: readonly O[], given: O, now: string): O[] {
  const { status: _status, ...written } = given
  const { name, labels, annotations } = given.metadata
  const known = all.some(({ metadata }) => metadata.name === name)
  const metadata = {
    name,
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(!known && { creationTimestamp: now }),
  }
  const object = { ...written, metadata }
  return known
    ? all.map((one) => (one.metadata.name === name ? { ...one, ...object } : one))
    : [...all, { ...given, ...object }]
}

/** An API server accepts more, but no machine can also display it. */
const MOST_QUEUES = 10_000
const MOST_SHARES = 1_000_000
const MOST_PERCENT = 1_000_000

/** Bounds of an engine on this machine that an API server does not have; `judge` begins the sentences. */
export function beyondBounds({ spec }: PriorityLevelConfiguration, judge: string): Cause[] {
  const shares = spec.limited?.nominalConcurrencyShares ?? spec.exempt?.nominalConcurrencyShares
  const owner = spec.limited === undefined ? 'exempt' : 'limited'
  return [
    bound(`spec.${owner}.nominalConcurrencyShares`, shares, MOST_SHARES, judge),
    bound('spec.limited.borrowingLimitPercent', spec.limited?.borrowingLimitPercent, MOST_PERCENT, judge),
    bound('spec.limited.limitResponse.queuing.queues', spec.limited?.limitResponse.queuing?.queues, MOST_QUEUES, judge),
  ].flat()
}

const bound = (field: string, value: number | undefined, most: number, judge: string): Cause[] =>
  value === undefined || value <= most
    ? []
    : [
        {
          field,
          reason: 'FieldValueInvalid',
          message: `${judge} accepts at most ${most}; a real one accepts more.`,
        },
      ]

function rejected(change: ObjectChange, causes: readonly Cause[], judge: string): ServerVerdict {
  const words = causes.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join(' ')
  return verdictOf(change, 'rejected', {
    causes: [...causes],
    problem: { code: 'invalid-input', message: `${judge} rejects ${change.kind} ${change.name}. ${words}` },
  })
}
