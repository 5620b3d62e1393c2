import { useEffect, useSyncExternalStore } from 'react'
import { create } from 'zustand'
import type { Client } from '../../core/contract/contract.ts'
import { toProblem, type Problem } from '../../core/contract/errors.ts'
import { KEPT_REQUESTS, type LiveEvent, type LiveRequest, type LiveState } from '../../core/contract/live.ts'
import type { Connection } from '../../core/contract/source.ts'
import type { SourceInfo } from '../../core/frame/frame.ts'
import { client } from './client.ts'
import { connectionStore } from './connection.ts'
import { LiveRows } from './live.logic.ts'

interface LiveStore {
  /** How the live source does; nothing before it was heard. */
  readonly state?: LiveState
  /** Changes of rows that were not told because there were too many. */
  readonly dropped: number
  /** Nothing older than the oldest row that is kept exists. */
  readonly complete: boolean
  /** Why older rows could not be read. */
  readonly problem?: Problem
}

const NOTHING: LiveStore = { dropped: 0, complete: false }

export const liveStore = create<LiveStore>(() => NOTHING)

/** The rows of the connected source, outside React: they may change thousands of times a second. */
export const liveRows = new LiveRows(KEPT_REQUESTS)

export const useLiveState = (): LiveState | undefined => liveStore(({ state }) => state)

/** Whether sources of this kind tell of single requests. */
export const showsRequests = (kind: SourceInfo['kind']): boolean =>
  kind === 'proxy' || kind === 'feed' || kind === 'simulation'

/** How many rows one question asks for, and how many are read by itself when the page opens. */
const PAGE = 2_000
const READ_AT_START = 20_000
/** Rows are drawn at most ten times a second; half as often while more change between two drawings than can be read. */
const DRAW_MS = 100
const UNREADABLE = 100

/**
 * Listens to the live source until the returned function is called. What came before, and what an event that was left
 * out would have told, is asked for page by page.
 */
export function startLive(line: Client, rows: LiveRows = liveRows): () => void {
  let connection: number | undefined
  let lastEvent: number | undefined
  let healing = false
  let stopped = false

  const begin = (id: number): void => {
    connection = id
    lastEvent = undefined
    rows.clear()
    liveStore.setState(NOTHING, true)
    void readOlder(line, rows, READ_AT_START)
  }
  /** What was missed is among the newest rows, unless very much was. */
  const heal = async (): Promise<void> => {
    if (healing) return
    healing = true
    const asked = connection
    try {
      const page = await line.call('live.page', { count: PAGE })
      if (!stopped && asked === connection) putAll(rows, page)
    } catch {
      // What follows tells of newer rows; these stay as they were last heard of.
    } finally {
      healing = false
    }
  }
  const hear = ({ connection: id, event, requests, dropped }: LiveEvent): void => {
    // Events of what is not connected any more.
    if (connection !== undefined && id < connection) return
    if (id !== connection) begin(id)
    putAll(rows, requests)
    const missed = lastEvent !== undefined && event !== lastEvent + 1
    lastEvent = event
    if (dropped > 0) liveStore.setState((old) => ({ dropped: old.dropped + dropped }))
    if (missed || dropped > 0) void heal()
  }
  const follow = (now: Connection): void => {
    const id = now.state === 'connected' && showsRequests(now.source.kind) ? now.id : undefined
    if (id === connection) return
    if (id !== undefined) return begin(id)
    connection = undefined
    rows.clear()
    liveStore.setState(NOTHING, true)
  }
  const stops = [
    line.subscribe('live', null, hear),
    line.subscribe('liveState', null, (state) => liveStore.setState({ state })),
    connectionStore.subscribe(({ connection: now }) => follow(now)),
  ]
  follow(connectionStore.getState().connection)
  return () => {
    stopped = true
    for (const stop of stops) stop()
    rows.clear()
    liveStore.setState(NOTHING, true)
  }
}

const putAll = (rows: LiveRows, requests: readonly LiveRequest[]): void => {
  for (const request of requests) rows.put(request)
}

let reading: Promise<void> | undefined

/** Reads requests that came before the oldest that is kept, about `count` of them. One such reading goes at a time. */
export function readOlder(line: Client = client(), rows: LiveRows = liveRows, count = PAGE): Promise<void> {
  reading ??= readPages(line, rows, count).finally(() => (reading = undefined))
  return reading
}

async function readPages(line: Client, rows: LiveRows, count: number): Promise<void> {
  for (let read = 0; read < count && rows.count < rows.capacity;) {
    const known = rows.count > 0
    const before = rows.first
    let page: LiveRequest[]
    try {
      page = await line.call('live.page', { count: PAGE, ...(known && { before }) })
    } catch (thrown) {
      liveStore.setState({ problem: toProblem(thrown) })
      return
    }
    // Another source was connected meanwhile.
    if (known && rows.first !== before) return
    // From the newest to the oldest, so that no gap is left when the room ends.
    putAll(rows, page.toReversed())
    read += page.length
    if (page.length < PAGE) {
      liveStore.setState({ complete: true })
      return
    }
  }
}

/** Listens to the live source while something that shows it is mounted. */
export function useLive(): void {
  useEffect(() => startLive(client()), [])
}

/** Draws again when rows changed, at most ten times a second and not while the page is hidden. */
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
