import { useMemo, useEffect, useState } from 'react'
import { liveRows, liveStore } from '../../state/live.ts'
import { timeStore } from '../../state/time.ts'
import { useQuery, type Query } from './query.ts'
import { clockOf, coveredSeconds } from './row.ts'
import type { Tally } from './tally.ts'
import { useSource } from './useSource.ts'

/** What the requests of the last while come to, of those that pass the filter. */
export interface Recent {
  readonly query: Query
  readonly tally: Tally
  /** Clock of the rows and beginning of the while, Unix milliseconds. */
  readonly now: number
  readonly since: number
  /** Seconds of it in which there were requests to see: rates are per these. */
  readonly seconds: number
}

/** `seconds`: length of the while, `Infinity` for everything that is kept. Summed up anew once a second, not while paused. */
export function useRecent(seconds: number): Recent {
  const clock = useSecond()
  const query = useQuery()
  const source = useSource()
  const simulated = liveStore(({ state }) => state?.mode === 'simulation')
  const stands = simulated || source === 'stale' || source === 'unreached'
  return useMemo(() => {
    const now = clockOf(liveRows.newestAt, clock, stands)
    const since = now - seconds * 1_000
    const covered = coveredSeconds(liveRows.oldestAt, now, seconds)
    return { query, tally: query.tallies.read(since), now, since, seconds: covered }
  }, [clock, query, seconds, stands])
}

const SOON_MS = 250

/** The reader's clock, Unix milliseconds; moves once a second, and not while the page is hidden or paused. */
function useSecond(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    // What was there before the page came is there soon, paused or not.
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
