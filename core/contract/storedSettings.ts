import { DEFAULT_SETTINGS } from './defaults.ts'
import { SettingsChangeSchema, type Settings } from './settings.ts'

/** Settings as stored: those that the operator never set have their defaults. */
export const SettingsSchema = SettingsChangeSchema.transform((given): Settings => ({ ...DEFAULT_SETTINGS, ...given }))
