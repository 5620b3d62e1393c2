import { describe, expect, it } from 'vitest'
import { SettingsChangeSchema } from './settings.ts'

describe('a change of settings', () => {
  it('holds what was given and no defaults, so that it resets nothing', () => {
    expect(SettingsChangeSchema.parse({ theme: 'dark' })).toEqual({ theme: 'dark' })
    expect(SettingsChangeSchema.parse({})).toEqual({})
  })
  it('is checked as the settings are', () => {
    expect(SettingsChangeSchema.safeParse({ rangeSeconds: 1 }).success).toBe(false)
  })
})
