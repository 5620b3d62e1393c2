import { create } from 'zustand'
import { compileFilter, parseFilter, type Token } from '../../../core/filter/filter.ts'
import { LIVE_VOCABULARY } from '../../../core/live/liveFilter.ts'
import { liveRows } from '../../state/live.ts'
import { Matches } from './matches.ts'
import { Tallies } from './tallies.ts'

/** A filter and what passes it. */
export interface Query {
  readonly text: string
  readonly tokens: readonly Token[]
  readonly matches: Matches
  readonly tallies: Tallies
  readonly stop: () => void
}

function queryFor(text: string): Query {
  const tokens = parseFilter(text, LIVE_VOCABULARY)
  const passes = compileFilter(tokens, LIVE_VOCABULARY)
  const matches = new Matches(liveRows, passes)
  const tallies = new Tallies(liveRows, passes)
  const stops = [liveRows.listen(matches), liveRows.listen(tallies)]
  return { text, tokens, matches, tallies, stop: () => stops.forEach((stop) => stop()) }
}

interface Filtered {
  /** What stands in the field. */
  readonly text: string
  /** What is shown: the same, a moment later where there are many rows to look through. */
  readonly query: Query
}

const filterStore = create<Filtered>(() => ({ text: '', query: queryFor('') }))

/** From here on a filter waits for a rest in the typing. */
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

/** Adds a token to the filter, unless it stands there. */
export function addToFilter(token: string): void {
  const { text } = filterStore.getState()
  if (` ${text} `.includes(` ${token} `)) return
  setFilter(text.trim() === '' ? token : `${text.trim()} ${token}`)
}

export const useFilterText = (): string => filterStore(({ text }) => text)
export const useQuery = (): Query => filterStore(({ query }) => query)
