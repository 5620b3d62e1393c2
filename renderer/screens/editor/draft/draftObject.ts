import { useMemo } from 'react'
import { cleanManifest } from '../../../../core/manifest/write.ts'
import { refKey, textOf, withText, parseRef } from '../../../../core/draft/draft.ts'
import { editManifest } from '../../../../core/manifest/edit.ts'
import { fieldOf, type FieldPath, toJson, type Json, getIn } from '../../../../core/manifest/json.ts'
import type { LocatedFinding } from '../../../../core/manifest/manifest.ts'
import { objectNamed, objectOf, type ObjectSet } from '../../../../core/config/objects.ts'
import type { ObjectRef } from '../../../../core/guard/finding.ts'
import { say } from '../../../state/shell.ts'
import { changeDraft } from '../../../state/draft.ts'
import { readOf, type UnderstoodDraft, type UnderstoodEntry } from '../../../state/draft.logic.ts'
import { openPage, useRoute } from '../../../state/route.ts'

/** One object as a form: the content of its text, and how to change it. */
export interface ObjectForm {
  readonly ref: ObjectRef
  /** Absent while the draft does not change the object. */
  readonly read: UnderstoodEntry | undefined
  readonly readOnly: boolean
  at(path: FieldPath): Json | undefined
  text(path: FieldPath): string
  /** `undefined` removes the field. Consecutive changes of one field are one step. */
  set(path: FieldPath, value: unknown): void
  /** Props of a field for the row of a number, and for that of a text or a choice. */
  number(path: FieldPath): FieldOf<Json | undefined>
  word(path: FieldPath): FieldOf<string>
  /** Findings of a field; with `deep` also of everything below it. */
  findings(path: FieldPath, deep?: boolean): readonly LocatedFinding[]
}

interface FieldOf<V> {
  readonly value: V
  readonly onChange: (value: unknown) => void
  readonly findings: readonly LocatedFinding[]
  readonly readOnly: boolean
}

export function objectForm(draft: UnderstoodDraft, ref: ObjectRef, mayEdit: boolean): ObjectForm | undefined {
  const read = readOf(draft, ref)
  const value = valueOf(draft, ref, read)
  if (value === undefined) return undefined
  const at = (path: FieldPath): Json | undefined => getIn(value, path)
  const text = (path: FieldPath): string => {
    const found = at(path)
    return typeof found === 'string' ? found : found === undefined || found === null ? '' : JSON.stringify(found)
  }
  const findings = (path: FieldPath, deep = false): readonly LocatedFinding[] => {
    const field = fieldOf(path)
    return (read?.findings ?? []).filter(
      (finding) =>
        finding.field === field ||
        (deep && (finding.field.startsWith(`${field}.`) || finding.field.startsWith(`${field}[`))),
    )
  }
  const set = (path: FieldPath, wanted: unknown): void => setField(ref, path, wanted)
  const readOnly = !mayEdit || read?.deleted === true || (read !== undefined && read.document === undefined)
  const field = <V>(path: FieldPath, shown: V): FieldOf<V> => ({
    value: shown,
    onChange: (next) => set(path, next),
    findings: findings(path),
    readOnly,
  })
  return {
    ref,
    read,
    readOnly,
    at,
    text,
    set,
    number: (path) => field(path, at(path)),
    word: (path) => field(path, text(path)),
    findings,
  }
}

/** The content of the text, or its last readable content. */
function valueOf(draft: UnderstoodDraft, ref: ObjectRef, read: UnderstoodEntry | undefined): Json | undefined {
  if (read?.document !== undefined) return toJson(read.document.value)
  if (read?.lastGood !== undefined) return cleanManifest(ref.kind, read.lastGood.object)
  const object = read?.entry.base ?? (draft.base === undefined ? undefined : objectOf(draft.base.objects, ref))
  return object === undefined ? undefined : cleanManifest(ref.kind, object)
}

function setField(ref: ObjectRef, path: FieldPath, value: unknown): void {
  changeDraft(
    (entries, objects) => {
      const text = textOf(entries, objects, ref)
      if (text === undefined) return entries
      const edited = editManifest(text, path, value)
      if (edited.ok) return withText(entries, objects, ref, edited.text)
      say(edited.why)
      return entries
    },
    `${refKey(ref)} ${fieldOf(path)}`,
  )
}

/** The level that an object is or references. */
export const effectiveLevelName = ({ schemas }: ObjectSet, { kind, name }: ObjectRef): string | undefined =>
  kind === 'PriorityLevelConfiguration' ? name : objectNamed(schemas, name)?.spec.priorityLevelConfiguration.name

/**
 * The selected object: the one in the address, else the first that the draft changes, else the first. Returns the same
 * value as long as it is the same object.
 */
export function useSelected(draft: UnderstoodDraft, first: ObjectRef | undefined): ObjectRef | undefined {
  const { object } = useRoute()
  const asked = parseRef(object)
  const found = asked !== undefined && isThere(draft, asked) ? asked : (draft.entries[0] ?? first)
  const key = found && refKey(found)
  return useMemo(() => parseRef(key), [key])
}

const isThere = (draft: UnderstoodDraft, ref: ObjectRef): boolean =>
  readOf(draft, ref) !== undefined || (draft.base !== undefined && objectOf(draft.base.objects, ref) !== undefined)

export const select = ({ kind, name }: ObjectRef): void => openPage('editor', 'draft', `${kind}/${name}`)
