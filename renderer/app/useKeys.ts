import { useEffect } from 'react'
import { isTyping } from '../components/keys.ts'
import { settingsNow } from '../state/settings.ts'
import { shellStore } from '../state/shell.ts'
import { run } from './commands.ts'
import { commandOf } from './keymap.ts'

/** How long the first key of a pair waits for the second. */
const CHORD_MS = 1_200

const PRESSABLE = 'button, a, summary'

/** Whether Space would press what has the focus, and is meant to. */
export function isOnControl(target: EventTarget | null, pressed: Element | null): boolean {
  const control = target instanceof Element ? target.closest(`${PRESSABLE}, input`) : null
  return control !== null && control !== pressed
}

/** Listens for the keys of the whole console; panes that use a key themselves stop it before it comes here. */
export function useKeys(): void {
  useEffect(() => {
    /** The button that was pressed by pointer last: it keeps the focus, but Space is not meant for it. */
    let pressed: Element | null = null
    let chord: { key: string; at: number } | undefined
    const onPointerDown = ({ target }: PointerEvent): void => {
      pressed = target instanceof Element ? target.closest(PRESSABLE) : null
    }
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || shellStore.getState().overlay !== undefined) return
      const open = chord !== undefined && event.timeStamp - chord.at < CHORD_MS ? chord.key : undefined
      chord = undefined
      // Whoever moves the focus by keyboard means what it is on.
      if (event.key === 'Tab') pressed = null
      const command = commandOf(
        {
          key: event.key,
          command: event.ctrlKey || event.metaKey,
          shift: event.shiftKey,
          alt: event.altKey,
          typing: isTyping(event.target),
          onControl: isOnControl(event.target, pressed),
          chord: open,
        },
        settingsNow().singleKeys,
      )
      if (command === undefined) return
      event.preventDefault()
      if (command === 'chord') chord = { key: event.key.toLowerCase(), at: event.timeStamp }
      else run(command)
    }
    document.addEventListener('pointerdown', onPointerDown, true)
    document.addEventListener('keydown', onKeyDown)
    return () => {
      document.removeEventListener('pointerdown', onPointerDown, true)
      document.removeEventListener('keydown', onKeyDown)
    }
  }, [])
}
