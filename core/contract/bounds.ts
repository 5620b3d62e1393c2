/** Bounds and choices of the contract, without its schemas: the page shows them and has none. */

/** Bounds of the polling intervals, milliseconds. */
export const INTERVAL_MS = { min: 500, max: 60_000, default: 1_000 } as const
export const DUMPS_MS = { min: 2_000, max: 300_000, default: 5_000 } as const

/** Kept by the main side, newest first out; the page shows as many. */
export const KEPT_REQUESTS = 200_000

/** What needs every sample of a range is read of its last milliseconds alone, this many, unless it was kept beside them. */
export const MOST_READ_MS = 1_800_000

/** Most requests in one answer about the past. */
export const MOST_PAST_REQUESTS = 5_000

/** What fits into a message in base64. */
export const MOST_SHARED_BYTES = 45 * 1024 * 1024

/** A file with a recording; all recordings of a console take no more by default. */
export const MOST_RECORDING_BYTES = 2 * 1024 * 1024 * 1024

/** A page sends such a file in parts of at most this many bytes, and never waits for so long between two of them. */
export const UPLOAD_PART_BYTES = 4 * 1024 * 1024
export const UPLOAD_IDLE_MS = 60_000

/** Rows in the table of saved requests. */
export const MOST_REQUEST_TESTS = 2_000

/** Characters of a scenario that the page may send. */
export const MOST_SCENARIO_TEXT = 1_000_000

/** A baseline and its candidates together. */
export const MOST_VARIANTS = 8

/** How many simulated seconds pass in one. */
export const SPEED = { min: 0.1, max: 1_000, default: 1 } as const

/** How far a step goes: an event, a dispatch or rejection, a second, a recomputation of the limits. */
export const STRIDES = ['event', 'decision', 'second', 'recomputation'] as const

/** What a forecast is about, for each level. Waits in seconds, seats as means over the time. */
export const QUANTITIES = ['waitP50', 'waitP99', 'rejectedPerSecond', 'seats', 'current'] as const

/** Of the work of a forecast, the fit of its twin is this part where it has to be made. */
export const FIT_PART = 0.5

/** With how many seeds the best edits of a search are run. */
export const TUNE_SEEDS = { min: 1, max: 20, usual: 3 } as const

/** Goals of a search, and guard rails. */
export const MOST_TUNE_TEXTS = 50

/** What a search on screen holds to unless told otherwise. */
export const USUAL_GUARD_RAILS = ['rejections of no level may rise', 'failures of no level may rise'] as const
