import { lastAlert } from '../../core/compare/notes.ts'
import { notedStore } from '../state/noted.ts'
import { settingsNow } from '../state/settings.ts'
import { openOverlay, say } from '../state/shell.ts'
import { timeStore } from '../state/time.ts'
import { readRange } from '../state/typedRange.logic.ts'

/** Shows the range, or the time, that the clipboard holds. */
export async function pasteRange(): Promise<void> {
  let text: string
  try {
    text = await navigator.clipboard.readText()
  } catch {
    say('This page may not read the clipboard. Paste the range into the time range field instead.')
    openOverlay('range')
    return
  }
  const parsed = readRange(text, {
    now: Date.now(),
    zone: settingsNow().clock,
    lastAlert: lastAlert(notedStore.getState().noted),
  })
  if (!parsed.ok) return say(parsed.why)
  timeStore.getState().show(parsed.window)
  if (parsed.at !== undefined) timeStore.getState().goTo(parsed.at)
}
