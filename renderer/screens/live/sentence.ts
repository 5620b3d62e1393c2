import type { LiveState } from '../../../core/contract/live.ts'
import { format } from '../../theme/format.ts'
import type { Compared } from './tally.ts'

/** A share with as many decimals as distinguish it from 100 %: 99.87 %. */
export function exactPercent({ compared, same }: Compared): string {
  if (compared === 0) return format.percent(undefined)
  if (same === compared) return '100 %'
  // Rounded down: an incomplete share never reads as 100 %.
  return `${format.fixed(Math.floor((same / compared) * 10_000) / 100, 2)} %`
}

/** Below this share the draft allows no conclusions (design 3.10). */
const TRUSTED = 0.99
export const isTrusted = ({ compared, same }: Compared): boolean => compared === 0 || same / compared >= TRUSTED

export interface NowFacts {
  /**
   * Whether the source continues: a file that is read to its end is `still`, and so is a recording up to an instant of
   * the `past`. `unreached`: the console does not respond.
   */
  readonly source: 'live' | 'still' | 'past' | 'stale' | 'unreached'
  readonly filtered: boolean
  /** Requests that pass the filter, out of the known ones. */
  readonly passing: number
  readonly known: number
  /** Requests per second, over the last ten. */
  readonly rate: number
  /** In these ten seconds the server behind the proxy answered no request, although it should have answered some. */
  readonly unanswered: boolean
  readonly agreement: Compared
  /** Milliseconds since the newest request; `undefined` before the first one. */
  readonly quietMs: number | undefined
}

const QUIET_MS = 10_000

/** The one sentence: what is wrong, otherwise what arrives, and how well the engine matches the server. */
export function nowSentence(facts: NowFacts): string {
  const { source, rate, filtered, agreement, quietMs } = facts
  if (source === 'unreached') return 'The console does not respond.'
  if (source === 'stale') return 'The source reports nothing new.'
  if (quietMs === undefined)
    return source === 'past' ? 'No request is recorded up to this instant.' : 'No requests yet.'
  if (source === 'still' || source === 'past') return withAgreement(readSoFar(facts), agreement)
  if (facts.unanswered) return 'The server behind the proxy does not respond.'
  if (quietMs >= QUIET_MS) return `No request for ${format.age(quietMs)}.`
  return withAgreement(
    `${format.significant(rate)} ${filtered ? 'requests/s match this filter' : 'requests/s arrive'}.`,
    agreement,
  )
}

const readSoFar = ({ source, filtered, passing, known }: NowFacts): string =>
  filtered
    ? `${format.seats(passing)} of ${format.seats(known)} requests match this filter.`
    : source === 'past'
      ? `The last ${format.seats(known)} requests up to this instant.`
      : `${format.seats(known)} requests are read.`

const withAgreement = (said: string, agreement: Compared): string =>
  agreement.compared === 0
    ? said
    : `${said} Server and engine agree on ${exactPercent(agreement)} of the ${format.seats(agreement.compared)} requests whose level the server reported.`

/** What the mode means for a request. */
export const MODE: Readonly<Record<LiveState['mode'], { readonly word: string; readonly sentence: string }>> = {
  enforce: { word: 'Enforce', sentence: 'The engine enforces: requests are queued and rejected here.' },
  observe: { word: 'Observe', sentence: 'The engine only computes its decisions: no request waits here.' },
  feed: { word: 'Feed', sentence: 'The engine recomputes the decisions on requests that the server has handled.' },
  simulation: { word: 'Simulated', sentence: 'Simulated clients and a simulated server, not your cluster.' },
}
