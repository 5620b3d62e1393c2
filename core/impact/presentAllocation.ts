import { amount, counted, enumerated, phrase, type Amount, type Answer, type Sentence } from '../answer/answer.ts'
import { plural } from '../text/format.ts'
import { listed } from '../text/text.ts'
import type { AdjustmentLedger } from './adjustmentLedger.ts'
import type { ExpectedAllocation, ExpectedLevel, LevelVerdict } from './expected.ts'
import type { DifferenceCause } from './serverLimit.ts'

const NAMED = 3
const number = amount('fixed')
const fraction = amount('fairFraction')
const seats = (n: number): Sentence => counted(n, 'seat')
const levels = (n: number): Sentence => counted(n, 'level')

/** `a, b and c`; of many names the first two and the number of the others. */
export const fewNames = (names: readonly string[]): string =>
  listed(names.length > NAMED ? [...names.slice(0, 2), `${names.length - 2} more`] : names)

/**
 * How the limits of all levels were set, by which of the cases of the specification (6.4, 6.4a), and whether the server
 * did as expected; `cause` explains a difference.
 */
export function presentAllocation(
  expected: ExpectedAllocation,
  ledger: AdjustmentLedger,
  cause?: DifferenceCause,
): Answer {
  const [title, why] = caseOf(expected, ledger)
  return { title: [title], evidence: [why, comparisonOf(expected, cause).sentence], tables: [] }
}

function caseOf(expected: ExpectedAllocation, ledger: AdjustmentLedger): readonly [title: string, why: Sentence] {
  switch (expected.regime) {
    case 'min':
      return [
        'Case 1 of 3: held at min.',
        phrase`${exemptLeaves(expected)}, no more than the sum of all mins (${number(expected.minSum)}). Every level keeps its min and nothing else.`,
      ]
    case 'between':
      return ['Case 2 of 3: between min and floor.', interpolated(expected, ledger)]
    case 'solver':
      return expected.rule === 'three-regimes'
        ? ['Case 3 of 3: shared out.', phrase`${whyShared(expected)}${shares(expected, ledger)}`]
        : ['Shared out, exempt included.', phrase`${OLD_RULE}${shares(expected, ledger)}`]
    case 'kept':
      return [
        'No case applied.',
        [
          'The reported bounds contradict each other, so no allocation satisfies them. The server keeps its limits in that case.',
        ],
      ]
  }
}

const OLD_RULE =
  'Servers up to 1.30 use one case only and treat exempt like any other level: it takes its seats from the common sum, and more of them when it uses more. '

const exemptFloor = ({ levels: all }: ExpectedAllocation): number | undefined => all.find(({ exempt }) => exempt)?.floor

function exemptLeaves(expected: ExpectedAllocation): Sentence {
  const { nominalSum, remaining } = expected
  const used = exemptFloor(expected)
  if (used === undefined) return phrase`${seats(remaining)} are available`
  return phrase`exempt used up to ${seats(used)}, so that ${remaining <= 0 ? 'nothing' : number(remaining)} of ${number(nominalSum)} ${remaining <= 0 ? 'remains' : 'remain'}`
}

function interpolated(expected: ExpectedAllocation, ledger: AdjustmentLedger): Sentence {
  const { minSum, floorSum, interpolation = 0 } = expected
  const withheld =
    ledger.unknown.length === 0 && ledger.undistributed > 0
      ? phrase` ${seats(ledger.undistributed)} are withheld for exempt; there is no pool.`
      : []
  return phrase`${exemptLeaves(expected)}: more than the sum of all mins (${number(minSum)}), at most the sum of all floors (${number(floorSum)}). Every limit is ${amount('percent')(interpolation)} of the way from its min to its floor.${withheld}`
}

function whyShared(expected: ExpectedAllocation): Sentence {
  const { nominalSum, remaining, floorSum } = expected
  const used = exemptFloor(expected)
  const after = used === undefined ? [] : phrase`After exempt (up to ${number(used)}) `
  return phrase`${after}${seats(remaining)} remain, more than the sum of all floors (${number(floorSum)}), so all ${seats(nominalSum)} are divided. `
}

const named = (all: readonly ExpectedLevel[], verdict: LevelVerdict): readonly string[] =>
  all.filter((level) => level.verdict === verdict).map(({ name }) => name)

function shares(expected: ExpectedAllocation, ledger: AdjustmentLedger): Sentence {
  const all = expected.levels
  const [atFloor, atP, capped] = [named(all, 'raised-to-floor'), named(all, 'at-p'), named(all, 'capped')]
  const p = phrase`p = ${fraction(expected.fairFraction)}`
  const abundant = expected.fairFraction > 1 ? ', above 1 because the seats exceed the sum of all targets' : ''
  const held = capped.length === 0 ? '' : ` ${fewNames(capped)} ${plural(capped.length, 'is', 'are')} held at max.`
  const end = phrase`${held} ${borrowing(ledger)}`
  if (atP.length === 0)
    return phrase`${levels(atFloor.length)} ${plural(atFloor.length, 'sits', 'sit')} at the floor.${end}`
  if (atFloor.length === 0 && capped.length === 0)
    return phrase`Every level gets the same fraction ${p} of its target${abundant}. ${borrowing(ledger)}`
  const rest =
    atFloor.length === 0
      ? []
      : phrase`${levels(atFloor.length)} ${plural(atFloor.length, 'sits at its', 'sit at their')} floor; `
  const get = plural(atP.length, 'gets the fraction', 'get the same fraction')
  return phrase`${rest}${fewNames(atP)} ${get} ${p} of ${plural(atP.length, 'its', 'their')} target${abundant}.${end}`
}

function borrowing({ entries, unknown, borrowed, lent }: AdjustmentLedger): Sentence {
  if (unknown.length > 0) return ['Who lends and borrows is unknown.']
  if (borrowed === 0 && lent === 0) return ['Nothing is lent or borrowed.']
  const clause = (of: 'lent' | 'borrowed', one: string, many: string, all: Amount): Sentence => {
    const names = entries.filter((entry) => entry[of] > 0).map(({ name }) => name)
    return names.length === 0 ? [] : phrase`${fewNames(names)} ${plural(names.length, one, many)} ${all}`
  }
  const lending = clause('lent', 'lends', 'lend', number(lent))
  const taking = clause('borrowed', 'borrows', 'borrow', number(borrowed))
  return phrase`${lending}${lending.length > 0 && taking.length > 0 ? '; ' : ''}${taking}.`
}

/** Why a difference is not evidence against the server; continues a sentence. */
function causeSentence(cause: DifferenceCause): Sentence {
  switch (cause.kind) {
    case 'one-page':
      return ['only one scrape has shown this reallocation so far, and one scrape in twenty straddles two.']
    case 'first-step':
      return ['it is the first reallocation since the console connected or the server started.']
    case 'deleted-level':
      return phrase`the nominal limits add up to ${seats(cause.seats)} more than the server has: it still exports the series of a deleted level.`
    case 'new-level':
      return [
        `${fewNames(cause.levels)} appeared with it; until the next reallocation the server uses a demand that it does not report.`,
      ]
    case 'gone-level':
      return [`${fewNames(cause.levels)} disappeared with it.`]
    case 'reconfigured':
      return [`${fewNames(cause.levels)} had another configuration before, and the scrape may mix both.`]
    case 'missed-steps':
      return ['reallocations before it were missed, or several servers share this address.']
    case 'version':
      return ['the rules of this server’s version are unknown.']
  }
}

/** Whether the reported limits are the expected ones; `cause` explains a difference. */
export function comparisonOf(
  expected: ExpectedAllocation,
  cause?: DifferenceCause,
): { readonly tone: 'good' | 'bad' | 'quiet'; readonly sentence: Sentence } {
  const { comparison, levels: all, reportedFairFraction, fairFraction, rule } = expected
  const rules = rule === 'three-regimes' ? 'the rules from 1.31 on' : 'the rules up to 1.30'
  if (comparison.kind === 'equal') {
    const also = reportedFairFraction === undefined ? '' : ' and the fair fraction'
    return {
      tone: 'good',
      sentence: phrase`Reported as expected: recomputed from the reported demand by ${rules}, all ${number(all.length)} limits${also} match.`,
    }
  }
  if (comparison.kind === 'not-comparable') return { tone: 'quiet', sentence: [WITHHELD[comparison.why]] }
  if (cause !== undefined) return { tone: 'quiet', sentence: phrase`Not compared: ${causeSentence(cause)}` }
  const differing = [
    ...all
      .filter(({ name }) => comparison.levels.includes(name))
      .map(({ name, reported, expected: wanted }) => phrase`${name} ${number(reported)} instead of ${number(wanted)}`),
    ...(comparison.fairFraction
      ? [phrase`p ${fraction(reportedFairFraction)} instead of ${fraction(fairFraction)}`]
      : []),
  ]
  const shown = differing.slice(0, differing.length > NAMED ? 2 : NAMED)
  const more = differing.length > NAMED ? [[`${differing.length - 2} more`]] : []
  return {
    tone: 'bad',
    sentence: phrase`Not as expected by ${rules}: ${enumerated([...shown, ...more])}. Two scrapes agree, and no level, configuration, process or version changed. The server may not follow the algorithm of its version.`,
  }
}

const WITHHELD = {
  'limits-missing': 'Not compared: the pages do not show the current limit of every level.',
  kept: 'Not compared: the reported bounds contradict each other.',
} as const

/** The effect of rounding on the sum of the limits. */
export function sumNote(limit: number | undefined, nominal: number, regime: ExpectedAllocation['regime']): Sentence {
  if (limit === undefined) return []
  const difference = limit - nominal
  if (difference === 0) return phrase`= nominal sum ${number(nominal)}`
  const why = regime === 'solver' ? 'by rounding' : 'for exempt'
  return phrase`nominal sum ${number(nominal)}, ${amount('fixed', { signed: true })(difference)} ${why}`
}
