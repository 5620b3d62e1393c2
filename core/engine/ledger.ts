import type { Seats, Nanoseconds } from '../units.ts'
import type { Allocation } from './allocation.ts'

/** How the seats of one priority level are used after a recomputation. */
export interface LedgerEntry {
  readonly name: string
  readonly exempt: boolean
  readonly nominal: number
  readonly current: number
  /** Nominal seats that its limit does not cover now. 0 for Exempt, whose nominal seats are all in the pool. */
  readonly lent: number
  /** Seats of its limit beyond the nominal ones, from the common pool. 0 for Exempt, which takes none from it. */
  readonly borrowed: number
  /** Seats of its limit that are in use; seats in use beyond the limit are in `over`. */
  readonly used: number
  /** Seats of its limit that are not in use. */
  readonly idle: number
  /** Seats in use beyond the limit: an over-wide request, or a limit that was lowered. */
  readonly over: number
}

/**
 * The distribution of all seats (specification 6.1, 6.4). These always hold:
 *
 * - `serverLimit + roundingSurplus` = Σ nominal over all levels,
 * - Σ `lent` + `exemptNominal` = Σ `borrowed` + `undistributed`,
 * - for each limited level: `nominal − lent + borrowed` = `current` = `used + idle`.
 *
 * The seats that Exempt uses come on top of all that (trap T48).
 */
interface Ledger {
  readonly serverLimit: Seats
  /** Nominal limits are rounded up, so that their sum may exceed the seats of the server (specification 6.1). */
  readonly roundingSurplus: number
  /** Nominal seats of Exempt: they are distributed to the others. */
  readonly exemptNominal: number
  /** The common pool: the seats lent by limited levels, with the nominal seats of Exempt. */
  readonly pool: number
  /**
   * Seats of the pool that no limit covers: kept free for Exempt in the two constrained cases, otherwise the remainder
   * of rounding the limits, which may be less than 0.
   */
  readonly undistributed: number
  /** CurrentCL of Exempt, on top. */
  readonly exemptOnTop: number
  /** By name. */
  readonly levels: readonly LedgerEntry[]
}

/** `seatsInUse` by level name, at the instant of the recomputation and after the dispatches that it allowed. */
export function ledgerOf(
  { nominalSum, levels }: Allocation,
  serverLimit: Seats,
  seatsInUse: (level: string) => number,
): Ledger {
  let pool = 0
  let borrowed = 0
  let exemptNominal = 0
  let exemptOnTop = 0
  const entries = levels.map(({ name, exempt, limits: { nominal }, current }): LedgerEntry => {
    const inUse = seatsInUse(name)
    const used = Math.min(inUse, current)
    const entry = { name, exempt, nominal, current, used, idle: current - used, over: inUse - used }
    if (exempt) {
      exemptNominal += nominal
      exemptOnTop += current
      return { ...entry, lent: 0, borrowed: 0 }
    }
    const lent = Math.max(0, nominal - current)
    pool += lent
    borrowed += Math.max(0, current - nominal)
    return { ...entry, lent, borrowed: Math.max(0, current - nominal) }
  })
  pool += exemptNominal
  return {
    serverLimit,
    roundingSurplus: nominalSum - serverLimit,
    exemptNominal,
    pool,
    undistributed: pool - borrowed,
    exemptOnTop,
    levels: entries,
  }
}

/** Why limits were recomputed: the period of 10 s was over, or the configuration changed (specification 6.2). */
export type AdjustmentCause = 'period' | 'configuration'

/** One recomputation of all limits, with its inputs, intermediate results and effect on the seats. */
export interface Adjustment {
  /** Counts from 0 since the engine was created. */
  readonly number: number
  /** Nanoseconds of the engine's clock. */
  readonly atNs: Nanoseconds
  readonly cause: AdjustmentCause
  readonly allocation: Allocation
  readonly ledger: Ledger
}

/** The last recomputations, oldest first. */
export class Adjustments {
  private readonly capacity: number
  private readonly kept: Adjustment[] = []
  private made = 0

  constructor(capacity: number) {
    this.capacity = capacity
  }

  record(adjustment: Omit<Adjustment, 'number'>): Adjustment {
    const numbered = { number: this.made, ...adjustment }
    this.made += 1
    this.kept.push(numbered)
    if (this.kept.length > this.capacity) this.kept.shift()
    return numbered
  }

  all(): readonly Adjustment[] {
    return this.kept
  }

  latest(): Adjustment | undefined {
    return this.kept.at(-1)
  }
}
