import { amount, numberColumns, phrase, type Answer, type Sentence, type Table } from '../answer/answer.ts'
import type { VariantReport } from '../contract/whatif.ts'
import { plain, rounded } from '../text/format.ts'
import { failed } from './results.ts'

/** What a variant is ranked by, rounded as it is shown: where two are the same, the next one decides. */
interface Merits {
  /** Part of the requests that the server cut off, and how many times as long as on an idle server it executed them. */
  readonly cutOff: number
  readonly slowdown: number
  /** Jain index over clients of what they got as a part of their fair shares. */
  readonly fairness: number
  readonly perSecond: number
}

function meritsOf({ total, fairness, seconds }: VariantReport): Merits {
  const ended = total.served + failed(total)
  return {
    cutOff: ended === 0 ? 0 : rounded(total.expired / ended, 3),
    slowdown: rounded(total.slowdown ?? 1, 1),
    fairness: rounded(fairness?.overall ?? 1, 2),
    perSecond: seconds === 0 ? 0 : rounded(total.served / seconds, 1),
  }
}

const compare = (a: Merits, b: Merits): number =>
  a.cutOff - b.cutOff || a.slowdown - b.slowdown || b.fairness - a.fairness || b.perSecond - a.perSecond

/** The variants by the goals of KEP-1040, in its order: overload protection, then fairness, then throughput. */
export function rankedVariants(
  variants: readonly VariantReport[],
): readonly (Merits & { readonly name: string; readonly place: number })[] {
  const sorted = variants.map((one) => ({ name: one.name, ...meritsOf(one) })).toSorted(compare)
  return sorted.map((one) => ({ ...one, place: sorted.findIndex((other) => compare(one, other) === 0) + 1 }))
}

/** The ranking; how fair each was over shorter times; and what CoDel had to decide by. */
export function presentRanking(variants: readonly VariantReport[]): Answer {
  return {
    title: ['Goals in their order: overload protection, then fairness, then throughput'],
    evidence: variants.flatMap(codelSentence),
    tables: [rankingOf(variants), overTime(variants)].filter(({ rows }) => rows.length > 0),
  }
}

/** The ranking as one sentence. */
export const rankingText = (variants: readonly VariantReport[]): string =>
  `By overload protection, then fairness, then throughput: ${rankedVariants(variants)
    .map(
      ({ place, name, cutOff, slowdown, fairness, perSecond }) =>
        `${place} ${name} (${plain.percent(cutOff, 1)} cut off, execution × ${plain.fixed(slowdown, 1)}, fairness ${plain.fixed(fairness, 2)}, ${plain.fixed(perSecond, 1)} served /s)`,
    )
    .join('; ')}.`

const rankingOf = (variants: readonly VariantReport[]): Table => ({
  title: 'Ranking',
  note: 'where two are the same, the next column decides',
  columns: [
    ...numberColumns('Place'),
    { id: 'variant', label: 'Variant' },
    ...numberColumns('Cut off', 'Execution ×', 'Fairness', 'Served /s'),
  ],
  rows: rankedVariants(variants).map(({ place, name, cutOff, slowdown, fairness, perSecond }) => [
    amount('fixed')(place),
    name,
    amount('percent', { decimals: 1 })(cutOff),
    amount('fixed', { decimals: 1 })(slowdown),
    amount('fixed', { decimals: 2 })(fairness),
    amount('fixed', { decimals: 1 })(perSecond),
  ]),
})

const AVERAGES = [
  ['intervals', 'intervals'],
  ['sliding', 'a sliding window'],
  ['decaying', 'a decaying average'],
] as const

const overTime = (variants: readonly VariantReport[]): Table => ({
  title: 'Fairness over time',
  note: `averaged over ${variants.find(({ fairness }) => fairness !== undefined)?.fairness?.windowSeconds ?? 0} s`,
  columns: [
    { id: 'variant', label: 'Variant' },
    { id: 'average', label: 'Average' },
    ...numberColumns('Mean', 'Worst'),
  ],
  rows: variants.flatMap(({ name, fairness }) =>
    AVERAGES.flatMap(([kind, words]) => {
      const over = fairness?.[kind]
      const number = amount('fixed', { decimals: 2 })
      return over === undefined ? [] : [[name, words, number(over.mean), number(over.worst)]]
    }),
  ),
})

const codelSentence = ({ name, codel }: VariantReport): readonly Sentence[] =>
  codel === undefined
    ? []
    : [
        phrase`CoDel of ${name} drops from a queue whose waits stay above ${amount('ms')(codel.targetMs)} for ${amount('ms')(codel.intervalMs)}. A queue dispatched ${amount('significant')(codel.mean)} requests in an interval on average, at most ${amount('fixed')(codel.most)}; its statistics need many.`,
      ]
