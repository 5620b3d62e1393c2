import { plain } from '../text/format.ts'
import type { FeedWaits } from '../contract/live.ts'

/** Smaller sums are not reported. Seconds. */
const LEAST_SECONDS = 0.05
/** Smaller differences occur between any scrape and feed: seconds, and a fraction of the server's value. */
const SAME_SECONDS = 1
const SAME_PART = 0.1
const HISTOGRAM = 'apiserver_flowcontrol_request_execution_seconds'

/** How accurate the waits of a feed’s engine are, with numbers and their origin. */
export function trustSentences(waits: FeedWaits): readonly string[] {
  const { bounds, uncorrected = [] } = waits
  return [
    comparedSentence(waits),
    bounds && correctionSentence(waits, bounds),
    ...uncorrected.map(
      ({ schema, level, feed, server }) =>
        `Execution times of ${schema} in ${level} are not corrected while its histogram counts other requests than the feed: ${server} there, ${feed} here.`,
    ),
  ].filter((sentence) => sentence !== undefined)
}

/** The waits here next to those at the server; `undefined` where nothing waited. */
export function comparedSentence({ here, bounds, reported }: FeedWaits): string | undefined {
  if (reported !== undefined && Math.max(reported.here, reported.server) >= LEAST_SECONDS) {
    const over = reported.here - reported.server
    const isSame = Math.abs(over) <= SAME_SECONDS + SAME_PART * reported.server
    const verdict = isSame
      ? 'That is nearly the same.'
      : over > 0
        ? `Waits here are overestimated by ${plain.seconds(over)}.`
        : `Waits here are underestimated by ${plain.seconds(-over)}: requests that do not reach the feed may hold seats there.`
    return `Total wait of requests since the scrape at ${plain.time(reported.sinceMs)} UTC: ${plain.seconds(reported.server)} by the server’s own histogram, and ${plain.seconds(reported.here)} here. ${verdict}`
  }
  if (bounds === undefined || Math.max(here, bounds.told) < LEAST_SECONDS) return undefined
  const { told, untold } = bounds
  const sums = `Total wait of requests: ${plain.seconds(here)} here; at the server, by the events, at least ${plain.seconds(told)} and at most ${plain.seconds(told + untold)}.`
  const least = here - told - untold
  const most = here - told
  if (least > 0) return `${sums} Waits here are overestimated by ${plain.seconds(least)} to ${plain.seconds(most)}.`
  return most > 0
    ? `${sums} Waits here are overestimated by ${plain.seconds(most)} at most.`
    : `${sums} Waits here are underestimated by ${plain.seconds(-most)} at least.`
}

function correctionSentence(
  { corrected }: FeedWaits,
  { guessed }: NonNullable<FeedWaits['bounds']>,
): string | undefined {
  const guess = 'each is the wait and execution in its event together, less its wait here'
  if (corrected === undefined) {
    return guessed === 0 ? undefined : `Execution times of ${requests(guessed)} are not corrected: ${guess}.`
  }
  const { factor, fromMs, toMs } = corrected
  const told = `Execution times of ${requests(corrected.requests)} are corrected by the server’s histogram ${HISTOGRAM}, ${plain.time(fromMs)} to ${plain.time(toMs)} UTC. In total they are ${plain.amount(factor)} of the times in the events.`
  return guessed === 0 ? told : `${told} Those of ${requests(guessed)} are not corrected: ${guess}.`
}

const requests = (count: number): string => plain.counted(count, 'request')
