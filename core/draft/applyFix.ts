import type { ObjectSet } from '../config/objects.ts'
import type { GuardFix } from '../guard/finding.ts'
import { editManifest } from '../manifest/edit.ts'
import { writeManifest } from '../manifest/write.ts'
import { freeName, textOf, withText, type DraftEntries } from './draft.ts'

/** What a guard rail proposes, as a step of the draft; the same entries when the text cannot be changed. */
export function applyFix(entries: DraftEntries, objects: ObjectSet, fix: GuardFix): DraftEntries {
  switch (fix.action) {
    case 'set': {
      const text = textOf(entries, objects, fix.object)
      const edited = text === undefined ? undefined : editManifest(text, fix.path, fix.value)
      return edited?.ok === true ? withText(entries, objects, fix.object, edited.text) : entries
    }
    case 'add': {
      const { kind, object } = fix
      const name = freeName(entries, objects, kind, object.metadata.name)
      const named = { ...object, metadata: { ...object.metadata, name } }
      return withText(entries, objects, { kind, name }, writeManifest(kind, named))
    }
  }
}
