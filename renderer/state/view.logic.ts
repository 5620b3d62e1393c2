import type { StreamEvent } from '../../core/contract/contract.ts'
import type { Connected } from '../../core/contract/source.ts'
import { staleAfterMs } from '../../core/frame/staleAfter.ts'
import { unixMsOf } from '../../core/units.ts'

export type Arrival = StreamEvent<'frames'>
export type Mode = 'none' | 'connecting' | 'live' | 'paused' | 'stale' | 'still' | 'past'

/** The newest arrival and the shown one: the same while live, apart while paused. */
export interface Arrivals {
  readonly shown?: Arrival
  readonly newest?: Arrival
  /** Frames that arrived since the shown one, including merged ones. */
  readonly buffered: number
}

export const NO_ARRIVALS: Arrivals = { buffered: 0 }

/** Adds one frame of the shown connection. A frame that is not newer than the newest changes nothing. */
export function receive(old: Arrivals, event: Arrival, paused: boolean): Arrivals {
  const { shown, newest } = old
  if (newest !== undefined && event.seq <= newest.seq) return old
  if (!paused || shown === undefined) return { shown: event, newest: event, buffered: 0 }
  return { shown, newest: event, buffered: event.seq - shown.seq }
}

export function release({ newest }: Arrivals): Arrivals {
  return newest === undefined ? NO_ARRIVALS : { shown: newest, newest, buffered: 0 }
}

export interface ModeFacts {
  readonly connection: Connected | undefined
  readonly hasFrame: boolean
  readonly paused: boolean
  /** Age of the newest frame of the selected server, milliseconds. */
  readonly newestAgeMs: number
}

export function modeOf({ connection, hasFrame, paused, newestAgeMs }: ModeFacts): Mode {
  if (connection === undefined) return 'none'
  if (!hasFrame) return 'connecting'
  if (connection.still) return 'still'
  if (paused) return 'paused'
  return newestAgeMs >= staleAfterMs(connection.cadence.intervalMs) ? 'stale' : 'live'
}

/** Minimum real time between frames of a fast simulation. */
const FAST_FRAME_MS = 50

/** Usual interval between samples in their own time, milliseconds: a fast simulation emits fewer. */
export const sampleDistanceMs = (intervalMs: number, speed = 1): number => Math.max(intervalMs, speed * FAST_FRAME_MS)

/**
 * Age of a simulation's newest frame. A simulation has its own clock, so the time since arrival counts; 0 while it is
 * stopped.
 */
export const ageOfSimulated = (heardAt: number, now: number, stands: boolean): number =>
  stands ? 0 : Math.max(0, now - heardAt)

/** The selected entry by id, else the first. */
export function chosen<T extends { readonly id: string }>(items: readonly T[], id: string | undefined): T | undefined {
  return items.find((item) => item.id === id) ?? items[0]
}

/** Age of one server's part of a frame; servers in one frame may differ in age. */
export function ageOf(event: Arrival | undefined, server: string | undefined, now: number): number {
  const at = event === undefined ? undefined : (chosen(event.frame.servers, server)?.at ?? event.frame.at)
  return at === undefined ? 0 : Math.max(0, now - unixMsOf(at))
}
