import type { KeyboardEvent } from 'react'
import { settingsNow } from '../state/settings.ts'

/** Whether single letters belong to what has the focus: text fields, lists that search as one types, editors. */
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
 * Whether the event is this single letter, meant as a key of the pane: not while typing, not when single keys are off.
 * The queue field is a listbox that does not search as one types, so the letter is the pane's there too.
 */
export const isPaneKey = (event: KeyboardEvent, letter: string): boolean =>
  event.key === letter &&
  !event.ctrlKey &&
  !event.metaKey &&
  !event.altKey &&
  settingsNow().singleKeys &&
  !(event.target instanceof Element && event.target.matches(TEXT))
