import type { FlowSchema, ObjectSet, PriorityLevelConfiguration } from '../config/objects.ts'
import type { ObjectRef } from '../guard/finding.ts'
import { renameManifest } from '../manifest/edit.ts'
import { writeManifest } from '../manifest/write.ts'
import { freeName, textOf, withText, type DraftEntries } from './draft.ts'
import type { PresetObject } from './presets.ts'

/** A draft with new objects, and the first of them. */
export interface Begun {
  readonly entries: DraftEntries
  readonly opened: ObjectRef
}

/** Adds objects under names that are free. A schema among them leads to the level that is added with it. */
export function withObjects(
  entries: DraftEntries,
  objects: ObjectSet,
  [first, ...others]: readonly [PresetObject, ...PresetObject[]],
): Begun {
  const names = new Map(
    [first, ...others].map(({ kind, object }) => {
      const { name } = object.metadata
      return [`${kind}/${name}`, freeName(entries, objects, kind, name)]
    }),
  )
  const nameOf = ({ kind, name }: ObjectRef): string => names.get(`${kind}/${name}`) ?? name
  let next = entries
  for (const { kind, object } of [first, ...others]) {
    const name = nameOf({ kind, name: object.metadata.name })
    next = withText(next, objects, { kind, name }, writeManifest(kind, renamed(object, name, nameOf)))
  }
  const { kind } = first
  return { entries: next, opened: { kind, name: nameOf({ kind, name: first.object.metadata.name }) } }
}

function renamed(
  object: FlowSchema | PriorityLevelConfiguration,
  name: string,
  nameOf: (ref: ObjectRef) => string,
): FlowSchema | PriorityLevelConfiguration {
  const metadata = { ...object.metadata, name }
  if (!('matchingPrecedence' in object.spec)) return { metadata, spec: object.spec }
  const { priorityLevelConfiguration: to } = object.spec
  const level = nameOf({ kind: 'PriorityLevelConfiguration', name: to.name })
  return { metadata, spec: { ...object.spec, priorityLevelConfiguration: { name: level } } }
}

/** Adds a copy of an object under another name; `undefined` when its text cannot be read. */
export function withCopy(entries: DraftEntries, objects: ObjectSet, ref: ObjectRef): Begun | undefined {
  const text = textOf(entries, objects, ref)
  if (text === undefined) return undefined
  const name = freeName(entries, objects, ref.kind, `${ref.name}-copy`)
  const copy = renameManifest(text, name)
  if (!copy.ok) return undefined
  const opened = { kind: ref.kind, name }
  return { entries: withText(entries, objects, opened, copy.text), opened }
}
