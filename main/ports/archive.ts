import type { Extent, Moment, Note, PastRequests, RunStep, RunStepped } from '../../core/contract/recording.ts'
import type { ServerFacts } from '../../core/engine/facts.ts'
import type { AdjustmentStep } from '../../core/frame/derived.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import type { HeatQuery } from '../../core/history/heat.ts'
import type { HeatMap, Series } from '../../core/history/series.ts'
import type { TierQuery } from '../../core/history/tier.ts'
import type { TimedEvent } from '../../core/source/recording.ts'
import type { UnixMs } from '../../core/units.ts'

/**
 * The data of a run, or of the recordings of one source, for any instant and any range; a recording may still be in
 * progress.
 */
export interface Archive {
  extent(): Extent
  moment(at: UnixMs): Moment
  /** For a run: moves one step forward or back. */
  readonly step?: (step: RunStep) => RunStepped
  /** Object counts, sizes and watches of a server as they were known at an instant. */
  facts(server: string, at: UnixMs): ServerFacts | undefined
  /** The last dump of a server up to an instant; `undefined` where none was recorded in the minutes before it. */
  dump(server: string, at: UnixMs): DumpFrame | undefined
  /** The last requests that had arrived by an instant, at most `count`. */
  requests(at: UnixMs, count: number): PastRequests
  /**
   * Notes about servers and objects in a range, oldest first, the last 1,000; for recordings of earlier versions like
   * `heatMap`.
   */
  notes(from: UnixMs, to: UnixMs): readonly Note[]
  series(server: string, query: TierQuery): Series
  /**
   * For recordings of earlier versions only the last `MOST_READ_MS` of the range, because every sample has to be read.
   */
  heatMap(server: string, query: HeatQuery): HeatMap
  /** The last 360 of the range; for recordings of earlier versions like `heatMap`. */
  steps(server: string, from: UnixMs, to: UnixMs): readonly AdjustmentStep[]
  /**
   * Objects and health up to an instant, and the samples of the minute before it; without an instant, at the end of the
   * recordings. Empty where nothing was recorded before it.
   */
  upTo(at?: UnixMs): readonly TimedEvent[]
  /**
   * Pages, dumps, objects and health of a range, after the state at its beginning. Each minute is read when it is asked
   * for.
   */
  events(from: UnixMs, to: UnixMs, without?: Without): Iterable<TimedEvent>
}

/** What is not needed of a range, and therefore not read; it may be given nevertheless. */
export interface Without {
  /** Before `until`, one page of each server per `pageMs` is enough. */
  readonly pages?: { readonly until: UnixMs; readonly pageMs: number }
  /** They take about as long as all pages. */
  readonly dumps?: true
}
