import { create } from 'zustand'
import { openScreen } from './route.ts'

export type SettingName = 'sidebar' | 'range' | 'record' | 'age' | 'size' | 'updates'

/** The setting that was asked for by its name, until the Settings screen has the focus on it. */
export const wantedSettingStore = create<{ readonly wanted?: SettingName }>(() => ({}))

export function openSetting(wanted: SettingName): void {
  wantedSettingStore.setState({ wanted })
  openScreen('settings')
}
