import { create } from 'zustand'
import type { Client } from '../../core/contract/contract.ts'
import type { RunGiven, RunSpec } from '../../core/contract/whatif.ts'
import type { Stride } from '../../core/contract/simulation.ts'
import { MS_PER_SECOND, unixMsOf } from '../../core/units.ts'
import { client } from './client.ts'
import { ask, connectionStore, connectSource, showConnection } from './connection.ts'
import { askedOf, pastStore } from './past.ts'
import { standsInThePast } from '../../core/frame/reading.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { settingsNow } from './settings.ts'
import { viewStore } from './view.ts'
import { absolute, LONGEST } from './time.logic.ts'
import { instantOf, timeStore } from './time.ts'

/** Where the last step of the shown run ended. */
export interface LastStep {
  /** Unix milliseconds. */
  readonly at: number
  /** Events since the start of the run. */
  readonly events: number
  readonly event?: string
}

export const runStore = create<{ readonly step?: LastStep }>(() => ({}))

/** Runs that this page has opened, by their subject: switching between variants opens none twice. */
const opened = new Map<string, number>()

/** The initial range around an instant of a run. */
const FIRST_RANGE_MS = 600_000

/** The connection of a run, which is opened once. Rejects with `ProblemError` for a run that cannot be opened. */
export async function connectRun(of: RunSpec['of'], given?: RunGiven): Promise<number> {
  const key = JSON.stringify([of, given])
  const known = connectionStore.getState().connections.find(({ id }) => id === opened.get(key))
  const { id } = known ?? (await connectSource({ kind: 'run', of, ...(given !== undefined && { given }) }, true))
  opened.set(key, id)
  return id
}

/**
 * Shows the run of a variant at `seconds` after its start, or at its end. Rejects with `ProblemError` for a run that
 * cannot be opened.
 */
export async function openRun(of: RunSpec['of'], seconds?: number, given?: RunGiven): Promise<void> {
  const id = await connectRun(of, given)
  const { first, last } = await client().call('past.extent', { connection: id })
  showConnection(id)
  if (first === undefined || last === undefined) return
  if (seconds === undefined) return fit(first, last)
  const at = Math.min(last, first + seconds * MS_PER_SECOND)
  const from = Math.max(first, Math.min(at - FIRST_RANGE_MS / 2, last - FIRST_RANGE_MS))
  goTo(from, Math.min(last, from + FIRST_RANGE_MS), at)
}

/** Takes one step of the shown run. Rejects with `ProblemError`. */
export async function stepRun(stride: Stride, back: boolean): Promise<void> {
  const past = pastStore.getState()
  const connection = askedOf(past)
  if (connection === undefined || past.moment === undefined) return
  const { moment, events, event } = await ask('past.step', { at: past.moment.at, stride, back }, connection)
  if (askedOf(pastStore.getState()) !== connection) return
  pastStore.setState({ moment })
  runStore.setState({ step: { at: moment.at, events, ...(event !== undefined && { event }) } }, true)
  timeStore.getState().goTo(moment.at)
}

/** Seconds from the start of the shown run to the shown instant. */
export function runSeconds(): number {
  const { extent, moment } = pastStore.getState()
  return ((moment?.at ?? 0) - (extent?.first ?? 0)) / MS_PER_SECOND
}

/** Keeps a shown run or recording at an instant of it: it has no present to return to. */
export function startRuns(line: Client): () => void {
  let shown: number | undefined
  let ended = false
  const follow = (): void => {
    const { connection } = connectionStore.getState()
    const stands = connection !== undefined && standsInThePast(connection.source) ? connection.id : undefined
    const before = shown
    shown = stands
    // Instants of a run or a recording do not apply to any other source.
    if (before !== undefined && stands === undefined) timeStore.getState().live()
    if (stands === undefined || (stands === before && instantOf(timeStore.getState()) !== undefined)) return
    // The time bar reports why a past cannot be read.
    void enter(stands, stands !== before).catch(() => undefined)
  }
  /** A source opens on all of it: a range up to the newest sample is then that of the one before. */
  const enter = async (stands: number, opens: boolean): Promise<void> => {
    const { first, last } = await line.call('past.extent', { connection: stands })
    if (ended || shown !== stands || first === undefined || last === undefined) return
    const time = timeStore.getState()
    const instant = instantOf(time)
    if (instant !== undefined && instant >= first && instant <= last) return
    fit(first, last, !opens && time.window.kind === 'relative' ? time.window.seconds * MS_PER_SECOND : LONGEST)
  }
  const stops = [connectionStore.subscribe(follow), timeStore.subscribe(follow), startFiles(line)]
  follow()
  return () => {
    ended = true
    for (const stop of stops) stop()
  }
}

/** Shows a file from its first page to its last one, once that is there, unless an address names a range. */
function startFiles(line: Client): () => void {
  let shown: number | undefined
  const fitFile = async (connection: number, server: ServerFrame): Promise<void> => {
    const to = unixMsOf(server.at)
    const range = { from: to - LONGEST, to, maxPoints: MOST_POINTS }
    const [first = to] = (await line.call('history.series', { connection, server: server.id, ...range })).times
    const { window, setRange } = timeStore.getState()
    if (shown === connection && window.kind === 'relative' && first < to)
      setRange(Math.max(SHORTEST_FILE, Math.ceil((to - first) / MS_PER_SECOND)))
  }
  const follow = (): void => {
    const { connection } = connectionStore.getState()
    const { frame, server } = viewStore.getState()
    const file = connection?.source.kind === 'file' ? connection : undefined
    if (shown === file?.id) return
    if (file === undefined) {
      shown = undefined
      return timeStore.getState().setRange(settingsNow().rangeSeconds)
    }
    if (server === undefined || frame?.source.name !== file.source.name) return
    shown = file.id
    // The charts report why a history cannot be read.
    if (timeStore.getState().window.kind === 'relative') void fitFile(file.id, server).catch(() => undefined)
  }
  const stops = [connectionStore.subscribe(follow), viewStore.subscribe(follow)]
  follow()
  return () => {
    for (const stop of stops) stop()
  }
}
const MOST_POINTS = 1_000
/** Seconds. */
const SHORTEST_FILE = 60

/** All of it, or its last day or part, at its last sample. */
const fit = (first: number, last: number, part = LONGEST): void => goTo(Math.max(first, last - part), last, last)

function goTo(from: number, to: number, at: number): void {
  const time = timeStore.getState()
  time.show(absolute(from, to))
  time.goTo(at)
}
