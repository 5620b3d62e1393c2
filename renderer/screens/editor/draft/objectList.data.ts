import { isMandatory } from '../../../../core/config/builtIn.ts'
import { AUTOUPDATE_ANNOTATION, type ObjectMeta, type ObjectSet } from '../../../../core/config/objects.ts'
import { sameRef } from '../../../../core/draft/draft.ts'
import { errorsOf } from '../../../../core/draft/readEntry.ts'
import { byCodeUnits } from '../../../../core/text/text.ts'
import type { ObjectRef } from '../../../../core/guard/finding.ts'
import type { UnderstoodDraft, UnderstoodEntry } from '../../../state/draft.logic.ts'

/** One object in the list. */
export interface ObjectRow extends ObjectRef {
  /** How it is called now; `name` stays what it was when the edit began. */
  readonly shown: string
  /** Shares of a level, matching precedence of a schema; unknown while the text says none. */
  readonly number: number | undefined
  readonly mandatory: boolean
  /** The server keeps its spec as built in. */
  readonly reconciled: boolean
  readonly state: 'same' | 'edited' | 'new' | 'deleted'
  readonly problem: 'error' | 'conflict' | undefined
  /** The level that a schema leads to is not there. */
  readonly dangling: boolean
}

export interface ObjectRows {
  readonly levels: readonly ObjectRow[]
  readonly schemas: readonly ObjectRow[]
}

/** Levels in the order of the roster, schemas in matching order; what is deleted keeps its place. */
export function objectRows(
  { reads, base, proposal }: UnderstoodDraft,
  levelOrder: (a: string, b: string) => number,
): ObjectRows {
  if (base === undefined || proposal === undefined) return { levels: [], schemas: [] }
  const { objects } = proposal
  const names = new Set(objects.levels.map(({ metadata }) => metadata.name))
  const readOf = (ref: ObjectRef): UnderstoodEntry | undefined => reads.find(({ entry }) => sameRef(entry, ref))
  const row = (ref: ObjectRef, found: Found): ObjectRow => {
    const read = readOf(ref)
    return {
      ...ref,
      shown: read?.name ?? ref.name,
      number: found.number,
      mandatory: isMandatory(ref.kind, ref.name),
      reconciled: found.metadata?.annotations?.[AUTOUPDATE_ANNOTATION] === 'true',
      state: read === undefined ? 'same' : read.deleted ? 'deleted' : read.entry.base === undefined ? 'new' : 'edited',
      problem: read === undefined ? undefined : problemOf(read),
      dangling: found.level !== undefined && !names.has(found.level),
    }
  }
  const refs = refsOf(base.objects, reads)
  const rows = refs.map((ref) => row(ref, factsOf(ref, readOf(ref)?.name ?? ref.name, objects, base.objects)))
  return {
    levels: rows
      .filter(({ kind }) => kind === 'PriorityLevelConfiguration')
      .toSorted((a, b) => levelOrder(a.shown, b.shown)),
    schemas: rows
      .filter(({ kind }) => kind === 'FlowSchema')
      .toSorted((a, b) => (a.number ?? Infinity) - (b.number ?? Infinity) || byCodeUnits(a.shown, b.shown)),
  }
}

function problemOf(read: UnderstoodEntry): ObjectRow['problem'] {
  if (errorsOf(read).length > 0) return 'error'
  return read.footing.kind === 'firm' ? undefined : 'conflict'
}

/** Objects that are there, and those that the draft makes. */
function refsOf({ levels, schemas }: ObjectSet, reads: readonly UnderstoodEntry[]): readonly ObjectRef[] {
  const known: readonly ObjectRef[] = [
    ...levels.map(({ metadata }): ObjectRef => ({ kind: 'PriorityLevelConfiguration', name: metadata.name })),
    ...schemas.map(({ metadata }): ObjectRef => ({ kind: 'FlowSchema', name: metadata.name })),
  ]
  const drafted = reads.filter(({ entry }) => !known.some((ref) => sameRef(ref, entry)))
  return [...known, ...drafted.map(({ entry: { kind, name } }) => ({ kind, name }))]
}

interface Found {
  readonly metadata?: ObjectMeta
  readonly number?: number | undefined
  readonly level?: string
}

/** What the proposal says of an object, else what it was. */
function factsOf({ kind }: ObjectRef, name: string, proposed: ObjectSet, before: ObjectSet): Found {
  const isNamed = ({ metadata }: { readonly metadata: ObjectMeta }): boolean => metadata.name === name
  if (kind === 'FlowSchema') {
    const schema = proposed.schemas.find(isNamed) ?? before.schemas.find(isNamed)
    if (schema === undefined) return {}
    const { matchingPrecedence, priorityLevelConfiguration } = schema.spec
    return { metadata: schema.metadata, number: matchingPrecedence, level: priorityLevelConfiguration.name }
  }
  const level = proposed.levels.find(isNamed) ?? before.levels.find(isNamed)
  if (level === undefined) return {}
  const shares = (level.spec.limited ?? level.spec.exempt)?.nominalConcurrencyShares
  return { metadata: level.metadata, number: shares }
}
