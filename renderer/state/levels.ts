import { BUILT_IN_CODES, codesOf, slotLook, type LevelLook } from '../../core/text/levelSlots.ts'
import { settingsNow } from './settings.ts'

/**
 * Colour and code of a priority level: stable regardless of hiding, filtering and sorting. The eight built-in names
 * have a token each; others take the tokens x1 to x8 in the order in which they are first seen, which the settings
 * store.
 */
export function levelLook(name: string): LevelLook {
  return slotLook(name, settingsNow().levelSlots)
}

/** A CSS colour: `var(--lv-workload-low)`. */
export const levelColor = (name: string): string => `var(${levelToken(name)})`

/** The name of the custom property, for canvas: `--lv-workload-low`. */
export const levelToken = (name: string): string => levelLook(name).token

let known: { slots: Readonly<Record<string, number>>; codes: ReadonlyMap<string, string> } | undefined

/** Two letters that no other level of this console has: `WL`. */
export function levelCode(name: string): string {
  const builtIn = BUILT_IN_CODES[name]
  if (builtIn !== undefined) return builtIn
  const slots = settingsNow().levelSlots
  if (known?.slots !== slots) known = { slots, codes: codesOf(slots) }
  return known.codes.get(name) ?? name.slice(0, 2).toUpperCase()
}
