import { create } from 'zustand'
import { DEFAULT_SETTINGS } from '../../core/contract/defaults.ts'
import type { Settings } from '../../core/contract/settings.ts'
import { setClock } from '../theme/format.ts'
import { assignSlots } from '../../core/text/levelSlots.ts'
import { client } from './client.ts'

export const settingsStore = create<Settings>(() => DEFAULT_SETTINGS)

/** The settings at this moment, for code outside components. */
export const settingsNow = (): Settings => settingsStore.getState()

/** Applies the settings stored on the other side. */
export async function loadSettings(): Promise<void> {
  adopt(await client().call('settings.read', null))
}

function adopt(settings: Settings): void {
  setClock(settings.clock)
  settingsStore.setState(settings, true)
}

/** Applies the change at once and stores it; when storing fails, the change lasts as long as the page. */
export function changeSettings(change: Partial<Settings>): void {
  adopt({ ...settingsNow(), ...change })
  client()
    .call('settings.write', change)
    .catch(() => undefined)
}

/** Assigns colour slots to levels seen for the first time. Call it before they are painted. */
export function rememberLevels(names: readonly string[]): void {
  const levelSlots = assignSlots(settingsNow().levelSlots, names)
  if (levelSlots !== undefined) changeSettings({ levelSlots })
}

export function useSettings(): [Settings, (change: Partial<Settings>) => void] {
  return [settingsStore(), changeSettings]
}
