import type { LiveState } from '../../../core/contract/live.ts'
import { format } from '../../theme/format.ts'
import type { Compared } from './tally.ts'

/** A share with as many decimals as tell it from 100 %: 99.87 %. */
export function exactPercent({ compared, same }: Compared): string {
  if (compared === 0) return format.percent(undefined)
  if (same === compared) return '100 %'
  // Rounded down: what is not everything never reads as everything.
  return `${format.fixed(Math.floor((same / compared) * 10_000) / 100, 2)} %`
}

/** Below this share nothing may be concluded from the draft (design 3.10). */
const TRUSTED = 0.99
export const isTrusted = ({ compared, same }: Compared): boolean => compared === 0 || same / compared >= TRUSTED

export interface NowFacts {
  /**
   * Whether the source goes on: a file that is read to its end is `still`, and so is what was recorded up to an instant of
   * the `past`. `unreached`: the console does not answer.
   */
  readonly source: 'live' | 'still' | 'past' | 'stale' | 'unreached'
  readonly filtered: boolean
  /** Requests that pass the filter, of those that are known. */
  readonly passing: number
  readonly known: number
  /** Requests per second, over the last ten. */
  readonly rate: number
  /** Of these ten seconds: none was answered by the server behind the proxy, and some should have been. */
  readonly unanswered: boolean
  readonly agreement: Compared
  /** Milliseconds since the newest request; `undefined` when none came yet. */
  readonly quietMs: number | undefined
}

const QUIET_MS = 10_000

/** The one sentence: what is wrong, or else what comes, and how far the engine is the server. */
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
    : `${said} Server and engine agree on ${exactPercent(agreement)} of the ${format.seats(agreement.compared)} that the server placed.`

/** What the mode means for a request. */
export const MODE: Readonly<Record<LiveState['mode'], { readonly word: string; readonly sentence: string }>> = {
  enforce: { word: 'Enforce', sentence: 'The engine enforces: requests are queued and rejected here.' },
  observe: { word: 'Observe', sentence: 'The engine only computes its decisions: no request waits here.' },
  feed: { word: 'Feed', sentence: 'What happened at the server, run through the engine once more.' },
  simulation: { word: 'Simulated', sentence: 'Simulated clients and a simulated server, not your cluster.' },
}
