import { plural } from '../../../core/text/format.ts'
import type { AdjustmentLedger } from '../../../core/impact/adjustmentLedger.ts'
import type { ExpectedAllocation, ExpectedLevel, LevelVerdict } from '../../../core/impact/expected.ts'
import type { DifferenceCause } from '../../../core/impact/serverLimit.ts'
import { listed } from '../../../core/text/text.ts'
import { format } from '../../theme/format.ts'

/** Running text; the `strong` part carries the statement. */
export type Words = readonly (string | { readonly strong: string })[]

export interface CaseSentence {
  readonly title: string
  readonly words: Words
}

const NAMED = 3
const seats = (n: number): string => format.counted(n, 'seat')
const levels = (n: number): string => format.counted(n, 'level')

/** `a, b and c`; of many names the first two and the number of the others. */
export const fewNames = (names: readonly string[]): string =>
  listed(names.length > NAMED ? [...names.slice(0, 2), `${names.length - 2} more`] : names)

/** Which of the cases of the specification (6.4, 6.4a) decided the limits, and why. */
export function caseSentence(expected: ExpectedAllocation, ledger: AdjustmentLedger): CaseSentence {
  switch (expected.regime) {
    case 'min':
      return { title: 'Case 1 of 3: held at min.', words: [`${exemptLeaves(expected)}${heldAtMin(expected)}`] }
    case 'between':
      return { title: 'Case 2 of 3: between min and floor.', words: interpolated(expected, ledger) }
    case 'solver':
      return expected.rule === 'three-regimes'
        ? { title: 'Case 3 of 3: shared out.', words: [whyShared(expected), ...shares(expected, ledger)] }
        : { title: 'Shared out, exempt included.', words: [OLD_RULE, ...shares(expected, ledger)] }
    case 'kept':
      return {
        title: 'No case applied.',
        words: [
          'The reported bounds contradict each other, so no allocation satisfies them. The server keeps its limits in that case.',
        ],
      }
  }
}

const OLD_RULE =
  'Servers up to 1.30 use one case only and treat exempt like any other level: it takes its seats from the common sum, and more of them when it uses more. '

const exemptFloor = ({ levels: all }: ExpectedAllocation): number | undefined => all.find(({ exempt }) => exempt)?.floor

function exemptLeaves(expected: ExpectedAllocation): string {
  const { nominalSum, remaining } = expected
  const used = exemptFloor(expected)
  if (used === undefined) return `${seats(remaining)} are available`
  const left = remaining <= 0 ? 'nothing' : format.seats(remaining)
  return `exempt used up to ${seats(used)}, so that ${left} of ${format.seats(nominalSum)} remain${left === 'nothing' ? 's' : ''}`
}

const heldAtMin = ({ minSum }: ExpectedAllocation): string =>
  `, no more than the sum of all mins (${format.seats(minSum)}). Every level keeps its min and nothing else.`

function interpolated(expected: ExpectedAllocation, ledger: AdjustmentLedger): Words {
  const { minSum, floorSum, interpolation = 0 } = expected
  return [
    `${exemptLeaves(expected)}: more than the sum of all mins (${format.seats(minSum)}), at most the sum of all floors (${format.seats(floorSum)}). Every limit is `,
    { strong: `f = ${format.fairFraction(interpolation)}` },
    ` of the way from its min to its floor. ${withheld(ledger)}`,
  ]
}

const withheld = ({ undistributed }: AdjustmentLedger): string =>
  undistributed > 0 ? `${seats(undistributed)} are withheld for exempt; there is no pool.` : ''

function whyShared(expected: ExpectedAllocation): string {
  const { nominalSum, remaining, floorSum } = expected
  const used = exemptFloor(expected)
  const after = used === undefined ? '' : `After exempt (up to ${format.seats(used)}) `
  return `${after}${seats(remaining)} remain, more than the sum of all floors (${format.seats(floorSum)}), so all ${seats(nominalSum)} are divided. `
}

const named = (all: readonly ExpectedLevel[], verdict: LevelVerdict): readonly string[] =>
  all.filter((level) => level.verdict === verdict).map(({ name }) => name)

function shares(expected: ExpectedAllocation, ledger: AdjustmentLedger): Words {
  const all = expected.levels
  const [atFloor, atP, capped] = [named(all, 'raised-to-floor'), named(all, 'at-p'), named(all, 'capped')]
  const p = { strong: `p = ${format.fairFraction(expected.fairFraction)}` }
  const abundant = expected.fairFraction > 1 ? ', above 1 because the seats exceed the sum of all targets' : ''
  const held = capped.length === 0 ? '' : ` ${fewNames(capped)} ${are(capped)} held at max.`
  const end = `${held} ${borrowing(ledger)}`
  if (atP.length === 0) {
    return [`${levels(atFloor.length)} ${plural(atFloor.length, 'sits', 'sit')} at the floor.${end}`]
  }
  if (atFloor.length === 0 && capped.length === 0) {
    return ['Every level gets the same fraction ', p, ` of its target${abundant}. ${borrowing(ledger)}`]
  }
  const rest =
    atFloor.length === 0
      ? ''
      : `${levels(atFloor.length)} ${plural(atFloor.length, 'sits at its', 'sit at their')} floor; `
  return [
    rest,
    { strong: fewNames(atP) },
    plural(atP.length, ' gets the fraction ', ' get the same fraction '),
    p,
    ` of ${plural(atP.length, 'its', 'their')} target${abundant}.${end}`,
  ]
}

const are = (names: readonly string[]): string => plural(names.length, 'is', 'are')

function borrowing({ entries, borrowed, lent }: AdjustmentLedger): string {
  if (borrowed === 0 && lent === 0) return 'Nothing is lent or borrowed.'
  const lenders = entries.filter((entry) => entry.lent > 0).map(({ name }) => name)
  const borrowers = entries.filter((entry) => entry.borrowed > 0).map(({ name }) => name)
  const lending =
    lenders.length === 0 ? '' : `${fewNames(lenders)} ${plural(lenders.length, 'lends', 'lend')} ${format.seats(lent)}`
  const taking =
    borrowers.length === 0
      ? ''
      : `${fewNames(borrowers)} ${plural(borrowers.length, 'borrows', 'borrow')} ${format.seats(borrowed)}`
  return `${[lending, taking].filter((part) => part !== '').join('; ')}.`
}

/** Why a difference is not evidence against the server, as a sentence. */
function causeSentence(cause: DifferenceCause): string {
  switch (cause.kind) {
    case 'one-page':
      return 'Only one scrape has shown this reallocation so far, and one scrape in twenty straddles two.'
    case 'first-step':
      return 'It is the first reallocation since the console connected or the server started.'
    case 'deleted-level':
      return `The nominal limits add up to ${seats(cause.seats)} more than the server has: it still exports the series of a deleted level.`
    case 'new-level':
      return `${fewNames(cause.levels)} appeared with it; until the next reallocation the server uses a demand that it does not report.`
    case 'gone-level':
      return `${fewNames(cause.levels)} disappeared with it.`
    case 'reconfigured':
      return `${fewNames(cause.levels)} had another configuration before, and the scrape may mix both.`
    case 'missed-steps':
      return 'Reallocations before it were missed, or several servers share this address.'
    case 'version':
      return 'The rules of this server’s version are unknown.'
  }
}

/** Whether the reported limits are the expected ones, as a sentence; `cause` explains a difference. */
export function comparisonSentence(
  expected: ExpectedAllocation,
  cause?: DifferenceCause,
): {
  readonly tone: 'good' | 'bad' | 'quiet'
  readonly text: string
} {
  const { comparison, levels: all, reportedFairFraction, fairFraction, rule } = expected
  const rules = rule === 'three-regimes' ? 'the rules from 1.31 on' : 'the rules up to 1.30'
  if (comparison.kind === 'equal') {
    const fraction = reportedFairFraction === undefined ? '' : ' and the fair fraction'
    return {
      tone: 'good',
      text: `Reported as expected: recomputed from the reported demand by ${rules}, all ${all.length} limits${fraction} match.`,
    }
  }
  if (comparison.kind === 'differs' && cause !== undefined) {
    return { tone: 'quiet', text: `Not compared: ${lowerFirst(causeSentence(cause))}` }
  }
  if (comparison.kind === 'differs') {
    const differing = all
      .filter(({ name }) => comparison.levels.includes(name))
      .map(
        ({ name, reported, expected: wanted }) =>
          `${name} ${format.seats(reported)} instead of ${format.seats(wanted)}`,
      )
    const fraction = comparison.fairFraction
      ? [`p ${format.fairFraction(reportedFairFraction)} instead of ${format.fairFraction(fairFraction)}`]
      : []
    return {
      tone: 'bad',
      text: `Not as expected by ${rules}: ${fewNames([...differing, ...fraction])}. Two scrapes agree, and no level, configuration, process or version changed. The server may not follow the algorithm of its version.`,
    }
  }
  return { tone: 'quiet', text: WITHHELD[comparison.why] }
}

const lowerFirst = (text: string): string =>
  /^(The|Only|It|Reallocations)\b/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text

const WITHHELD = {
  'limits-missing': 'Not compared: the server does not report the current limit of every level.',
  kept: 'Not compared: the reported bounds contradict each other.',
} as const

/** The effect of rounding on the sum of the limits. */
export function sumNote(limit: number | undefined, nominal: number, regime: ExpectedAllocation['regime']): string {
  if (limit === undefined) return ''
  const difference = limit - nominal
  if (difference === 0) return `= nominal sum ${format.seats(nominal)}`
  if (regime !== 'solver') return `nominal sum ${format.seats(nominal)}, ${format.change(difference)} for exempt`
  return `nominal sum ${format.seats(nominal)}, ${format.change(difference)} by rounding`
}
