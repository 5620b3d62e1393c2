import type { ForecastEvidence } from '../../core/contract/forecast.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { flowsOf } from '../../core/twin/flows.ts'
import { LONGEST_SPAN_SECONDS, twinHistory } from '../../core/twin/history.ts'
import { MS_PER_SECOND, unixMsOf } from '../../core/units.ts'

/** One page of each server is kept in so many milliseconds: whole pages with all their histograms are large. */
const PAGE_MS = 5_000
const MOST_PAGES = (LONGEST_SPAN_SECONDS * MS_PER_SECOND) / PAGE_MS
/** Further servers of a source have no forecast. */
const MOST_SERVERS = 8
const MOST_DUMPS = 60
/** A forecast on the screen follows every keystroke, so that a run has few requests. */
const REQUESTS_OF_RUN = 5_000

/** The pages and dumps of the last ten minutes, for forecasts. */
export interface ForecastPages {
  take(event: SourceEvent): void
  evidence(server: string): ForecastEvidence
}

export function createForecastPages(): ForecastPages {
  /** By server and number of the interval; the first page of each. */
  const pages = new Map<string, Map<number, ServerFrame>>()
  const dumps = new Map<string, DumpFrame[]>()
  const takeFrame = (frame: ServerFrame): void => {
    const kept = pages.get(frame.id) ?? new Map<number, ServerFrame>()
    if (kept.size === 0 && pages.size >= MOST_SERVERS) return
    pages.set(frame.id, kept)
    const number = Math.floor(unixMsOf(frame.at) / PAGE_MS)
    if (kept.has(number)) return
    kept.set(number, frame)
    if (kept.size <= MOST_PAGES) return
    // Ranges of the past come in any order.
    const newest = Math.max(...kept.keys())
    for (const one of kept.keys()) if (one <= newest - MOST_PAGES) kept.delete(one)
  }
  return {
    take(event) {
      if (event.kind === 'frame') takeFrame(event.frame)
      if (event.kind !== 'dump' || !pages.has(event.dump.server)) return
      const { server } = event.dump
      dumps.set(server, [...(dumps.get(server) ?? []), event.dump].slice(-MOST_DUMPS))
    },
    evidence: (server) => ({
      history: twinHistory([...(pages.get(server)?.values() ?? [])], REQUESTS_OF_RUN) ?? null,
      flows: flowsOf(dumps.get(server) ?? []),
    }),
  }
}
