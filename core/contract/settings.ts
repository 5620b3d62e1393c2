import { z } from 'zod'

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
  /** Columns of single requests that are not shown as usual: shown ones by name, hidden ones with a leading minus. */
  liveColumns: z.array(z.string().max(50)).max(50),
}

/** What the operator set; kept by the main side, so that it outlives the port of web mode. */
export const SettingsSchema = z.object({
  theme: fields.theme.default('system'),
  sidebar: fields.sidebar.default('auto'),
  density: fields.density.default('regular'),
  singleKeys: fields.singleKeys.default(true),
  clock: fields.clock.default('utc'),
  rangeSeconds: fields.rangeSeconds.default(600),
  dismissed: fields.dismissed.default([]),
  levelSlots: fields.levelSlots.default({}),
  liveFilters: fields.liveFilters.default([]),
  liveColumns: fields.liveColumns.default([]),
  marks: fields.marks.default([]),
  record: fields.record.default(true),
  keepDays: fields.keepDays.default(7),
  keepMegabytes: fields.keepMegabytes.default(2_000),
  alertNotices: fields.alertNotices.default('off'),
})
export type Settings = z.infer<typeof SettingsSchema>

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
})
export type SettingsChange = z.infer<typeof SettingsChangeSchema>
