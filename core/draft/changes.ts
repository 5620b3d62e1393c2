import { manifestOf, versionOf } from '../config/content.ts'
import type { JsonObject } from '../config/jsonValues.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { ObjectChange } from '../contract/objects.ts'
import type { DraftChange } from '../manifest/exportYaml.ts'
import { objectOf } from './draft.ts'
import { footingOf } from './footing.ts'
import type { ReadEntry } from './readEntry.ts'

/**
 * What to ask the server for, in an order in which no schema ever names a level that is not there: levels are made
 * before schemas and go after them. An object that says what the edit began from is taken in its present version, so
 * that a new status is no conflict. Entries with errors are left out.
 */
export function changesOf(reads: readonly ReadEntry[], current: ObjectSet): readonly ObjectChange[] {
  return reads
    .flatMap((read): ObjectChange[] => {
      const { entry, name, deleted, checked } = read
      const { kind } = entry
      if (!deleted && checked === undefined) return []
      const base = baseVersion(read, current)
      const object = checked === undefined ? null : { ...manifestOf(kind, checked.object) }
      return [{ kind, name, object, ...(base !== undefined && { base }) }]
    })
    .toSorted((a, b) => turnOf(a) - turnOf(b))
}

const turnOf = ({ kind, object }: ObjectChange): number => {
  const level = kind === 'PriorityLevelConfiguration'
  return object === null ? (level ? 3 : 2) : level ? 0 : 1
}

function baseVersion({ entry, name }: ReadEntry, current: ObjectSet): ObjectChange['base'] {
  if (entry.base === undefined) return undefined
  const now = objectOf(current, { kind: entry.kind, name })
  const firm = now !== undefined && footingOf(entry, name, current).kind === 'firm'
  return versionOf(firm ? { ...now } : entry.base)
}

/** The same for writing out: as manifests, and from what the edit began. */
export const exportedChanges = (reads: readonly ReadEntry[]): readonly DraftChange[] =>
  reads.flatMap(({ entry, name, deleted, checked }): DraftChange[] => {
    const from: JsonObject | null = entry.base ?? null
    if (deleted) return [{ kind: entry.kind, name, from, to: null }]
    return checked === undefined ? [] : [{ kind: entry.kind, name, from, to: checked.object }]
  })
