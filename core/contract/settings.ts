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
})
export type SettingsChange = z.infer<typeof SettingsChangeSchema>
