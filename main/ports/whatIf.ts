import type { AbortSignalLike } from '../../core/contract/contract.ts'
import type { Earlier, ForecastEvent, ForecastEvidence, ForecastWish } from '../../core/contract/forecast.ts'
import type { RecordingPart, RecordingStrip, SharedFile } from '../../core/contract/recording.ts'
import type { Report } from '../../core/contract/report.ts'
import type { ScenarioEvent, ScenarioWish } from '../../core/contract/scenario.ts'
import type { LibraryScenario, RunGiven, WhatIfEvent, WhatIfWish } from '../../core/contract/whatif.ts'
import type { PointResult, SweepEvent, SweepWish } from '../../core/contract/sweep.ts'
import type { SweepBase, SweepPlan } from '../../core/sweep/sweep.ts'
import type { WrittenTune } from '../../core/tune/read.ts'
import type { TuneReport } from '../../core/tune/report.ts'
import type { Island } from '../../core/tune/search.ts'
import type { Choice, TunePlan } from '../../core/tune/tune.ts'
import type { Twin } from '../../core/twin/twin.ts'
import type { Problem } from '../../core/errors.ts'
import type { UnixMs } from '../../core/units.ts'

/** The input of a comparison. */
export interface WhatIfTask {
  readonly wish: WhatIfWish
  readonly given: RunGiven
}

/** A scenario as text; without a seed, its own seed applies. */
export interface ScenarioTask {
  readonly file: string
  readonly text: string
  readonly seed?: number
}

/** The input of a forecast: a twin that is already fitted, or the evidence to fit it to. */
export interface ForecastTask {
  readonly wish: ForecastWish
  readonly evidence?: ForecastEvidence | undefined
  readonly twin?: Twin | undefined
  readonly earlier: Earlier
}

/** The twin as soon as it is fitted, then the events for the page. */
export type ForecastStep = ForecastEvent | { readonly kind: 'twin'; readonly twin: Twin }

/** Some points of a sweep. */
export interface PointsTask {
  readonly base: SweepBase
  readonly plan: Pick<SweepPlan, 'parameters' | 'results'>
  readonly points: readonly Pick<PointResult, 'point' | 'values'>[]
}

/** Each point as soon as it is computed, then the end. */
export type PointsEvent =
  | { readonly kind: 'point'; readonly result: PointResult }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly problem: Problem }

/** What reads a whole recording of a state folder: a second of work for each minute of it. */
export interface RecordingReader {
  /** Throws `not-found` if there is none. */
  strip(id: string, now: UnixMs): Promise<RecordingStrip>
  /** Rejects with `too-large` for a file that does not fit into a message, and like `report`. */
  export(part: RecordingPart, version: string, following?: Following): Promise<SharedFile>
  /** Rejects with `not-found` for a part without recorded data. */
  report(part: RecordingPart, version: string, following?: Following): Promise<Report>
}

/** Follows a reading. */
export interface Following {
  /** Called with the fraction that is done. */
  readonly onPart: (part: number) => void
  /** Ends a reading in a thread; its answer then does not come. */
  readonly signal?: AbortSignalLike
}

/** The input of each of them. */
export interface StripTask {
  readonly stateDir: string
  readonly id: string
  readonly now: UnixMs
}
export interface PartTask {
  readonly stateDir: string
  readonly part: RecordingPart
  readonly version: string
}

/** Runs comparisons and forecasts, and reads recordings. */
export interface WhatIfRunner {
  /** The scenarios of the library, in the order of their numbers. */
  scenarios(): Promise<readonly LibraryScenario[]>
  /** The text of one of them; rejects with `not-found`. */
  scenarioText(name: string): Promise<string>
  /** Emits progress until the run is done or failed, or until the signal aborts, which ends the run. */
  run(task: WhatIfTask, emit: (event: WhatIfEvent) => void, signal: AbortSignalLike): void
  /** The same for a scenario. */
  scenario(wish: ScenarioWish, emit: (event: ScenarioEvent) => void, signal: AbortSignalLike): void
  /** The same for a search for the smallest edit, in several threads. */
  search(task: SearchTask, emit: (event: SearchEvent) => void, signal: AbortSignalLike): void
  /** The same for every point of a sweep, in several threads. */
  sweep(wish: SweepWish, emit: (event: SweepEvent) => void, signal: AbortSignalLike): void
  /** The same for a forecast. */
  forecast(task: ForecastTask, emit: (step: ForecastStep) => void, signal: AbortSignalLike): void
  /** Of the recordings in a state folder, in threads. */
  reader?(stateDir: string): RecordingReader
}

/** A whole search. */
export interface SearchTask {
  readonly base: SweepBase
  readonly written: Omit<WrittenTune, 'base' | 'parameters'>
  /** Everything in these levels may be changed, if they get requests. */
  readonly levels: readonly string[]
}

export type SearchEvent =
  | { readonly kind: 'progress'; readonly part: number }
  | { readonly kind: 'done'; readonly report: TuneReport }
  | { readonly kind: 'failed'; readonly problem: Problem }

/** One part of a search for a better configuration: an island of it, or the evidence for what all islands found. */
export type TuneTask =
  | { readonly kind: 'island'; readonly base: SweepBase; readonly plan: TunePlan; readonly island: number }
  | {
      readonly kind: 'report'
      readonly base: SweepBase
      readonly plan: TunePlan
      readonly choices: readonly Choice[]
      readonly evaluations: number
    }

/** Progress, then the result. */
export type TuneEvent =
  | { readonly kind: 'progress'; readonly part: number }
  | { readonly kind: 'done'; readonly island?: Island | undefined; readonly report?: TuneReport | undefined }
  | { readonly kind: 'failed'; readonly problem: Problem }

/** Runs the points of sweeps, and the searches of tuning. */
export interface SweepRunner {
  /** Emits each point until all are computed or the rest failed, or until the signal aborts, which ends the run. */
  points(task: PointsTask, emit: (event: PointsEvent) => void, signal: AbortSignalLike): void
  /** The same for a part of a search. */
  tune(task: TuneTask, emit: (event: TuneEvent) => void, signal: AbortSignalLike): void
}
