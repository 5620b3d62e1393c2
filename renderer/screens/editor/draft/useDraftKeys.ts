import { useEffect, type RefObject } from 'react'
import { isTyping } from '../../../components/keys.ts'
import { redoDraft, undoDraft } from '../../../state/draft.ts'
import { runDry } from '../../../state/draftApply.ts'
import { useSettings } from '../../../state/settings.ts'
import { applyKey } from './keys.logic.ts'

const SEARCH = 'input[type="search"]'

/** The keys of the page. Letters also work in the list of objects, where nothing is typed. */
export function useDraftKeys(
  page: RefObject<HTMLElement | null>,
  on: {
    readonly mayEdit: boolean
    readonly onNew: (open: boolean) => void
    readonly onAsk: (asking: 'apply') => void
  },
): void {
  const [{ singleKeys }] = useSettings()
  const { mayEdit, onNew, onAsk } = on
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { target } = event
      const within = (place: string): boolean => target instanceof Element && target.closest(place) !== null
      if (event.defaultPrevented || document.querySelector('[role="dialog"]') !== null || within(SEARCH)) return
      const typing = isTyping(target) && !within('[role="listbox"]')
      const command = applyKey(event, typing || !singleKeys)
      if (command === undefined || (!mayEdit && command !== 'filter' && command !== 'check')) return
      event.preventDefault()
      event.stopPropagation()
      if (command === 'undo') undoDraft()
      else if (command === 'redo') redoDraft()
      else if (command === 'check') void runDry()
      else if (command === 'apply') onAsk('apply')
      else if (command === 'new') onNew(true)
      else page.current?.querySelector<HTMLElement>(SEARCH)?.focus()
    }
    // Before the keys of the whole console hear of it.
    document.addEventListener('keydown', onKeyDown, true)
    return () => document.removeEventListener('keydown', onKeyDown, true)
  }, [page, mayEdit, singleKeys, onNew, onAsk])
}
