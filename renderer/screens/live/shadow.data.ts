import type { ShadowReport } from '../../../core/contract/live.ts'
import { format } from '../../theme/format.ts'

export interface ShadowRow {
  readonly what: string
  readonly a: string
  readonly b: string
  /** What B does to it; absent where it is neither, or the same. */
  readonly verdict?: 'better' | 'worse'
}

/** The report is about that long. */
const SECONDS = 300
/** Levels of which the waits are named: those that differ most. */
const MOST_LEVELS = 4
/** Differences below one part in twenty are noise. */
const NOISE = 0.05

/** Less is better. */
function verdictOf(a: number | undefined, b: number | undefined): ShadowRow['verdict'] {
  if (a === undefined || b === undefined || Math.abs(a - b) <= NOISE * Math.max(a, b)) return undefined
  return b < a ? 'better' : 'worse'
}

function row(
  what: string,
  a: number | undefined,
  b: number | undefined,
  say: (value: number | undefined) => string,
): ShadowRow {
  const verdict = verdictOf(a, b)
  return { what, a: say(a), b: say(b), ...(verdict !== undefined && { verdict }) }
}

/** The two configurations side by side. */
export function shadowRows({ a, b }: ShadowReport): readonly ShadowRow[] {
  const difference = (level: string): number => Math.abs((a.waitP99[level] ?? 0) - (b.waitP99[level] ?? 0))
  const levels = [...new Set([...Object.keys(a.waitP99), ...Object.keys(b.waitP99)])]
    .toSorted((one, other) => difference(other) - difference(one) || (one < other ? -1 : 1))
    .slice(0, MOST_LEVELS)
  return [
    row('rejected /s', a.rejected / SECONDS, b.rejected / SECONDS, format.significant),
    ...levels.map((level) => row(`wait p99, ${level}`, a.waitP99[level], b.waitP99[level], format.ms)),
    { what: 'executing seats', a: format.seats(a.executingSeats), b: format.seats(b.executingSeats) },
    row('queued requests', a.queued, b.queued, format.seats),
  ]
}
