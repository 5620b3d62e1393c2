import { NOTE_IDS } from './firstRun.ts'
import { openScreen } from './route.ts'
import { changeSettings, settingsNow } from './settings.ts'

/** So many are kept of a kind, the newest ones. */
const MOST_OF_A_KIND = 100

/** The first word: `update`, `revert`. A first-run note is a kind of its own, which no other can displace. */
const kindOf = (id: string): string | undefined => id.split(' ', 1)[0]

/** Dismisses for good, on this machine. */
export function dismiss(...ids: readonly string[]): void {
  const all = [...new Set([...settingsNow().dismissed, ...ids])]
  const isKept = (id: string, at: number): boolean =>
    all.slice(at + 1).filter((later) => kindOf(later) === kindOf(id)).length < MOST_OF_A_KIND
  changeSettings({ dismissed: all.filter(isKept) })
}

/** Shows the notes of the first run again, their task included, and nothing else that was dismissed. */
export function showNotes(): void {
  const notes: ReadonlySet<string> = new Set(NOTE_IDS)
  changeSettings({ dismissed: settingsNow().dismissed.filter((id) => !notes.has(id)), task: 'none' })
  openScreen('overview')
}
