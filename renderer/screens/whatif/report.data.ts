import type { LevelResult, Outcomes, VariantReport, WhatIfReport } from '../../../core/contract/whatif.ts'
import { rejectedOf } from '../../../core/whatif/results.ts'
import { format } from '../../theme/format.ts'

type Compared = WhatIfReport['candidates'][number]

/** The outcomes of a level's requests in two variants; a side is absent where the variant has no such level. */
export interface LevelRow {
  /** Absent for all levels together. */
  readonly level?: string
  readonly a: Outcomes | undefined
  readonly b: Outcomes | undefined
  readonly limitA: number | undefined
  readonly limitB: number | undefined
}

/** All levels together, then level by level in the order of the baseline, then those that only the candidate has. */
export function levelRows(a: VariantReport, b: VariantReport): readonly LevelRow[] {
  const inA = new Map(a.levels.map((one) => [one.level, one]))
  const inB = new Map(b.levels.map((one) => [one.level, one]))
  const row = (level: string): LevelRow => {
    const [one, other] = [inA.get(level), inB.get(level)]
    return { level, a: one, b: other, limitA: limitOf(one), limitB: limitOf(other) }
  }
  return [
    { a: a.total, b: b.total, limitA: undefined, limitB: undefined },
    ...[...new Set([...inA.keys(), ...inB.keys()])].map(row),
  ]
}

const limitOf = (result: LevelResult | undefined): number | undefined => result?.limits?.current

export const rejectedIn = (outcomes: Outcomes | undefined): number | undefined =>
  outcomes === undefined ? undefined : rejectedOf(outcomes)

/** A quantile of the waits, milliseconds; unknown where nothing was dispatched. */
export const waitIn = (outcomes: Outcomes | undefined, quantile: 'p50' | 'p90' | 'p99'): number | undefined =>
  outcomes === undefined || (outcomes.served + outcomes.expired === 0 && outcomes.waitMs.max === 0)
    ? undefined
    : outcomes.waitMs[quantile]

/** B minus A; unknown where either is. */
export const difference = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : b - a

const WORTH_MS = 1

/** The effect of a candidate in one sentence, then the evidence for it. */
export function verdict(
  { clients, requests, baseline }: WhatIfReport,
  { result, decisions }: Compared,
): { readonly title: string; readonly evidence: string } {
  const [a, b] = [rejectedOf(baseline.total), rejectedOf(result.total)]
  const title =
    decisions !== undefined && decisions.first === undefined
      ? `${result.name} and ${baseline.name} make the same decision for every request.`
      : a === b
        ? `${result.name} rejects as many requests as ${baseline.name}: ${format.fixed(a)}.`
        : `${result.name} rejects ${format.counted(b, 'request')}, ${baseline.name} rejects ${format.fixed(a)}.`
  const given =
    clients === 'open'
      ? `Both got the same ${format.counted(requests, 'request')} of ${format.span(baseline.seconds)}.`
      : `The clients reacted to each variant for ${format.span(baseline.seconds)}.`
  return { title, evidence: [waitText(baseline, result), given].filter((part) => part !== '').join(' ') }
}

/** The level whose longest waits change most. */
function waitText(a: VariantReport, b: VariantReport): string {
  const [most] = levelRows(a, b)
    .flatMap(({ level, a: one, b: other }) => {
      const [from, to] = [waitIn(one, 'p99'), waitIn(other, 'p99')]
      return level === undefined || from === undefined || to === undefined ? [] : [{ level, from, to }]
    })
    .toSorted((one, other) => Math.abs(other.to - other.from) - Math.abs(one.to - one.from))
  if (most === undefined || Math.abs(most.to - most.from) < WORTH_MS) return ''
  return `Largest change of wait p99: ${most.level}, from ${format.ms(most.from)} to ${format.ms(most.to)}.`
}

/** The level whose rejections changed most, else the one whose waits did; `undefined` where no level has numbers. */
export function mostChanged(baseline: VariantReport, candidate: VariantReport): string | undefined {
  const size = (change: number | undefined): number => Math.abs(change ?? 0)
  return levelRows(baseline, candidate)
    .filter(({ level }) => level !== undefined)
    .toSorted(
      (x, y) =>
        size(difference(rejectedIn(y.a), rejectedIn(y.b))) - size(difference(rejectedIn(x.a), rejectedIn(x.b))) ||
        size(difference(waitIn(y.a, 'p99'), waitIn(y.b, 'p99'))) -
          size(difference(waitIn(x.a, 'p99'), waitIn(x.b, 'p99'))),
    )[0]?.level
}
