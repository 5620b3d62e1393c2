import { createFormat, type Clock, type Format } from '../../core/text/format.ts'

let clock: Clock = 'utc'

/** Sets the zone of every clock time from now on; the settings store calls it, like setting a locale. */
export function setClock(zone: Clock): void {
  clock = zone
}

/** Numbers and times for the screen. */
export const format: Format = createFormat('screen', () => clock)
