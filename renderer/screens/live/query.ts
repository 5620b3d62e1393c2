import { create } from 'zustand'
import { useMemo, useEffect, useState } from 'react'
import { compileFilter, parseFilter, type Token } from '../../../core/filter/filter.ts'
import { LIVE_VOCABULARY } from '../../../core/live/liveFilter.ts'
import { liveRows, liveStore } from '../../state/live.ts'
import { timeStore } from '../../state/time.ts'
import { connectionStore } from '../../state/connection.ts'
import { useViewPart } from '../../state/view.ts'
import { Matches } from './matches.ts'
import { Tallies, type Tally } from './tally.ts'
import { clockOf, coveredSeconds } from './columns.tsx'
import type { NowFacts } from './sentence.ts'

/** A filter and its matches. */
export interface Query {
  readonly text: string
  readonly tokens: readonly Token[]
  readonly matches: Matches
  readonly tallies: Tallies
  /** The matches that were rejected. */
  readonly rejections: Matches
  readonly stop: () => void
}

function queryFor(text: string): Query {
  const tokens = parseFilter(text, LIVE_VOCABULARY)
  const passes = compileFilter(tokens, LIVE_VOCABULARY)
  const matches = new Matches(liveRows, passes)
  const tallies = new Tallies(liveRows, matches)
  const rejections = new Matches(liveRows, (row) => row.state === 'rejected' && passes(row))
  const stops = [matches, tallies, rejections].map((listener) => liveRows.listen(listener))
  const look = (): boolean => {
    const done = matches.look(FEW_ROWS)
    return rejections.look(FEW_ROWS) && done
  }
  const slice = (): boolean => {
    const end = performance.now() + SLICE_MS
    let done = look()
    while (!done && performance.now() < end) done = look()
    return done
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const goOn = (): void => {
    if (!slice()) timer = setTimeout(goOn)
    filterStore.setState(({ slices }) => ({ slices: slices + 1 }))
  }
  if (!slice()) timer = setTimeout(goOn)
  stops.push(() => clearTimeout(timer))
  return { text, tokens, matches, tallies, rejections, stop: () => stops.forEach((stop) => stop()) }
}

/**
 * Rows are tested for this long at a time, so that the page responds; and this many between two checks of the clock.
 */
const SLICE_MS = 8
const FEW_ROWS = 64

interface Filtered {
  /** The text in the field. */
  readonly text: string
  /** The applied query: the same text, with a short delay where there are many rows to test. */
  readonly query: Query
  /** Rises whenever older rows were tested. */
  readonly slices: number
}

const filterStore = create<Filtered>(() => ({ text: '', query: queryFor(''), slices: 0 }))

/** From this number of rows on, a filter waits for a pause in the typing. */
const MANY_ROWS = 20_000
const REST_MS = 150

let waiting: ReturnType<typeof setTimeout> | undefined

/** Shows only the rows that pass. */
export function setFilter(text: string): void {
  clearTimeout(waiting)
  filterStore.setState({ text })
  const look = (): void => {
    const { query } = filterStore.getState()
    if (query.text === text) return
    query.stop()
    filterStore.setState({ query: queryFor(text) })
  }
  if (liveRows.count < MANY_ROWS) look()
  else waiting = setTimeout(look, REST_MS)
}

/** Adds a token to the filter, unless it is already there. */
export function addToFilter(token: string): void {
  const { text } = filterStore.getState()
  if (` ${text} `.includes(` ${token} `)) return
  setFilter(text.trim() === '' ? token : `${text.trim()} ${token}`)
}

export const useFilterText = (): string => filterStore(({ text }) => text)
export const useQuery = (): Query => filterStore(({ query }) => query)

/** Renders again when older rows were tested; the number rises each time. */
export const useSlices = (): number => filterStore(({ slices }) => slices)

/** Summary of the recent requests that pass the filter. */
export interface Recent {
  readonly query: Query
  readonly tally: Tally
  /** Clock of the rows and start of the period, Unix milliseconds. */
  readonly now: number
  readonly since: number
  /** Seconds of the period that the rows cover; the divisor of rates. */
  readonly seconds: number
}

/**
 * `seconds`: length of the period, `Infinity` for everything that is kept. Recomputed once a second, not while paused.
 */
export function useRecent(seconds: number): Recent {
  const clock = useSecond()
  const query = useQuery()
  const source = useSource()
  const simulated = liveStore(({ state }) => state?.mode === 'simulation')
  const stands = simulated || source === 'past' || source === 'stale' || source === 'unreached'
  return useMemo(() => {
    const now = clockOf(liveRows.newestAt, clock, stands)
    const since = now - seconds * 1_000
    const covered = coveredSeconds(liveRows.oldestAt, now, seconds)
    return { query, tally: query.tallies.read(since), now, since, seconds: covered }
  }, [clock, query, seconds, stands])
}

const SOON_MS = 250

/** The user's clock, Unix milliseconds; moves once a second, and not while the page is hidden or paused. */
function useSecond(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    // Rows that existed before the page opened are tested soon, paused or not.
    const soon = setTimeout(() => setNow(Date.now()), SOON_MS)
    const timer = setInterval(() => {
      if (!document.hidden && !timeStore.getState().paused) setNow(Date.now())
    }, 1_000)
    return () => {
      clearTimeout(soon)
      clearInterval(timer)
    }
  }, [])
  return now
}

/** Whether the shown source continues. */
export function useSource(): NowFacts['source'] {
  const link = connectionStore((connection) => connection.link)
  const mode = useViewPart((view) => view.mode)
  if (!link) return 'unreached'
  return mode === 'stale' || mode === 'still' || mode === 'past' ? mode : 'live'
}
