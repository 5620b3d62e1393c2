import type { Suggestion } from '../../core/contract/advice.ts'
import { withDeletion, withText } from '../../core/draft/draft.ts'
import { changeDraft } from './draft.ts'
import { openPage } from './route.ts'

/** Puts objects into the draft of the Editor, and shows the first one. */
export function openDraft(changes: Suggestion['changes']): void {
  const [first] = changes
  if (first === undefined) return
  changeDraft((entries, objects) =>
    changes.reduce(
      (all, { kind, name, text }) =>
        text === null ? withDeletion(all, objects, { kind, name }) : withText(all, objects, { kind, name }, text),
      entries,
    ),
  )
  openPage('editor', 'draft', `${first.kind}/${first.name}`)
}
