import { z } from 'zod'

/** What the operator set; kept by the main side, so that it outlives the port of web mode. */
export const SettingsSchema = z.object({
  theme: z.enum(['system', 'dark', 'light']).default('system'),
  sidebar: z.enum(['auto', 'rail']).default('auto'),
  density: z.enum(['regular', 'compact']).default('regular'),
  singleKeys: z.boolean().default(true),
  /** Clock times in UTC or in the zone of the machine. */
  clock: z.enum(['utc', 'local']).default('utc'),
  rangeSeconds: z.number().int().min(60).max(86_400).default(600),
  /** Notes of the first run that were dismissed. */
  dismissed: z.array(z.string()).default([]),
  /** Colour slots of levels without a token of their own, by first sight: level name → slot from 1. */
  levelSlots: z.record(z.string(), z.number().int().positive()).default({}),
})
export type Settings = z.infer<typeof SettingsSchema>
