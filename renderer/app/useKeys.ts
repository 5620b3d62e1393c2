import { useEffect } from 'react'
import { isTyping } from '../components/keys.ts'
import { settingsNow } from '../state/settings.ts'
import { run } from './commands.ts'
import { commandOf } from './keymap.ts'
import { shellStore } from './shellStore.ts'

/** How long the first key of a pair waits for the second. */
const CHORD_MS = 1_200

/** Listens for the keys of the whole console; panes that use a key themselves stop it before it comes here. */
export function useKeys(): void {
  useEffect(() => {
    let chord: { key: string; at: number } | undefined
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || shellStore.getState().overlay !== undefined) return
      const open = chord !== undefined && event.timeStamp - chord.at < CHORD_MS ? chord.key : undefined
      chord = undefined
      const command = commandOf(
        {
          key: event.key,
          command: event.ctrlKey || event.metaKey,
          shift: event.shiftKey,
          alt: event.altKey,
          typing: isTyping(event.target),
          onControl: event.target instanceof Element && event.target.closest('button, a, summary, input') !== null,
          chord: open,
        },
        settingsNow().singleKeys,
      )
      if (command === undefined) return
      event.preventDefault()
      if (command === 'chord') chord = { key: event.key.toLowerCase(), at: event.timeStamp }
      else run(command)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}
