import type { DecidedSide, DraftComparison } from '../../core/live/draftTally.ts'
import { REJECT_REASONS } from '../../core/frame/frame.ts'
import { NO_OUTCOME, outcomeOf, plus, type Outcome } from '../../core/live/outcome.ts'
import type { LiveTraffic } from '../ports/source.ts'

/** What the engine made of its requests, in sentences; and what a draft made of them, where one ran beside. */
export function summaryOf(traffic: LiveTraffic, comparison?: DraftComparison): readonly string[] {
  const { arrived, heldBack = 0, unreadable, refused, agreement, mode } = traffic.state()
  const first = [
    requests(arrived),
    // With a draft beside, both are told together.
    comparison === undefined
      ? `: ${decided(plus(traffic.before ?? NO_OUTCOME, outcomeOf(traffic.engine.snapshot())))}${mode === 'enforce' ? '' : ' by the engine, not by the server'}`
      : '',
    heldBack === 0 ? '' : `, ${heldBack} more held back and read again at the next start`,
    unreadable === 0 ? '' : `, ${unreadable} could not be read`,
    agreement.compared === 0
      ? ''
      : `; ${agreement.schemaAndLevel} of the last ${agreement.compared} placed as the server did`,
    '.',
  ]
  return [
    first.join(''),
    ...(refused === undefined ? [] : [`The console itself refused ${refused.count}. Last: ${refused.last}`]),
    ...(comparison === undefined ? [] : draftSummary(comparison)),
  ]
}

/** How a draft differs from the objects that are there, in sentences. */
export function draftSummary({ compared, undecided, missed, a, b, different }: DraftComparison): readonly string[] {
  const ways = [
    [different.rejectedByB, 'rejected with the draft alone'],
    [different.rejectedByA, 'rejected without it alone'],
    [different.elsewhere, 'in another flow schema or level'],
  ] as const
  const told = ways.flatMap(([count, way]) => (count === 0 ? [] : [`${count} ${way}`]))
  const differ = ways.reduce((sum, [count]) => sum + count, 0)
  return [
    `Compared ${requests(compared)}: without the draft ${decided(a)}${gone(compared, a)}; with it ${decided(b)}${gone(compared, b)}.`,
    differ === 0
      ? 'None was decided differently.'
      : `${differ} ${differ === 1 ? 'was' : 'were'} decided differently: ${told.join(', ')}.`,
    ...waitSentences(a, b),
    ...(undecided === 0 ? [] : [`${requests(undecided)} still waited in one of the two.`]),
    ...(missed === 0 ? [] : [`${requests(missed)} came too fast to be compared and are counted on neither side.`]),
  ]
}

/** Of levels whose waits differ. */
function waitSentences(a: DecidedSide, b: DecidedSide): readonly string[] {
  const levels = [...new Set([...Object.keys(a.waitP99), ...Object.keys(b.waitP99)])].toSorted()
  return levels.flatMap((level) => {
    const [without, beside] = [a.waitP99[level], b.waitP99[level]]
    if (without === beside) return []
    return [`Wait in ${level}, 99th percentile: ${waited(without)} without the draft, ${waited(beside)} with it.`]
  })
}

const waited = (ms: number | undefined): string =>
  ms === undefined
    ? 'no request'
    : ms < 1_000
      ? `${Number(ms.toPrecision(2))} ms`
      : `${Number((ms / 1_000).toPrecision(2))} s`

function decided({ dispatched, rejected }: Outcome): string {
  const told = REJECT_REASONS.flatMap((reason) => (rejected[reason] === 0 ? [] : [`${rejected[reason]} ${reason}`]))
  return `${dispatched} dispatched, ${told.length === 0 ? 'none rejected' : `rejected ${told.join(', ')}`}`
}

/** Their clients left before they were dispatched or rejected. */
function gone(compared: number, { dispatched, rejected }: Outcome): string {
  const count = REJECT_REASONS.reduce((rest, reason) => rest - rejected[reason], compared - dispatched)
  return count === 0 ? '' : `, ${count} gone while waiting`
}

const requests = (count: number): string => `${count} ${count === 1 ? 'request' : 'requests'}`
