import { classifyingConfiguration, DEFAULT_SERVER_LIMIT } from '../classify/configuration.ts'
import { defaultLevel } from '../config/defaulting.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { SourceSpec } from '../contract/source.ts'
import { configuredLimits } from '../engine/allocation.ts'
import { type LevelFrame, type ServerFrame, isExempt } from '../frame/frame.ts'
import type { Seats } from '../units.ts'

/**
 * The limit of a server as its page tells it: what Exempt may borrow is the whole of it, so that it is upper − nominal of
 * that level (specification 6.1). `undefined` when the page does not show these.
 */
export function reportedServerLimit(server: {
  readonly levels: readonly Pick<LevelFrame, 'name' | 'limits'>[]
}): number | undefined {
  const { nominal, upper } = server.levels.find(isExempt)?.limits ?? {}
  return nominal === undefined || upper === undefined ? undefined : upper - nominal
}

/**
 * Seats by which the reported nominal limits exceed what the server has, beyond what rounding each up can add: 0 unless
 * the page holds levels that are no more, or mixes two configurations (specification 6.1).
 */
export function nominalSurplus(server: { readonly levels: readonly Pick<LevelFrame, 'name' | 'limits'>[] }): number {
  const serverLimit = reportedServerLimit(server)
  if (serverLimit === undefined) return 0
  const sum = server.levels.reduce((total, { limits: { nominal = 0 } }) => total + nominal, 0)
  return sum - serverLimit >= server.levels.length ? sum - serverLimit : 0
}

/** The nominal limits that a server reports, by level. */
export const nominalLimitsOf = (server: {
  readonly levels: readonly Pick<LevelFrame, 'name' | 'limits'>[]
}): ReadonlyMap<string, number> =>
  new Map(server.levels.flatMap(({ name, limits: { nominal } }) => (nominal === undefined ? [] : [[name, nominal]])))

/** Server limits that explain what is known, both included. */
export interface ServerLimitRange {
  readonly least: number
  readonly most: number
}

/** No server has so many seats. */
const MOST_SEATS = 2 ** 31 - 1

/** All limits with which the objects give exactly these nominal limits; `undefined` when none does. */
export function possibleServerLimits(
  objects: ObjectSet,
  nominalByLevel: ReadonlyMap<string, number>,
): ServerLimitRange | undefined {
  const stored = { levels: objects.levels.map(defaultLevel), schemas: [] }
  const plans = [...classifyingConfiguration(stored).levels.values()].map(({ plan }) => plan)
  const known = plans.flatMap(({ name }, index) => {
    const nominal = nominalByLevel.get(name)
    return nominal === undefined ? [] : [{ index, nominal }]
  })
  if (known.length === 0) return undefined
  const nominals = (serverLimit: Seats): readonly number[] =>
    configuredLimits(serverLimit, plans).map(({ nominal }) => nominal)
  // No nominal limit falls when the server gets more seats, so that the limits that fit have no gap.
  const least = leastWhere((serverLimit) => {
    const found = nominals(serverLimit)
    return known.every(({ index, nominal }) => (found[index] ?? 0) >= nominal)
  })
  const tooMany = leastWhere((serverLimit) => {
    const found = nominals(serverLimit)
    return known.some(({ index, nominal }) => (found[index] ?? 0) > nominal)
  })
  return least < tooMany && tooMany <= MOST_SEATS ? { least, most: tooMany - 1 } : undefined
}

/** The least server limit of which `holds` is true, given that it stays true; one above the most when it never is. */
function leastWhere(holds: (serverLimit: Seats) => boolean): number {
  let [low, high] = [1, MOST_SEATS + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Seats of one server, and how they are known. */
export interface ServerLimit {
  readonly seats: Seats
  readonly from: 'reported' | 'configured' | 'inferred' | 'assumed' | 'own'
}

/** What the seats of a server are derived from; each part may be unknown. */
export interface LimitEvidence {
  /** What the reader says; it wins over everything else. */
  readonly own?: number | undefined
  readonly spec?: SourceSpec | undefined
  readonly server?: ServerFrame | undefined
  /** The flow-control objects of the server. */
  readonly objects?: ObjectSet | undefined
}

/** The seats of a server, as well as they are known (specification 6.1). */
export function serverLimitOf({ own, spec, server, objects }: LimitEvidence): ServerLimit {
  if (own !== undefined) return { seats: own, from: 'own' }
  if (spec?.kind === 'simulation' || spec?.kind === 'proxy' || spec?.kind === 'feed') {
    const { maxRequestsInFlight, maxMutatingRequestsInFlight } = spec
    // A proxy without limits of its own has those of its upstream, which its page reports.
    if (maxRequestsInFlight !== undefined && maxMutatingRequestsInFlight !== undefined) {
      return { seats: maxRequestsInFlight + maxMutatingRequestsInFlight, from: 'configured' }
    }
  }
  // The nominal limits of a page are older than objects that were changed right before, so they are the second choice.
  const reported = server && reportedServerLimit(server)
  if (reported !== undefined) return { seats: reported, from: 'reported' }
  const range = server && objects && possibleServerLimits(objects, nominalLimitsOf(server))
  return range === undefined
    ? { seats: DEFAULT_SERVER_LIMIT, from: 'assumed' }
    : { seats: range.most, from: 'inferred' }
}
