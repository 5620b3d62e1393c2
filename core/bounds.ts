/** Bounds and choices of the contract, without its schemas: the page uses them and has no schemas. */

/** Bounds of the polling intervals, milliseconds. */
export const INTERVAL_MS = { min: 500, max: 60_000, default: 1_000 } as const
export const DUMPS_MS = { min: 2_000, max: 300_000, default: 5_000 } as const

/** Kept by the main side, the oldest dropped first; the page shows the same number. */
export const KEPT_REQUESTS = 200_000

/**
 * Data that needs every sample of a range is read for its last milliseconds only, this many, unless it was kept
 * separately.
 */
export const MOST_READ_MS = 1_800_000

/** For an instant of the past, the alert rules are evaluated on the samples of this many milliseconds before it. */
export const ALERTS_LEAD_MS = 900_000

/** No cluster has this many nodes. */
export const MOST_NODES = 100_000

/** Most requests in one answer about the past. */
export const MOST_PAST_REQUESTS = 5_000

/** The largest size that fits into a message in base64. */
export const MOST_SHARED_BYTES = 45 * 1024 * 1024

/** A file with a recording; by default, all recordings of a console together are no larger. */
export const MOST_RECORDING_BYTES = 2 * 1024 * 1024 * 1024

/** A page sends such a file in parts of at most this many bytes, and never pauses for this long between two of them. */
export const UPLOAD_PART_BYTES = 4 * 1024 * 1024
export const UPLOAD_IDLE_MS = 60_000

/** Rows in the table of saved requests. */
export const MOST_REQUEST_TESTS = 2_000

/** Characters of a scenario that the page may send. */
export const MOST_SCENARIO_TEXT = 1_000_000

/** Points of a sweep that runs for a window: each takes about a second of a processor. */
export const MOST_SWEEP_POINTS = 400

/** A baseline and its candidates together. */
export const MOST_VARIANTS = 8

/** Simulated seconds for each real second. */
export const SPEED = { min: 0.1, max: 1_000, default: 1 } as const

/** Length of a step: an event, a dispatch or rejection, a second, a recomputation of the limits. */
export const STRIDES = ['event', 'decision', 'second', 'recomputation'] as const

/** The numbers of a forecast, for each level. Waits in seconds, seats as means over the time. */
export const QUANTITIES = ['waitP50', 'waitP99', 'rejectedPerSecond', 'seats', 'current'] as const

/** Part of the work of a forecast that is spent on fitting its twin, if the twin has to be made. */
export const FIT_PART = 0.5

/** Number of seeds that the best edits of a search are run with. */
export const TUNE_SEEDS = { min: 1, max: 20, usual: 3 } as const
/** Number of edits that a search runs. */
export const TUNE_EVALUATIONS = { min: 4, max: 100_000, usual: 200 } as const

/** Goals of a search, and guard rails. */
export const MOST_TUNE_TEXTS = 50

/** Default guard rails of a search on screen. */
export const USUAL_GUARD_RAILS = ['rejections of no level may rise', 'failures of no level may rise'] as const

/** Whether a variant of a scenario kept the trouble away. */
export const VERDICTS = ['prevented', 'not prevented'] as const
