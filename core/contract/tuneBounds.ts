/** With how many seeds the best edits of a search are run. */
export const TUNE_SEEDS = { min: 1, max: 20, usual: 3 } as const
/** Goals of a search, and guard rails. */
export const MOST_TUNE_TEXTS = 50
/** What a search on screen holds to unless told otherwise. */
export const USUAL_GUARD_RAILS = ['rejections of no level may rise', 'failures of no level may rise'] as const
