import { useEffect, useState, useSyncExternalStore } from 'react'
import { create } from 'zustand'
import type { Client } from '../../core/contract/contract.ts'
import type { Problem } from '../../core/errors.ts'
import type { LiveState } from '../../core/contract/live.ts'
import { KEPT_REQUESTS, MOST_PAST_REQUESTS } from '../../core/bounds.ts'
import type { Moment, PastRequests } from '../../core/contract/recording.ts'
import { onAnswer } from './answer.ts'
import { client } from './client.ts'
import { connectionStore, followConnection, showsRequests } from './connection.ts'
import { LiveRows } from './live.logic.ts'
import { LiveReader } from './liveReader.ts'

interface LiveStore {
  /** State of the live source; absent before its first event. */
  readonly state?: LiveState
  /** There is nothing older than the oldest kept row. */
  readonly complete: boolean
  /** Why older rows could not be read. */
  readonly problem?: Problem
}

const NOTHING: LiveStore = { complete: false }

export const liveStore = create<LiveStore>(() => NOTHING)

/** The rows of the connected source, outside React: they may change thousands of times a second. */
export const liveRows = new LiveRows(KEPT_REQUESTS)

export const useLiveState = (): LiveState | undefined => liveStore(({ state }) => state)

/** How many rows are read when the page opens; for a file all that are kept, because its sums cover all of it. */
const READ_AT_START = 20_000
/**
 * Rows are drawn at most ten times a second; half as often while more of them change between two drawings than can be
 * read.
 */
const DRAW_MS = 100
const UNREADABLE = 100

let reader: LiveReader | undefined

/** Follows the live source until the returned function is called. */
export function startLive(line: Client, rows: LiveRows = liveRows): () => void {
  const isStill = (): boolean => connectionStore.getState().connection?.still === true
  const mine = new LiveReader({
    line,
    rows,
    atStart: () => (isStill() ? rows.capacity : READ_AT_START),
    after: (ms, callback) => void setTimeout(callback, ms),
    now: () => performance.now(),
    onChange: ({ complete, problem }) =>
      liveStore.setState(({ state }) => ({ complete, ...(state && { state }), ...(problem && { problem }) }), true),
  })
  reader = mine
  return followConnection((connection) => {
    const shown = connectionStore.getState().connection
    if (connection === undefined || shown === undefined || !showsRequests(shown)) return () => undefined
    // First, so that the page is not older than the stream, which would cause a complete second read.
    const stops = [
      line.subscribe('live', { connection }, (event) => mine.hear(event)),
      line.subscribe('liveState', { connection }, (state) => liveStore.setState({ state })),
    ]
    mine.begin(connection)
    return () => {
      for (const stop of stops) stop()
      mine.begin(undefined)
      liveStore.setState(NOTHING, true)
    }
  })
}

/** Reads a page of requests before the oldest kept one. */
export const readOlder = async (): Promise<void> => reader?.older()

/** Follows the live source while a component that shows it is mounted. */
export function useLive(): void {
  useEffect(() => startLive(client()), [])
}

/**
 * Reads the requests before an instant of the past while a component that shows them is mounted. Returns why it cannot.
 */
export function usePastRequests(connection: number | undefined, moment: Moment): Problem | undefined {
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    if (connection === undefined) return undefined
    const shown = ({ requests, complete, state }: PastRequests): void => {
      setProblem(undefined)
      liveRows.clear()
      for (const request of requests) liveRows.put(request)
      liveStore.setState({ complete, ...(state && { state }) }, true)
    }
    const ask = () => client().call('past.requests', { connection, at: moment.at, count: MOST_PAST_REQUESTS })
    return onAnswer(ask, shown, { onProblem: setProblem })
    // One instant of a run can have several moments.
  }, [connection, moment])
  useEffect(
    () => () => {
      liveRows.clear()
      liveStore.setState(NOTHING, true)
    },
    [],
  )
  return problem
}

/** Renders again when rows changed, at most ten times a second and not while the page is hidden. */
export function useLiveVersion(): number {
  return useSyncExternalStore(subscribeToDraws, () => drawn)
}

let drawn = 0
let waited = false
let drawTimer: ReturnType<typeof setInterval> | undefined
const drawers = new Set<() => void>()

function subscribeToDraws(draw: () => void): () => void {
  drawers.add(draw)
  drawTimer ??= setInterval(() => {
    if (document.hidden || drawn === liveRows.version) return
    waited = !waited && liveRows.version - drawn > UNREADABLE
    if (waited) return
    drawn = liveRows.version
    for (const one of drawers) one()
  }, DRAW_MS)
  return () => {
    drawers.delete(draw)
    if (drawers.size > 0) return
    clearInterval(drawTimer)
    drawTimer = undefined
  }
}
