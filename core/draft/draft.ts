import { objectOf, type Kind, type ObjectSet } from '../config/objects.ts'
import type { Draft } from '../contract/objects.ts'
import type { ObjectRef } from '../guard/finding.ts'
import { writeManifest } from '../manifest/write.ts'

/** One object that a draft changes: its YAML, or `null` to delete it. */
export type DraftEntry = Draft['entries'][number]

/**
 * A draft: the objects that it changes, in the order in which they were begun. The text is the single source of truth;
 * forms and YAML are two views of it. All types here are immutable: a step creates new entries and leaves the others
 * unchanged.
 */
export type DraftEntries = readonly DraftEntry[]

export const refKey = ({ kind, name }: ObjectRef): string => `${kind}/${name}`

/** The reference in a URL of the console: `FlowSchema/probes`. */
export function parseRef(text: string | undefined): ObjectRef | undefined {
  const slash = text?.indexOf('/') ?? -1
  if (text === undefined || slash === -1) return undefined
  const kind = text.slice(0, slash)
  const name = text.slice(slash + 1)
  return (kind === 'FlowSchema' || kind === 'PriorityLevelConfiguration') && name !== '' ? { kind, name } : undefined
}

export const sameRef = (a: ObjectRef, b: ObjectRef): boolean => a.kind === b.kind && a.name === b.name

export const entryOf = (entries: DraftEntries, ref: ObjectRef): DraftEntry | undefined =>
  entries.find((entry) => sameRef(entry, ref))

/** The draft with the entry in its place, or at the end. */
export function withEntry(entries: DraftEntries, entry: DraftEntry): DraftEntries {
  const known = entries.some((one) => sameRef(one, entry))
  return known ? entries.map((one) => (sameRef(one, entry) ? entry : one)) : [...entries, entry]
}

/** Reverts all changes of one object. */
export const reverted = (entries: DraftEntries, ref: ObjectRef): DraftEntries =>
  entries.filter((entry) => !sameRef(entry, ref))

/**
 * The text of an object: from the draft, else from the configuration; `undefined` when it has none, or is to be
 * deleted.
 */
export function textOf(entries: DraftEntries, objects: ObjectSet, ref: ObjectRef): string | undefined {
  const entry = entryOf(entries, ref)
  if (entry !== undefined) return entry.text ?? undefined
  const object = objectOf(objects, ref)
  return object === undefined ? undefined : writeManifest(ref.kind, object)
}

/** Sets the text of an object. If the text equals the object, there is nothing to change. */
export function withText(entries: DraftEntries, objects: ObjectSet, ref: ObjectRef, text: string): DraftEntries {
  const base = entryOf(entries, ref)?.base ?? baseOf(objects, entries, ref)
  if (base !== undefined && text === writeManifest(ref.kind, base)) return reverted(entries, ref)
  const entry = { kind: ref.kind, name: ref.name, text, ...(base !== undefined && { base }) }
  return withEntry(entries, entry)
}

/** Deletes an object; one that is new in the draft is only removed from it. */
export function withDeletion(entries: DraftEntries, objects: ObjectSet, ref: ObjectRef): DraftEntries {
  const base = entryOf(entries, ref)?.base ?? baseOf(objects, entries, ref)
  return base === undefined
    ? reverted(entries, ref)
    : withEntry(entries, { kind: ref.kind, name: ref.name, text: null, base })
}

/** The base of an edit: the current object. An entry without a base is new, and stays so. */
function baseOf(objects: ObjectSet, entries: DraftEntries, ref: ObjectRef): DraftEntry['base'] {
  const object = entryOf(entries, ref) === undefined ? objectOf(objects, ref) : undefined
  return object === undefined ? undefined : { ...object }
}

/** A name that neither the configuration nor the draft contains: the requested one, or one followed by a number. */
export function freeName(entries: DraftEntries, objects: ObjectSet, kind: Kind, wanted: string): string {
  const isTaken = (name: string): boolean =>
    objectOf(objects, { kind, name }) !== undefined || entryOf(entries, { kind, name }) !== undefined
  if (!isTaken(wanted)) return wanted
  let number = 2
  while (isTaken(`${wanted}-${number}`)) number += 1
  return `${wanted}-${number}`
}

/** Steps that can be undone and redone. Immutable: every function returns a new one. */
export interface History<T> {
  /** Oldest first. */
  readonly past: readonly T[]
  readonly present: T
  /** Next first. */
  readonly future: readonly T[]
  /** The last step, while it may still grow. */
  readonly last?: { readonly group: string; readonly at: number }
}

const MOST_STEPS = 500
/** Pause that ends a step, milliseconds: text typed without one is undone together. */
const REST_MS = 800

export const startHistory = <T>(present: T): History<T> => ({ past: [], present, future: [] })

/**
 * Adds a step. Steps of the same group that follow each other within a moment are one: the letters of a word, the
 * presses of an arrow key. `at` is Unix milliseconds.
 */
export function recordStep<T>(
  history: History<T>,
  next: T,
  step?: { readonly group: string; readonly at: number },
): History<T> {
  const { past, present, last } = history
  if (next === present) return history
  const grows = step !== undefined && last?.group === step.group && step.at - last.at < REST_MS
  const before = grows ? past : [...past, present].slice(-MOST_STEPS)
  return { past: before, present: next, future: [], ...(step !== undefined && { last: step }) }
}

export function undoStep<T>({ past, present, future }: History<T>): History<T> {
  const before = past.at(-1)
  if (before === undefined) return { past, present, future }
  return { past: past.slice(0, -1), present: before, future: [present, ...future] }
}

export function redoStep<T>({ past, present, future }: History<T>): History<T> {
  const [next, ...later] = future
  if (next === undefined) return { past, present, future }
  return { past: [...past, present], present: next, future: later }
}
