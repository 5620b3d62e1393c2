import { builtInObjects, isMandatory, isSuggested } from '../config/builtIn.ts'
import { LAST_APPLIED, configDiff, type FieldChange } from '../config/content.ts'
import type { FlowSchema, Kind, ObjectSet, PriorityLevelConfiguration } from '../config/objects.ts'
import { changesBetween, type GuardChange } from '../guard/changes.ts'
import { predictReconcile, type ReconcilePrediction } from '../guard/reconciler.ts'

/** One object that differs from the reference. */
export interface DriftRow {
  readonly kind: Kind
  readonly name: string
  /** `missing`: only the reference has it; `extra`: only the configuration has it. */
  readonly change: 'changed' | 'missing' | 'extra'
  /** Of a changed object: from the value in the reference to the value in the configuration. */
  readonly fields: readonly FieldChange[]
  readonly builtIn: 'mandatory' | 'suggested' | undefined
  /** What the API server itself will do to the current object. */
  readonly server: ReconcilePrediction
  /** The object of the reference and of the configuration, defaults filled in; `null` if there is none. */
  readonly reference: FlowSchema | PriorityLevelConfiguration | null
  readonly current: FlowSchema | PriorityLevelConfiguration | null
}

/** How a configuration differs from a reference. */
export interface Drift {
  /** Levels first, each kind by name. */
  readonly rows: readonly DriftRow[]
  /** Objects that are the same in both. */
  readonly same: number
}

/** The record that `kubectl apply` keeps is not part of the object. */
const NOISE = `metadata.annotations[${LAST_APPLIED}]`

/** Differences between objects and a reference. `version` is the gitVersion of the server that has them. */
export function driftBetween(current: ObjectSet, reference: ObjectSet, version: string): Drift {
  const objects = new Map(changesBetween(reference, current).map((change) => [keyOf(change), change]))
  const rows = configDiff(reference, current).flatMap((difference): DriftRow[] => {
    const change = objects.get(keyOf(difference))
    if (change === undefined) return []
    const { kind, name } = difference
    const fields = difference.change === 'changed' ? difference.fields.filter(({ field }) => field !== NOISE) : []
    if (difference.change === 'changed' && fields.length === 0) return []
    return [
      {
        kind,
        name,
        change: difference.change === 'added' ? 'extra' : difference.change === 'removed' ? 'missing' : 'changed',
        fields,
        builtIn: isMandatory(kind, name) ? 'mandatory' : isSuggested(kind, name, version) ? 'suggested' : undefined,
        server: predictReconcile(asItIs(change), version),
        reference: change.from,
        current: change.to,
      },
    ]
  })
  const all = current.levels.length + current.schemas.length
  return { rows, same: all - rows.filter(({ current: object }) => object !== null).length }
}

/** Differences from the objects that a server of the version creates by itself; objects of people are `extra`. */
export const driftFromBuiltIn = (current: ObjectSet, version: string): Drift =>
  driftBetween(current, builtInObjects(version), version)

/** Whether the built-in objects differ from their defaults. Objects of people are not drift. */
export const isDrifted = ({ rows }: Drift): boolean => rows.some(({ change }) => change !== 'extra')

const keyOf = ({ kind, name }: { readonly kind: Kind; readonly name: string }): string => `${kind}/${name}`

/** Nothing is being changed: this checks what the server does to the current object. */
function asItIs(change: GuardChange): GuardChange {
  return change.kind === 'FlowSchema' ? { ...change, from: change.to } : { ...change, from: change.to }
}
