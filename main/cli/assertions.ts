import type { ObjectSet } from '../../core/config/objects.ts'
import { assertionText, type Checked, check, measuredIn } from '../../core/scenario/check.ts'
import { type Assertion, MEASURES } from '../../core/scenario/scenario.ts'
import { type GoalNames, readGoal } from '../../core/tune/goalText.ts'
import type { VariantResult } from '../../core/whatif/results.ts'
import type { WhatIfResult } from '../../core/whatif/whatif.ts'
import { type Given, UsageError } from './usage.ts'

/** What `--assert` demands: a bound, or that a candidate is so good in proportion to the baseline. */
export interface Demand {
  readonly assertion: Assertion
  /** The bound is this part of the value of the baseline. */
  readonly ofBaseline?: number
}

/** What was demanded of a candidate, and what it does. */
export interface CheckedDemand {
  readonly variant: string
  readonly text: string
  readonly value: number
  readonly unit: string
  readonly holds: boolean
}

/** `wait p99 of workload-high <= 110 % of baseline`. */
const RELATIVE = /^(.*(?:<=|>=|≤|≥)) *(?:([\d.]+) ?% of )?(?:the )?baseline$/i

/** The goals in words of `--assert`. Throws `UsageError` for one that cannot be read. */
export function readDemands(given: Given, names: GoalNames): readonly Demand[] {
  return given.values('assert').map((text) => {
    const [, bounded, percent = '100'] = RELATIVE.exec(text.trim()) ?? []
    const assertion = readGoal(bounded === undefined ? text : `${bounded} 0`, names)
    if (typeof assertion === 'string') throw new UsageError(`--assert: ${assertion}`)
    return { assertion, ...(bounded !== undefined && { ofBaseline: Number(percent) / 100 }) }
  })
}

/** Names of the levels that any of the variants has. */
export const levelsOf = (variants: readonly { readonly objects: ObjectSet }[]): readonly string[] => [
  ...new Set(variants.flatMap(({ objects }) => objects.levels.map(({ metadata }) => metadata.name))),
]

/** The assertions of demands that name no baseline. */
export const absolute = (demands: readonly Demand[]): readonly Assertion[] =>
  demands.map(({ assertion, ofBaseline }) => {
    if (ofBaseline === undefined) return assertion
    throw new UsageError('--assert: only whatif has a baseline; give a number.')
  })

/** Checks every demand on every candidate. */
export const checkDemands = (demands: readonly Demand[], { baseline, candidates }: WhatIfResult): CheckedDemand[] =>
  candidates.flatMap(({ result }) =>
    demands.map((demand): CheckedDemand => {
      const checked = check(boundOf(demand, baseline), result)
      const { value, holds, assertion } = checked
      return { variant: result.name, text: assertionText(assertion), value, unit: MEASURES[assertion.measure], holds }
    }),
  )

function boundOf({ assertion, ofBaseline }: Demand, baseline: VariantResult): Assertion {
  if (ofBaseline === undefined) return assertion
  const bound = ofBaseline * measuredIn(baseline, assertion)
  const { least, most: _, ...about } = assertion
  return least === undefined ? { ...about, most: bound } : { ...about, least: bound }
}

export const demandText = ({ variant, text, value, unit, holds }: CheckedDemand): string =>
  `${holds ? 'ok' : 'FAILED'}: ${variant}: ${text} (${valueText(value, unit)})`

export const checkedText = ({ assertion, value }: Checked): string =>
  `${assertionText(assertion)} (${valueText(value, MEASURES[assertion.measure])})`

function valueText(value: number, unit: string): string {
  const measured = Number(value.toFixed(3))
  return unit === '' ? String(measured) : `${measured} ${unit}`
}
