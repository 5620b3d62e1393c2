import { isJsonObject, type JsonObject } from '../../../../core/config/jsonValues.ts'
import type { FieldDifference } from '../../../../core/draft/threeWay.ts'
import type { ReadEntry } from '../../../../core/draft/readEntry.ts'
import { toJson } from '../../../../core/manifest/json.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { format } from '../../../theme/format.ts'

/** Who changed an object last, as the server remembers: `probes was changed by kubectl 40 s ago.` */
export function writerText(name: string, { metadata }: JsonObject, now: number): string {
  const fields = isJsonObject(metadata) ? metadata['managedFields'] : undefined
  const writes = (Array.isArray(fields) ? fields : []).flatMap((entry: unknown) => {
    if (!isJsonObject(entry)) return []
    const { manager, time, subresource } = entry
    return typeof manager === 'string' && typeof time === 'string' && subresource === undefined
      ? [{ manager, at: unixMsOf(time) }]
      : []
  })
  if (writes.length === 0) return `${name} was changed meanwhile.`
  const last = Math.max(...writes.map(({ at }) => at))
  // The server remembers whole seconds: several may have written last.
  const managers = new Set(writes.filter(({ at }) => at === last).map(({ manager }) => manager))
  return `${name} was changed by ${[...managers].join(' or ')} ${format.age(Math.max(0, now - last))} ago.`
}

/** Your version of the object: what the text says now, valid or not. */
export function mineOf({ document, entry }: Pick<ReadEntry, 'document' | 'entry'>): object {
  if (document?.checked?.object !== undefined) return document.checked.object
  const value = document === undefined ? undefined : toJson(document.value)
  return isJsonObject(value) ? value : (entry.base ?? {})
}

export const UNREADABLE = 'Your YAML cannot be parsed, so the two changes cannot be compared. Fix it, then merge.'

/** Whether the two changes touch the same fields. */
export function mergeText(differences: readonly Pick<FieldDifference, 'changedBy'>[]): string {
  const count = (by: FieldDifference['changedBy']): number =>
    differences.filter(({ changedBy }) => changedBy === by).length
  const [conflicts, same] = [count('conflict'), count('both')]
  const fields = (many: number): string => (many === 1 ? '1 field' : `${many} fields`)
  if (conflicts > 0) return `Both sides changed ${fields(conflicts)}. Choose a value for each, then merge.`
  return same > 0
    ? `Both sides made the same change to ${fields(same)}. Nothing conflicts.`
    : 'The two changes touch different fields. Nothing conflicts.'
}
