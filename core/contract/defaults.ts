import type { NotesState } from './recording.ts'
import type { Settings } from './settings.ts'

/** Defaults until the operator sets something else; the page shows them before it has received the stored settings. */
export const DEFAULT_SETTINGS: Settings = {
  theme: 'system',
  sidebar: 'auto',
  density: 'regular',
  singleKeys: true,
  clock: 'utc',
  rangeSeconds: 600,
  dismissed: [],
  task: 'none',
  levelSlots: {},
  liveFilters: [],
  liveColumns: [],
  marks: [],
  recordingNames: {},
  record: true,
  keepDays: 7,
  keepMegabytes: 2_000,
  alertNotices: 'off',
  updateFrom: '',
}

/** For a source that was just connected. */
export const NO_NOTES: NotesState = { notes: [], past: [] }
