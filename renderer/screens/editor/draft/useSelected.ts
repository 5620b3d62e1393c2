import { useMemo } from 'react'
import { objectOf, parseRef, refKey } from '../../../../core/draft/draft.ts'
import type { ObjectRef } from '../../../../core/guard/finding.ts'
import { openPage, useRoute } from '../../../state/route.ts'
import { readOf, type UnderstoodDraft } from '../../../state/draft.logic.ts'

/**
 * The object that the page is about: the one of the address, else the first that the draft changes, else the first. The
 * same value as long as it is the same object.
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
