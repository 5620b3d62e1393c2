import { lastAlert } from '../../core/compare/notes.ts'
import { notesStore } from '../state/notes.ts'
import { settingsNow } from '../state/settings.ts'
import { openOverlay, say } from '../state/shell.ts'
import { timeStore } from '../state/time.ts'
import { readRange, type ParsedRange } from '../state/typedRange.logic.ts'

/** Shows a parsed range, at the instant that it names. */
export function showRange({ window, at }: Extract<ParsedRange, { ok: true }>): void {
  const { show, goTo } = timeStore.getState()
  show(window)
  if (at !== undefined) goTo(at)
}

/** Shows the range or the time on the clipboard. */
export async function pasteRange(): Promise<void> {
  let text: string
  try {
    text = await navigator.clipboard.readText()
  } catch {
    say('The browser does not allow reading the clipboard. Paste the range into the time range field instead.')
    openOverlay('range')
    return
  }
  const parsed = readRange(text, {
    now: Date.now(),
    zone: settingsNow().clock,
    lastAlert: lastAlert(notesStore.getState().notes),
  })
  if (parsed.ok) showRange(parsed)
  else say(parsed.why)
}
