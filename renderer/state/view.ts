import { create } from 'zustand'
import type { Moment } from '../../core/contract/recording.ts'
import type { DerivedServer } from '../../core/frame/derived.ts'
import type { Frame, ServerFrame } from '../../core/frame/frame.ts'
import { isWithoutLevels } from '../../core/frame/reading.ts'
import { unixMsOf, type UnixMs } from '../../core/units.ts'
import { connectionStore, useConnected } from './connection.ts'
import { pastStore } from './past.ts'
import { selectionStore } from './selection.ts'
import { timeStore } from './time.ts'
import { simulationStore } from './simulation.ts'
import { ageOf, ageOfSimulated, chosen, modeOf, type Arrivals, type Mode } from './view.logic.ts'

/** The content of the screens now. */
export interface View {
  /** Frozen while paused. */
  readonly frame: Frame | undefined
  readonly derived: readonly DerivedServer[]
  readonly mode: Mode
  /** Milliseconds since the shown frame was requested. */
  readonly ageMs: number
  /** Frames that arrived while paused. */
  readonly buffered: number
  /** The selected server's part of `frame`. */
  readonly server: ServerFrame | undefined
  readonly derivedServer: DerivedServer | undefined
}

const EMPTY: View = {
  frame: undefined,
  derived: [],
  mode: 'none',
  ageMs: 0,
  buffered: 0,
  server: undefined,
  derivedServer: undefined,
}

export const viewStore = create<View>(() => EMPTY)

/** Computes the view from the arrivals and the time of the newest one, the connection, the selection and the clock. */
export function viewOf(arrivals: Arrivals, heardAt: number, now: number): View {
  const { connection } = connectionStore.getState()
  const { server: id } = selectionStore.getState()
  const { paused } = timeStore.getState()
  const { shown, newest, buffered } = arrivals
  const { moment } = pastStore.getState()
  if (moment !== undefined && connection !== undefined) return pastView(moment, arrivals, now)
  const hasFrame = shown !== undefined
  const { state } = simulationStore.getState()
  const simulated = connection?.source.kind === 'simulation'
  const stands = state?.paused === true || state?.ended === true
  const age = (event: Arrivals['shown']): number =>
    simulated ? ageOfSimulated(heardAt, now, stands) : ageOf(event, id, now)
  const mode = modeOf({ connection, hasFrame, paused, newestAgeMs: age(newest) })
  if (!hasFrame) return { ...EMPTY, mode }
  const server = chosen(shown.frame.servers, id)
  return {
    frame: shown.frame,
    derived: shown.derived,
    mode,
    ageMs: age(shown),
    buffered,
    server,
    derivedServer: shown.derived.find((entry) => entry.id === server?.id),
  }
}

function pastView({ at, frame, derived }: Moment, { buffered }: Arrivals, now: number): View {
  const server = chosen(frame?.servers ?? [], selectionStore.getState().server)
  return {
    frame,
    derived,
    mode: 'past',
    ageMs: Math.max(0, now - at),
    buffered,
    server,
    derivedServer: derived.find((entry) => entry.id === server?.id),
  }
}

export const useView = (): View => viewStore()

/** Part of the view; the component renders again only when the part changes. */
export const useViewPart = <T>(select: (view: View) => T): T => viewStore(select)

/** The present of the shown source, Unix milliseconds: a simulation has its own, the others use `now`. */
export const nowAt = ({ frame, server }: Pick<View, 'frame' | 'server'>, now: UnixMs): UnixMs =>
  frame?.source.kind === 'simulation' && server !== undefined ? unixMsOf(server.at) : now

/** The shown server, where its flow control is the max-in-flight filter, which has no levels. */
export const withoutLevels = ({ frame, server }: View): ServerFrame | undefined =>
  frame !== undefined && isWithoutLevels(frame.source) ? server : undefined

/** Whether the shown source has levels, even before its first sample. */
export function useHasLevels(): boolean {
  const source = useConnected()?.source
  return source === undefined || !isWithoutLevels(source)
}
