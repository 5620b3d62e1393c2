import type { ShadowReport } from '../../../core/contract/live.ts'
import { format } from '../../theme/format.ts'

export interface ShadowRow {
  readonly what: string
  readonly a: string
  readonly b: string
  /** What B does to it; absent where it is neither, or the same. */
  readonly verdict?: 'better' | 'worse'
}

/** Levels of which the waits are named: those that differ most, by name so that they stay where they are. */
const MOST_LEVELS = 4
/** Differences below one part in twenty are noise; of waits, those within the steps in which they are counted. */
const NOISE = 0.05
const WAIT_NOISE = 0.1
/** Waits below are none: a queue that is passed at once takes this long. Milliseconds. */
const NO_WAIT = 1
/** Nobody sees less. Milliseconds. */
const NOT_BEHIND_MS = 1_000

/** Less is better. */
function verdictOf(a: number | undefined, b: number | undefined, noise: number): ShadowRow['verdict'] {
  if (a === undefined || b === undefined || Math.abs(a - b) <= noise * Math.max(a, b)) return undefined
  return b < a ? 'better' : 'worse'
}

function row(
  what: string,
  a: number | undefined,
  b: number | undefined,
  say: (value: number | undefined) => string,
  noise = NOISE,
): ShadowRow {
  const verdict = verdictOf(a, b, noise)
  return { what, a: say(a), b: say(b), ...(verdict !== undefined && { verdict }) }
}

/** The two configurations side by side. */
export function shadowRows({ seconds, a, b }: ShadowReport): readonly ShadowRow[] {
  const difference = (level: string): number => Math.abs((a.waitP99[level] ?? 0) - (b.waitP99[level] ?? 0))
  const waits = (level: string): boolean => Math.max(a.waitP99[level] ?? 0, b.waitP99[level] ?? 0) >= NO_WAIT
  const levels = [...new Set([...Object.keys(a.waitP99), ...Object.keys(b.waitP99)])]
    .filter(waits)
    .toSorted((one, other) => difference(other) - difference(one) || (one < other ? -1 : 1))
    .slice(0, MOST_LEVELS)
    .toSorted()
  const perSecond = (count: number): number | undefined => (seconds === 0 ? undefined : count / seconds)
  return [
    row('rejected /s', perSecond(a.rejected), perSecond(b.rejected), format.significant),
    ...levels.map((level) => row(`wait p99, ${level}`, a.waitP99[level], b.waitP99[level], format.ms, WAIT_NOISE)),
    { what: 'executing seats', a: format.seats(a.executingSeats), b: format.seats(b.executingSeats) },
    row('queued requests', a.queued, b.queued, format.seats),
  ]
}

/** Over which time both columns are: `last 5 min, 1.2 s behind`. */
export const shadowSpan = ({ seconds, behindMs = 0 }: Pick<ShadowReport, 'seconds' | 'behindMs'>): string =>
  `last ${format.span(seconds)}${behindMs >= NOT_BEHIND_MS ? `, ${format.span(behindMs / 1_000)} behind` : ''}`

/** Of the requests whose length B assumes; `undefined` where it knows all. */
export const assumedSentence = ({ assumed }: Pick<ShadowReport, 'assumed'>): string | undefined =>
  assumed === undefined
    ? undefined
    : `B fell too far behind to wait until ${format.seats(assumed)} ${assumed === 1 ? 'request' : 'requests'} had run under A; it gave them the usual time of their kind.`

/** Of the requests that came since: `1.5 % of 2 336`. */
export function differentShare({ different, a }: Pick<ShadowReport, 'different' | 'a'>): string {
  if (a.arrived === 0) return format.percent(undefined)
  return `${format.fixed((different / a.arrived) * 100, 1)} % of ${format.seats(a.arrived)}`
}
