import { create } from 'zustand'
import type { Client } from '../../core/contract/contract.ts'
import { toProblem, type Problem } from '../../core/errors.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { type Point, pointOf } from '../../core/history/point.ts'
import type { Series } from '../../core/history/series.ts'
import { addSeries, createTier, tierFrom, type Tier, type TierQuery } from '../../core/history/tier.ts'
import { chosen, type Arrival } from './view.logic.ts'

export interface SeriesState {
  readonly series?: Series
  /** Why the history could not be read; the previous series stays. */
  readonly problem?: Problem
}

export const seriesStore = create<SeriesState>(() => ({}))

/** History of the selected server over the shown range, extended as frames arrive. */
export const useSeries = (): Series | undefined => seriesStore(({ series }) => series)

export const useSeriesProblem = (): Problem | undefined => seriesStore(({ problem }) => problem)

/** The series to show; another `key` means another history. */
export interface SeriesWish {
  readonly key: string
  readonly connection: number
  /** Another connection, with earlier times of the same servers. */
  readonly past?: number | undefined
  readonly server: string
  readonly from: number
  readonly to: number
  /** Whether arriving frames extend it: following, and not paused. */
  readonly follow: boolean
}

export interface SeriesFeed {
  /** Records a frame; it becomes visible with the next `show`. */
  hear(event: Arrival, server: string | undefined): void
  /** Updates the store to the wish: fetches, or appends the received frames. */
  show(wish: SeriesWish | undefined, now: number): void
}

/** Ten minutes at one a second, with a small margin. */
export const CHART_POINTS = 620
/** Including gap points, and points that leave the chart while it moves on. */
const CAPACITY = 2 * CHART_POINTS
const EVERYTHING = { to: Number.MAX_SAFE_INTEGER, maxPoints: Number.MAX_SAFE_INTEGER }
/** A history that lost samples is fetched again at most this often. */
const REFETCH_MS = 5_000
/** More frames than this are not kept while nothing is shown (hidden page, pause): the history is fetched again. */
const MAX_HEARD = 120

/** A source without data for a server is ignored; the recorded data counts. */
const ignore =
  (past: number | undefined) =>
  (thrown: unknown): undefined => {
    if (past === undefined) throw thrown
  }

/** Two histories of one server as one. */
function joined(parts: readonly (Series | undefined)[], query: TierQuery): Series {
  const known = parts.filter((part) => part !== undefined)
  const [first, ...more] = known.filter(({ times }) => times.length > 0)
  if (first === undefined || more.length === 0) return first ?? known[0] ?? nothing
  const stepMs = 1_000 * Math.max(...known.map(({ mergedSeconds }) => mergedSeconds))
  const both = createTier({ capacity: CAPACITY * 2, stepMs })
  for (const part of known) addSeries(both, part)
  return { server: first.server, ...both.query(query) }
}
const nothing: Series = {
  server: '',
  stepSeconds: 1,
  mergedSeconds: 0,
  times: [],
  samples: [],
  fairFrac: [],
  levels: [],
}

/**
 * The history of a server between two instants, from the recording and from the source's own memory. `reading`: that of
 * the recording, where it is read already.
 */
export async function readSeries(
  client: Pick<Client, 'call'>,
  { connection: of, past, server, from, to }: Pick<SeriesWish, 'connection' | 'past' | 'server' | 'from' | 'to'>,
  reading?: Promise<Series>,
): Promise<Series> {
  const read = (asked: number): Promise<Series> =>
    client.call('history.series', { connection: asked, server, from, to, maxPoints: CHART_POINTS })
  const recorded = reading ?? (past === undefined ? undefined : read(past))
  const series = await Promise.all([recorded, read(of).catch(ignore(past))])
  return joined(series, { from, to, maxPoints: CHART_POINTS })
}

/** Keeps `seriesStore` in step with the shown range: history from the other side, the live end from frames. */
export function seriesFeed(client: Client): SeriesFeed {
  let heard: Point[] = []
  /** The shown history, with the frames since then. */
  let tier: Tier | undefined
  let before: ServerFrame | undefined
  let connection: number | undefined
  let seq: number | undefined
  let incomplete = false
  let fetching: AbortController | undefined
  let current: { key: string; at: number } | undefined

  const forget = (): void => {
    heard = []
    before = undefined
    seq = undefined
  }

  const fetchHistory = async (wish: SeriesWish, sameServer: boolean): Promise<void> => {
    fetching?.abort()
    const aborter = new AbortController()
    fetching = aborter
    // Samples that arrive while nothing follows are not in this answer: following again fetches anew.
    incomplete = !wish.follow
    if (!sameServer) seriesStore.setState({}, true)
    try {
      const series = await readSeries(client, wish)
      if (aborter.signal.aborted) return
      tier = tierFrom(series, CAPACITY)
      seriesStore.setState({ series }, true)
    } catch (thrown) {
      if (aborter.signal.aborted) return
      seriesStore.setState({ problem: toProblem(thrown) })
      incomplete = true
    } finally {
      if (fetching === aborter) fetching = undefined
    }
  }

  return {
    hear(event, id) {
      if (event.connection !== connection) {
        forget()
        connection = event.connection
      }
      if (seq !== undefined && event.seq > seq + 1) incomplete = true
      seq = event.seq
      const server = chosen(event.frame.servers, id)
      if (server === undefined || (server.id === before?.id && server.at === before.at)) return
      const derived = event.derived.find((entry) => entry.id === server.id)
      heard.push(pointOf(server, derived))
      before = server
      if (heard.length > MAX_HEARD) {
        heard = []
        incomplete = true
      }
    },
    show(wish, now) {
      if (wish === undefined) {
        fetching?.abort()
        current = undefined
        forget()
        seriesStore.setState({}, true)
        return
      }
      const old = seriesStore.getState().series
      if (current?.key !== wish.key || (incomplete && wish.follow && now - current.at >= REFETCH_MS)) {
        // Frames received until now are part of the history that is being fetched.
        heard = []
        current = { key: wish.key, at: now }
        void fetchHistory(wish, old?.server === wish.server)
        return
      }
      if (!wish.follow || fetching !== undefined || old === undefined || tier === undefined || heard.length === 0)
        return
      for (const point of heard) tier.add(point)
      heard = []
      // Lines start at the last point before the range.
      const from = old.times.findLast((time) => time < wish.from) ?? wish.from
      seriesStore.setState({ series: { server: old.server, ...tier.query({ from, ...EVERYTHING }) } })
    },
  }
}
