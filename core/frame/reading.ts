import { unixMsOf } from '../units.ts'
import type { LevelFrame, Limits, RejectReason, ServerFrame, SourceInfo } from './frame.ts'

/** Functions for reading frames, without their schemas. The page reads frames and has no schemas (decision 010). */

/** `--request-timeout` of a server if the flag is not set. */
export const DEFAULT_REQUEST_TIMEOUT_SECONDS = 60

/** Reasons of rejection, exactly as labelled by the server (specification 8.1). */
export const REJECT_REASONS = ['queue-full', 'concurrency-limit', 'time-out'] as const satisfies readonly RejectReason[]

/** Verbs grouped by similar request times: GET; LIST; and POST, PUT, PATCH, APPLY, DELETE, DELETECOLLECTION. */
export const VERB_GROUPS = ['get', 'list', 'write'] as const
export type VerbGroup = (typeof VERB_GROUPS)[number]

/** Whether a source has a current instant and can provide every other instant of its past by itself. */
export const standsInThePast = ({ kind }: { readonly kind: string }): boolean => kind === 'recording' || kind === 'run'

/** Why screens and commands that read levels have no data for such a source. */
export const WITHOUT_LEVELS = 'The max-in-flight filter has no priority levels.'

/** The max-in-flight filter has no priority levels; nor does a source of it, or the run of a variant that uses it. */
export const isWithoutLevels = ({ algorithm }: Pick<SourceInfo, 'algorithm'>): boolean => algorithm === 'max-in-flight'

/**
 * The engine that decides about the requests of a proxy or feed: `engine of v1.36.2`. The filter is the same in every
 * version.
 */
export const engineText = (algorithm: string | undefined, version: string): string =>
  algorithm === 'max-in-flight' ? 'max-in-flight filter' : `engine of ${version}`

/**
 * Whether this level is of type Exempt. The API server admits that type for the level named `exempt` and no other
 * (specification 10), so the name is enough when the objects cannot be read.
 */
export const isExempt = (level: Pick<LevelFrame, 'name'>): boolean => level.name === 'exempt'

/**
 * Seats that a level has borrowed; less than 0 is lent. With a fair fraction of 0 there is no pool: seats that limits
 * lack are withheld (specification 6.4).
 */
export const movedSeats = (
  { seatFairFrac }: Pick<ServerFrame, 'seatFairFrac'>,
  { current, nominal }: Limits,
): number | undefined =>
  current === undefined || nominal === undefined ? undefined : seatFairFrac === 0 ? 0 : current - nominal

/** Whether a level has lent so many of its nominal seats that it is said to lack them; a rounding or a single seat is not. */
export const isSqueezed = ({
  current = Infinity,
  nominal = 0,
}: {
  readonly current?: number | undefined
  readonly nominal?: number | undefined
}): boolean => current < SQUEEZED_PART * nominal
const SQUEEZED_PART = 0.9

/**
 * Start times that differ by less than this, in seconds, belong to the same process: the kernel derives it from a clock
 * that is corrected.
 */
const SAME_START = 1.5

/** Whether two start times, Unix seconds, are of different processes; false if one is unknown. */
export const isRestart = (was: number | undefined, is: number | undefined): boolean =>
  was !== undefined && is !== undefined && Math.abs(is - was) > SAME_START

/** Sum of the parts, `undefined` if one is unknown; 0 if there are none. */
export const sumOfKnown = (parts: readonly (number | undefined)[]): number | undefined =>
  parts.reduce<number | undefined>((a, b) => (a === undefined || b === undefined ? undefined : a + b), 0)

/** A record with exactly these keys. */
export function recordOf<K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V>
export function recordOf(keys: readonly string[], value: (key: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(keys.map((key) => [key, value(key)]))
}

/** The first page, and each that is at least `leastMs` after the one before it. */
export function spaced(pages: readonly ServerFrame[], leastMs: number): readonly ServerFrame[] {
  const kept: ServerFrame[] = []
  for (const page of pages) {
    const last = kept.at(-1)
    if (last === undefined || unixMsOf(page.at) - unixMsOf(last.at) >= leastMs) kept.push(page)
  }
  return kept
}

/** Executing seats of a server over all of its levels; unknown ones count as none. */
export const executingSeats = ({ levels }: Pick<ServerFrame, 'levels'>): number =>
  levels.reduce((sum, { seats }) => sum + (seats.executing ?? 0), 0)
