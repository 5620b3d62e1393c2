import { exact } from '../../core/text/format.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { assertionText, check, measuredIn } from '../../core/scenario/check.ts'
import { type Assertion, MEASURES } from '../../core/scenario/scenario.ts'
import { type GoalNames, readGoal } from '../../core/tune/goalText.ts'
import type { VariantResult } from '../../core/whatif/results.ts'
import type { WhatIfResult } from '../../core/whatif/whatif.ts'
import { type Given, UsageError } from './usage.ts'

/** A condition of `--assert`: an absolute bound, or a bound relative to the baseline. */
export interface Demand {
  readonly assertion: Assertion
  /** The bound is this fraction of the baseline's value. */
  readonly ofBaseline?: number
}

/** A demand and the value that the candidate reached. */
export interface CheckedDemand {
  readonly variant: string
  readonly text: string
  readonly value: number
  readonly unit: string
  readonly holds: boolean
}

/** `wait p99 of workload-high <= 110 % of baseline`. */
const RELATIVE = /^(.*(?:<=|>=|≤|≥)) *(?:([\d.]+) ?% of )?(?:the )?baseline$/i

/** The goals of `--assert`. Throws `UsageError` for one that cannot be parsed. */
export function readDemands(given: Given, names: GoalNames): readonly Demand[] {
  return given.values('assert').map((text) => {
    const [, bounded, percent = '100'] = RELATIVE.exec(text.trim()) ?? []
    const assertion = readGoal(bounded === undefined ? text : `${bounded} 0`, names)
    if (typeof assertion === 'string') throw new UsageError(`--assert: ${assertion}`)
    return { assertion, ...(bounded !== undefined && { ofBaseline: Number(percent) / 100 }) }
  })
}

/** Names of the levels that exist in any of the variants. */
export const levelsOf = (variants: readonly { readonly objects: ObjectSet }[]): readonly string[] => [
  ...new Set(variants.flatMap(({ objects }) => objects.levels.map(({ metadata }) => metadata.name))),
]

/** The assertions of the demands. Throws `UsageError` for one that refers to a baseline. */
export const absolute = (demands: readonly Demand[]): readonly Assertion[] =>
  demands.map(({ assertion, ofBaseline }) => {
    if (ofBaseline === undefined) return assertion
    throw new UsageError('--assert: only whatif has a baseline; give a number.')
  })

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

function valueText(value: number, unit: string): string {
  const measured = exact(value)
  return unit === '' ? measured : `${measured} ${unit}`
}
