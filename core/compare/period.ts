import type { UnixMs } from '../units.ts'

/** A time span. */
export interface Period {
  readonly from: UnixMs
  readonly to: UnixMs
}

export const MARK_KINDS = [
  'edit',
  'object',
  'reconfigured',
  'restarted',
  'version',
  'rejecting',
  'alert',
  'note',
] as const
/**
 * Something that happened at an instant: an edit of this console, a change seen on an object or only on the limits, a
 * restart, a version, first rejections, an alert, a note.
 */
export interface Mark {
  readonly at: UnixMs
  readonly kind: (typeof MARK_KINDS)[number]
  readonly text: string
}

/** The word for a mark where there is room for one. */
export const MARK_WORDS: Readonly<Record<Mark['kind'], string>> = {
  edit: 'edit',
  object: 'edit',
  reconfigured: 'new limits',
  restarted: 'start',
  version: 'new version',
  rejecting: 'rejections',
  alert: 'alert',
  note: 'mark',
}

/** Limits follow an edit after up to three recomputations of 10 s: this much time after a mark is left out. */
export const SETTLE_MS = 30_000

export interface Periods {
  readonly a: Period
  readonly b: Period
}

/** Equally long periods before a mark and after the settling time. */
export const periodsAround = (mark: UnixMs, lengthMs: number): Periods => ({
  a: { from: mark - lengthMs, to: mark },
  b: { from: mark + SETTLE_MS, to: mark + SETTLE_MS + lengthMs },
})

/** A shorter time after the settling is too little to show what a mark changed. */
export const LEAST_AFTER_MS = 20_000

/** What follows from what somebody did: no pivot where that is marked, too. */
const isSymptom = ({ kind }: Mark): boolean => kind === 'rejecting' || kind === 'alert'

/**
 * The initial comparison for a range: periods around the newest change in it that is followed by enough time, or else
 * around the newest such symptom, no longer than what is left of the range; without either, its end and the time before.
 */
export function firstPeriods({ from, to }: Period, marks: readonly Mark[], lengthMs: number): Periods {
  const left = ({ at }: Mark): number => to - at - SETTLE_MS
  const told = marks.filter((one) => one.at > from && left(one) >= LEAST_AFTER_MS)
  const mark = told.find((one) => !isSymptom(one)) ?? told[0]
  if (mark !== undefined) return periodsAround(mark.at, Math.min(lengthMs, left(mark)))
  const length = Math.min(lengthMs, Math.max(1, to - from))
  return periodsApart({ from: to - length, to }, length)
}

/** A period and the same span of time shifted into the past by this much. */
export const periodsApart = (b: Period, offsetMs: number): Periods => ({
  a: { from: b.from - offsetMs, to: b.to - offsetMs },
  b,
})

/** Milliseconds within which two marks with the same text are the same. */
const SAME_MS = 1_000

/** Marks from several places, the newest first, each once. */
export function joinMarks(...lists: readonly (readonly Mark[])[]): readonly Mark[] {
  const sorted = lists.flat().toSorted((a, b) => b.at - a.at)
  return sorted.filter(
    (mark, index) => !sorted.slice(0, index).some((other) => other.text === mark.text && other.at - mark.at < SAME_MS),
  )
}
