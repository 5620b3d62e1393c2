import { mandatoryLevels, suggestedLevels } from '../config/builtIn.ts'
import { type ObjectSet, defaultLevel } from '../config/objects.ts'
import { classifyingConfiguration } from '../classify/configuration.ts'
import { type SeatShares, configuredLimits } from '../engine/allocation.ts'
import { byCodeUnits } from '../text/text.ts'
import type { Seats } from '../units.ts'

/**
 * Shares and nominal seats of all levels, in both directions (specification 6.1). Every level counts, regardless of its
 * origin.
 */

export interface WantedSeats {
  readonly name: string
  /** Nominal limit, at least; seats of one server, 0 or more. */
  readonly nominal: number
}

export interface SharesRow {
  readonly name: string
  /** Not one of Kubernetes’ own levels. */
  readonly thirdParty: boolean
  /** The requested nominal seats. */
  readonly wanted: number | undefined
  readonly sharesBefore: number
  readonly sharesAfter: number
  readonly nominalBefore: number
  readonly nominalAfter: number
}

export type SharesAnswer =
  /** Rows by name. */
  | { readonly possible: true; readonly rows: readonly SharesRow[] }
  /** `why` is one sentence. */
  | { readonly possible: false; readonly why: string }

/** Most shares that the API admits for a level. */
const MOST_SHARES = 2 ** 31 - 1

/**
 * The smallest shares that give every wanted level at least its nominal seats while all other levels keep their shares.
 * A wanted level that does not exist yet is added. The seats of exempt are bookkeeping only: nothing limits it.
 */
export function sharesForSeats(objects: ObjectSet, serverLimit: Seats, wanted: readonly WantedSeats[]): SharesAnswer {
  const targets = new Map(wanted.map(({ name, nominal }) => [name, nominal]))
  const levels = withLevels(levelsOf(objects), [...targets.keys()])
  const problem = impossibility(serverLimit, [...targets])
  if (problem !== undefined) return { possible: false, why: problem }

  const others = levels.reduce((sum, { name, shares }) => (targets.has(name) ? sum : sum + shares), 0)
  const found = leastShares(serverLimit, others, [...targets.values()])
  const largest = Math.max(0, ...found)
  if (largest > MOST_SHARES) {
    return {
      possible: false,
      why: `It would take ${largest} shares for one level, and a level has at most ${MOST_SHARES}; request fewer seats or reduce the shares of the other levels.`,
    }
  }
  const shares = new Map([...targets.keys()].map((name, index) => [name, found[index] ?? 0]))
  return { possible: true, rows: rowsOf(levels, serverLimit, shares, targets) }
}

/** The effect of other shares on the nominal seats of all levels. A level that does not exist yet is added. */
export function seatsForShares(
  objects: ObjectSet,
  serverLimit: Seats,
  shares: ReadonlyMap<string, number>,
): readonly SharesRow[] {
  const levels = withLevels(levelsOf(objects), [...shares.keys()])
  return rowsOf(levels, serverLimit, shares, new Map())
}

const levelsOf = ({ levels }: ObjectSet): readonly SeatShares[] =>
  [...classifyingConfiguration({ levels: levels.map(defaultLevel), schemas: [] }).levels.values()].map(
    ({ plan }) => plan,
  )

const withLevels = (levels: readonly SeatShares[], names: readonly string[]): readonly SeatShares[] => {
  const known = new Set(levels.map(({ name }) => name))
  const added = names
    .filter((name) => !known.has(name))
    .map((name): SeatShares => ({
      name,
      exempt: false,
      shares: 0,
      lendablePercent: undefined,
      borrowingLimitPercent: undefined,
    }))
  return [...levels, ...added].toSorted((a, b) => byCodeUnits(a.name, b.name))
}

/** Nominal seats are rounded up, so n levels together get less than the server has plus n. */
function impossibility(serverLimit: Seats, targets: readonly (readonly [string, number])[]): string | undefined {
  const tooWide = targets.find(([, nominal]) => nominal > serverLimit)
  if (tooWide !== undefined) {
    return `${tooWide[0]} cannot have ${tooWide[1]} nominal seats: the server has ${serverLimit}.`
  }
  // Each of them gets more than its seats minus one.
  const least = targets.reduce((sum, [, nominal]) => sum + Math.max(0, nominal - 1), 0)
  if (targets.length > 0 && least >= serverLimit && least > 0) {
    const seats = targets.reduce((sum, [, nominal]) => sum + nominal, 0)
    return `The ${targets.length} levels cannot have ${seats} nominal seats together: the server has ${serverLimit}, and the other levels keep their shares.`
  }
  return undefined
}

/**
 * The smallest shares, level by level. A level has N or more nominal seats exactly when its shares are above (N − 1) ·
 * T / S, T being all shares and S the server limit. Starting from a sum T that cannot be too large, the smallest shares
 * that fit it give the next T, until they agree; no smaller shares do.
 */
function leastShares(serverLimit: Seats, others: number, seats: readonly number[]): readonly number[] {
  const slope = seats.reduce((sum, nominal) => sum + Math.max(0, nominal - 1), 0) / serverLimit
  const sharesAt = (total: number): readonly number[] =>
    seats.map((nominal) => (nominal <= 0 ? 0 : Math.floor(((nominal - 1) * total) / serverLimit) + 1))
  // The shares sum to more than slope · T, so T is more than others ÷ (1 − slope).
  let total = Math.max(others, Math.floor(others / (1 - slope)))
  for (;;) {
    const shares = sharesAt(total)
    const needed = others + shares.reduce((sum, value) => sum + value, 0)
    if (needed <= total || total > Number.MAX_SAFE_INTEGER / serverLimit) return shares
    total = needed
  }
}

function rowsOf(
  levels: readonly SeatShares[],
  serverLimit: Seats,
  shares: ReadonlyMap<string, number>,
  wanted: ReadonlyMap<string, number>,
): readonly SharesRow[] {
  const changed = levels.map((level) => ({ ...level, shares: shares.get(level.name) ?? level.shares }))
  const before = configuredLimits(serverLimit, levels)
  const after = configuredLimits(serverLimit, changed)
  return levels.map(({ name, shares: sharesBefore }, index) => ({
    name,
    thirdParty: !KUBERNETES_OWN.has(name),
    wanted: wanted.get(name),
    sharesBefore,
    sharesAfter: changed[index]?.shares ?? sharesBefore,
    nominalBefore: before[index]?.nominal ?? 0,
    nominalAfter: after[index]?.nominal ?? 0,
  }))
}

const KUBERNETES_OWN: ReadonlySet<string> = new Set(
  [...mandatoryLevels, ...suggestedLevels].map(({ metadata }) => metadata.name),
)
