import type { KeyboardEvent } from 'react'
import { settingsNow } from '../state/settings.ts'

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
