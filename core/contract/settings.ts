import { z } from 'zod'

/** Some of the settings. */
export const SettingsChangeSchema = z.object({
  theme: z.enum(['system', 'dark', 'light']).exactOptional(),
  sidebar: z.enum(['auto', 'rail']).exactOptional(),
  density: z.enum(['regular', 'compact']).exactOptional(),
  singleKeys: z.boolean().exactOptional(),
  /** Clock times in UTC or in the zone of the machine. */
  clock: z.enum(['utc', 'local']).exactOptional(),
  rangeSeconds: z.number().int().min(60).max(86_400).exactOptional(),
  /** Notes that were dismissed: of the first run, about newer versions, and of reverted edits. */
  dismissed: z.array(z.string()).exactOptional(),
  /** The step of the task of the first run that is next. */
  task: z.enum(['none', 'culprit', 'fix', 'effect']).exactOptional(),
  /**
   * Colour slots of levels without a token of their own, in the order in which they were first seen: level name → slot
   * from 1.
   */
  levelSlots: z.record(z.string(), z.number().int().positive()).exactOptional(),
  /** Saved filters of single requests, as typed. */
  liveFilters: z.array(z.string().max(1_000)).max(50).exactOptional(),
  /** Instants that were marked manually, Unix milliseconds, each for the source with that name. */
  marks: z
    .array(z.object({ source: z.string().max(500), at: z.number(), text: z.string().max(200) }))
    .max(200)
    .exactOptional(),
  /** Names that the operator gave to recordings, by their ids. */
  recordingNames: z.record(z.string().max(100), z.string().max(200)).exactOptional(),
  /** Whether sources are recorded from the moment they are connected. */
  record: z.boolean().exactOptional(),
  /** Recordings are stored for this long, and never use more space than this in total. */
  keepDays: z.number().int().min(1).max(365).exactOptional(),
  keepMegabytes: z.number().int().min(100).max(1_000_000).exactOptional(),
  /** Which alerts become a notification of the desktop or the browser. */
  alertNotices: z.enum(['off', 'critical', 'all']).exactOptional(),
  /** Address that is requested once a day for the newest version of the console; empty: nothing is requested. */
  updateFrom: z.string().max(500).exactOptional(),
  /** Columns of single requests that differ from the default: shown ones by name, hidden ones with a leading minus. */
  liveColumns: z.array(z.string().max(50)).max(50).exactOptional(),
})
export type SettingsChange = z.infer<typeof SettingsChangeSchema>

/** The operator's settings; stored by the main side, so that they do not depend on the port of web mode. */
export type Settings = Required<SettingsChange>
