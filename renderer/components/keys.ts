import type { KeyboardEvent } from 'react'
import { settingsNow } from '../state/settings.ts'

/** Whether the focused element uses single letters: text fields, lists with type-ahead, editors. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true
  if (target instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'button', 'submit', 'file'].includes(target.type)
  return target.closest('[role="combobox"], [role="listbox"]') !== null
}

const TEXT = 'input, textarea, select, [contenteditable]'

/**
 * Whether the event is this single letter, intended for the pane: not while typing, and not when single keys are
 * disabled. The queue field is a listbox without type-ahead, so the letter belongs to the pane there too.
 */
export const isPaneKey = (event: KeyboardEvent, letter: string): boolean =>
  event.key === letter &&
  !event.ctrlKey &&
  !event.metaKey &&
  !event.altKey &&
  settingsNow().singleKeys &&
  !(event.target instanceof Element && event.target.matches(TEXT))
