import { defaultLevel, type ObjectSet } from '../config/objects.ts'
import { leastWhere } from '../config/shape.ts'
import type { SourceSpec } from '../contract/source.ts'
import { configuredLimits, DEFAULT_SERVER_LIMIT } from '../engine/allocation.ts'
import { takeLevels } from '../engine/levelPlan.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { profileFor } from '../engine/profiles.ts'
import type { AdjustmentStep } from '../frame/derived.ts'
import { parseKubernetesVersion } from '../metrics/versions.ts'
import type { Seats } from '../units.ts'
import { reportedServerLimit, nominalSurplus, nominalLimitsOf } from './reportedLimit.ts'

/** Server limits that are consistent with the known data, both included. */
export interface ServerLimitRange {
  readonly least: number
  readonly most: number
}

/** No server has this many seats. */
const MOST_SEATS = 2 ** 31 - 1

/** All limits with which the objects result in exactly these nominal limits; `undefined` when none does. */
export function possibleServerLimits(
  objects: ObjectSet,
  nominalByLevel: ReadonlyMap<string, number>,
): ServerLimitRange | undefined {
  const { plans } = takeLevels(objects.levels.map(defaultLevel))
  const known = plans.flatMap(({ name }, index) => {
    const nominal = nominalByLevel.get(name)
    return nominal === undefined ? [] : [{ index, nominal }]
  })
  if (known.length === 0) return undefined
  const nominals = (serverLimit: Seats): readonly number[] =>
    configuredLimits(serverLimit, plans).map(({ nominal }) => nominal)
  // No nominal limit falls when the server gets more seats, so the matching limits have no gap.
  const least = leastWhere(1, MOST_SEATS + 1, (serverLimit) => {
    const found = nominals(serverLimit)
    return known.every(({ index, nominal }) => (found[index] ?? 0) >= nominal)
  })
  const tooMany = leastWhere(1, MOST_SEATS + 1, (serverLimit) => {
    const found = nominals(serverLimit)
    return known.some(({ index, nominal }) => (found[index] ?? 0) > nominal)
  })
  return least < tooMany && tooMany <= MOST_SEATS ? { least, most: tooMany - 1 } : undefined
}

/** Seats of one server, and their source. */
export interface ServerLimit {
  readonly seats: Seats
  readonly from: 'reported' | 'configured' | 'inferred' | 'assumed' | 'own'
}

/** The data from which the seats of a server are derived; each part may be unknown. */
export interface LimitEvidence {
  /** The value that the user specifies; it overrides everything else. */
  readonly own?: number | undefined
  readonly spec?: SourceSpec | undefined
  readonly server?: ServerFrame | undefined
  /** The flow-control objects of the server. */
  readonly objects?: ObjectSet | undefined
}

/** The seats of a server, from the best available source (specification 6.1). */
export function serverLimitOf({ own, spec, server, objects }: LimitEvidence): ServerLimit {
  if (own !== undefined) return { seats: own, from: 'own' }
  if (spec?.kind === 'simulation' || spec?.kind === 'proxy' || spec?.kind === 'feed') {
    const { maxRequestsInFlight, maxMutatingRequestsInFlight } = spec
    // A proxy without its own limits has those of its upstream, which its page reports.
    if (maxRequestsInFlight !== undefined && maxMutatingRequestsInFlight !== undefined) {
      return { seats: maxRequestsInFlight + maxMutatingRequestsInFlight, from: 'configured' }
    }
  }
  // The nominal limits of a page are older than objects that were changed just before, so they are the second choice.
  const reported = server && reportedServerLimit(server)
  if (reported !== undefined) return { seats: reported, from: 'reported' }
  const range = server && objects && possibleServerLimits(objects, nominalLimitsOf(server))
  return range === undefined
    ? { seats: DEFAULT_SERVER_LIMIT, from: 'assumed' }
    : { seats: range.most, from: 'inferred' }
}

/**
 * Why reported limits may differ from the expected ones although the server is correct, in the order of the checks:
 *
 * - `one-page`: only one page shows the step; one in twenty that follows a recomputation mixes two (torn).
 * - `first-step`: the first step since the connection or a restart; earlier values are unknown.
 * - `deleted-level`: the nominal limits add up to more seats than there are: the series of deleted levels are still
 *   exported.
 * - `new-level`: a level appeared with this step; until its first recomputation its demand series may be of an
 *   earlier level with that name.
 * - `gone-level`: a level disappeared with this step.
 * - `reconfigured`: nominal limits or their bounds changed with this step.
 * - `missed-steps`: recomputations were missed before this one, or several servers answer at one address in turn.
 * - `version`: the server's version is unknown, so its rules are unknown too.
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
