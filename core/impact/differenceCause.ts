import { profileFor } from '../engine/profiles.ts'
import type { AdjustmentStep } from '../frame/adjustmentStep.ts'
import { parseKubernetesVersion } from '../metrics/version.ts'
import type { Seats } from '../units.ts'
import { nominalSurplus } from './serverLimit.ts'

/**
 * Why reported limits may differ from the expected ones although the server does what it should, in the order in which
 * it is looked for:
 *
 * - `one-page`: only one page shows the step; one in twenty that follows a recomputation mixes two (torn).
 * - `first-step`: the first step since the connection or a restart; what came before is not known.
 * - `deleted-level`: the nominal limits add up to more seats than there are: the series of deleted levels are exported on.
 * - `new-level`: a level appeared with this step; until its first recomputation its demand series may be of an earlier life.
 * - `gone-level`: a level left with this step.
 * - `reconfigured`: nominal limits or their bounds changed with this step.
 * - `missed-steps`: recomputations were missed before this one, or several servers answer at one address in turn.
 * - `version`: the server's version is not known, so its rules are not, either.
 */
export type DifferenceCause =
  | { readonly kind: 'one-page' | 'first-step' | 'missed-steps' | 'version' }
  | { readonly kind: 'deleted-level'; readonly seats: Seats }
  | { readonly kind: 'new-level' | 'gone-level' | 'reconfigured'; readonly levels: readonly string[] }

/** The first explanation that holds for a step whose limits differ; `undefined` when none does. */
export function differenceCause(step: AdjustmentStep, before: AdjustmentStep | undefined): DifferenceCause | undefined {
  const named = (of: (level: AdjustmentStep['levels'][number]) => boolean): readonly string[] =>
    step.levels.filter(of).map(({ name }) => name)
  if (step.onePage === true) return { kind: 'one-page' }
  if (step.since === undefined) return { kind: 'first-step' }
  const seats = nominalSurplus(step)
  if (seats > 0) return { kind: 'deleted-level', seats }
  const fresh = named((level) => level.before === undefined)
  if (fresh.length > 0) return { kind: 'new-level', levels: fresh }
  const gone = (before?.levels ?? []).filter(({ name }) => step.levels.every((level) => level.name !== name))
  if (gone.length > 0) return { kind: 'gone-level', levels: gone.map(({ name }) => name) }
  const reconfigured = named((level) => level.before?.reconfigured === true)
  if (reconfigured.length > 0) return { kind: 'reconfigured', levels: reconfigured }
  if (!step.follows) return { kind: 'missed-steps' }
  return parseKubernetesVersion(step.version)?.minor === profileFor(step.version).minor
    ? undefined
    : { kind: 'version' }
}
