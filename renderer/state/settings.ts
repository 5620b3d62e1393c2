import { create } from 'zustand'
import { DEFAULT_SETTINGS } from '../../core/contract/defaults.ts'
import type { Settings } from '../../core/contract/settings.ts'
import { setClock } from '../theme/format.ts'
import { assignSlots } from '../theme/levelSlots.ts'
import { client } from './client.ts'

export const settingsStore = create<Settings>(() => DEFAULT_SETTINGS)

/** The settings at this moment, for code outside components. */
export const settingsNow = (): Settings => settingsStore.getState()

/** Takes over what the other side keeps. */
export async function loadSettings(): Promise<void> {
  adopt(await client().call('settings.read', null))
}

function adopt(settings: Settings): void {
  setClock(settings.clock)
  settingsStore.setState(settings, true)
}

/** Shows the change at once and has it kept; when keeping fails the change lasts as long as the page. */
export function changeSettings(change: Partial<Settings>): void {
  adopt({ ...settingsNow(), ...change })
  client()
    .call('settings.write', change)
    .catch(() => undefined)
}

/** Gives colour slots to levels seen for the first time. Call it before what shows them is painted. */
export function rememberLevels(names: readonly string[]): void {
  const levelSlots = assignSlots(settingsNow().levelSlots, names)
  if (levelSlots !== undefined) changeSettings({ levelSlots })
}

export function useSettings(): [Settings, (change: Partial<Settings>) => void] {
  return [settingsStore(), changeSettings]
}
