import { sameContent } from '../config/content.ts'
import type { JsonObject } from '../config/jsonValues.ts'
import type { ObjectSet } from '../config/objects.ts'
import { objectOf, type DraftEntry } from './draft.ts'

/** Whether an edit still stands on the object that it was begun from. */
export type Footing =
  | { readonly kind: 'firm' }
  /** The object says something else now. */
  | { readonly kind: 'moved'; readonly theirs: JsonObject }
  /** It was deleted. */
  | { readonly kind: 'gone' }
  /** What the draft makes anew was made by somebody else. */
  | { readonly kind: 'exists'; readonly theirs: JsonObject }

/** `name`: how the object of the entry is called now. */
export function footingOf({ kind, base }: DraftEntry, name: string, objects: ObjectSet): Footing {
  const found = objectOf(objects, { kind, name })
  if (found === undefined) return { kind: base === undefined ? 'firm' : 'gone' }
  const theirs: JsonObject = { ...found }
  if (base === undefined) return { kind: 'exists', theirs }
  return sameContent(base, theirs) ? { kind: 'firm' } : { kind: 'moved', theirs }
}
