import { z } from 'zod'
import { DEFAULT_SETTINGS } from './defaults.ts'

const fields = {
  theme: z.enum(['system', 'dark', 'light']),
  sidebar: z.enum(['auto', 'rail']),
  density: z.enum(['regular', 'compact']),
  singleKeys: z.boolean(),
  /** Clock times in UTC or in the zone of the machine. */
  clock: z.enum(['utc', 'local']),
  rangeSeconds: z.number().int().min(60).max(86_400),
  /** Notes of the first run that were dismissed. */
  dismissed: z.array(z.string()),
  /** Colour slots of levels without a token of their own, by first sight: level name → slot from 1. */
  levelSlots: z.record(z.string(), z.number().int().positive()),
  /** Saved filters of single requests, as they are typed. */
  liveFilters: z.array(z.string().max(1_000)).max(50),
  /** Instants that were marked by hand, Unix milliseconds, each of the source with that name. */
  marks: z.array(z.object({ source: z.string().max(500), at: z.number(), text: z.string().max(200) })).max(200),
  /** Whether sources are recorded from the moment they are connected. */
  record: z.boolean(),
  /** Recordings are kept for so long, and together never take more. */
  keepDays: z.number().int().min(1).max(365),
  keepMegabytes: z.number().int().min(100).max(1_000_000),
  /** Which alerts become a notification of the desktop or the browser. */
  alertNotices: z.enum(['off', 'critical', 'all']),
  /** Address that is asked for the newest version of the console once a day; empty: nothing is asked. */
  updateFrom: z.string().max(500),
  /** Columns of single requests that are not shown as usual: shown ones by name, hidden ones with a leading minus. */
  liveColumns: z.array(z.string().max(50)).max(50),
}

/** What the operator set; kept by the main side, so that it outlives the port of web mode. */
export const SettingsSchema = z.object({
  theme: fields.theme.default(DEFAULT_SETTINGS.theme),
  sidebar: fields.sidebar.default(DEFAULT_SETTINGS.sidebar),
  density: fields.density.default(DEFAULT_SETTINGS.density),
  singleKeys: fields.singleKeys.default(DEFAULT_SETTINGS.singleKeys),
  clock: fields.clock.default(DEFAULT_SETTINGS.clock),
  rangeSeconds: fields.rangeSeconds.default(DEFAULT_SETTINGS.rangeSeconds),
  dismissed: fields.dismissed.default(DEFAULT_SETTINGS.dismissed),
  levelSlots: fields.levelSlots.default(DEFAULT_SETTINGS.levelSlots),
  liveFilters: fields.liveFilters.default(DEFAULT_SETTINGS.liveFilters),
  liveColumns: fields.liveColumns.default(DEFAULT_SETTINGS.liveColumns),
  marks: fields.marks.default(DEFAULT_SETTINGS.marks),
  record: fields.record.default(DEFAULT_SETTINGS.record),
  keepDays: fields.keepDays.default(DEFAULT_SETTINGS.keepDays),
  keepMegabytes: fields.keepMegabytes.default(DEFAULT_SETTINGS.keepMegabytes),
  alertNotices: fields.alertNotices.default(DEFAULT_SETTINGS.alertNotices),
  updateFrom: fields.updateFrom.default(DEFAULT_SETTINGS.updateFrom),
})
export type Settings = { [K in keyof typeof fields]: z.infer<(typeof fields)[K]> }

/** Some of the settings; made from fields without defaults, which would fill in those that are not named. */
export const SettingsChangeSchema = z.object({
  theme: fields.theme.exactOptional(),
  sidebar: fields.sidebar.exactOptional(),
  density: fields.density.exactOptional(),
  singleKeys: fields.singleKeys.exactOptional(),
  clock: fields.clock.exactOptional(),
  rangeSeconds: fields.rangeSeconds.exactOptional(),
  dismissed: fields.dismissed.exactOptional(),
  levelSlots: fields.levelSlots.exactOptional(),
  liveFilters: fields.liveFilters.exactOptional(),
  liveColumns: fields.liveColumns.exactOptional(),
  marks: fields.marks.exactOptional(),
  record: fields.record.exactOptional(),
  keepDays: fields.keepDays.exactOptional(),
  keepMegabytes: fields.keepMegabytes.exactOptional(),
  alertNotices: fields.alertNotices.exactOptional(),
  updateFrom: fields.updateFrom.exactOptional(),
})
export type SettingsChange = z.infer<typeof SettingsChangeSchema>
