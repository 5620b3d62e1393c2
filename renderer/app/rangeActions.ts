import { joinNotes } from '../../core/compare/notes.ts'
import { MS_PER_SECOND } from '../../core/units.ts'
import { wallOf } from '../components/wall.ts'
import { notesStore } from '../state/notes.ts'
import { pastStore } from '../state/past.ts'
import { openOverlay, say } from '../state/shell.ts'
import { timeStore } from '../state/time.ts'
import { windowToText } from '../state/time.logic.ts'
import { readRange, type ParsedRange } from '../state/typedRange.logic.ts'

/**
 * Shows a parsed range, at the instant that it names. Times are read off clocks without a fraction of their second, and
 * the recording may begin within that second: then its first sample is meant.
 */
export function showRange({ window, at }: Extract<ParsedRange, { ok: true }>): void {
  const { show, goTo } = timeStore.getState()
  show(window)
  if (at === undefined) return
  const first = pastStore.getState().extent?.first ?? at
  goTo(first > at && first - at < MS_PER_SECOND ? first : at)
}

/** Copies the shown range. */
export async function copyRange(): Promise<void> {
  const text = windowToText(timeStore.getState().window)
  try {
    await navigator.clipboard.writeText(text)
    say(`Copied the range: ${text}.`)
  } catch {
    say(`The browser does not allow copying. The range is: ${text}.`)
  }
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
  const { notes, past } = notesStore.getState()
  const parsed = readRange(text, wallOf(joinNotes(notes, past)))
  if (parsed.ok) showRange(parsed)
  else say(parsed.why)
}
