import type { BorrowingRule } from '../engine/allocation.ts'
import type { Limits } from '../frame/frame.ts'
import { isExempt, sumOfKnown } from '../frame/reading.ts'

/** Seats of one level, or of all. */
interface SeatAccount {
  readonly nominal: number
  readonly current: number
  /** Nominal seats that the limit does not cover. */
  readonly lent: number
  /** Seats of the limit beyond the nominal ones, from the common pool. */
  readonly borrowed: number
  /** Seats of the limit that are in use; `undefined` if executing seats are not reported. */
  readonly used: number | undefined
  readonly idle: number | undefined
}

/** One Limited level in the account. */
export interface AdjustmentLedgerEntry extends SeatAccount {
  readonly name: string
  /** Seats in use beyond the limit: an over-wide request, or a lowered limit. */
  readonly over: number | undefined
}

/**
 * Where every seat went, from the reports of a server (specification 6.1, 6.4). It always holds that
 * - for each level: `nominal − lent + borrowed` = `current` = `used + idle`,
 * - Σ `lent` + `exemptNominal` = Σ `borrowed` + `exemptShare` + `undistributed`.
 *
 * Seats cannot be traced from lender to borrower: there is one pool.
 */
export interface AdjustmentLedger extends SeatAccount {
  /** In the given order. */
  readonly entries: readonly AdjustmentLedgerEntry[]
  /** Limited levels whose limits are not reported: not accounted for. */
  readonly unknown: readonly string[]
  readonly exemptNominal: number
  /** Seats of the pool that Exempt holds; only if it is one item of the solver (up to 1.30). */
  readonly exemptShare: number
  /** Current limit of Exempt that comes on top of all (trap T48); its executing seats may be fewer or more. */
  readonly exemptOnTop: number
  readonly exemptExecuting: number | undefined
  /**
   * The part of the pool that no limit covers: withheld for Exempt in cases 1 and 2, otherwise the remainder from
   * rounding the limits, which may be less than 0.
   */
  readonly undistributed: number
}

interface Level {
  readonly name: string
  readonly limits: Limits
  readonly executing?: number | undefined
}

export function adjustmentLedger(levels: readonly Level[], rule: BorrowingRule): AdjustmentLedger {
  const { entries, unknown } = levelAccounts(levels)
  const exempt = levels.find(isExempt)
  const exemptNominal = exempt?.limits.nominal ?? 0
  const exemptCurrent = exempt?.limits.current ?? 0
  const exemptShare = rule === 'exempt-in-solver' ? exemptCurrent : 0
  const lent = total(entries, (entry) => entry.lent)
  const borrowed = total(entries, (entry) => entry.borrowed)
  return {
    entries,
    unknown,
    nominal: total(entries, (entry) => entry.nominal) + exemptNominal,
    current: total(entries, (entry) => entry.current),
    lent,
    borrowed,
    used: sumOfKnown(entries.map((entry) => entry.used)),
    idle: sumOfKnown(entries.map((entry) => entry.idle)),
    exemptNominal,
    exemptShare,
    exemptOnTop: exemptCurrent - exemptShare,
    exemptExecuting: exempt?.executing,
    undistributed: lent + exemptNominal - borrowed - exemptShare,
  }
}

/** The Limited levels one by one, in the given order, and those whose limits are not reported. */
export function levelAccounts(levels: readonly Level[]): Pick<AdjustmentLedger, 'entries' | 'unknown'> {
  const limited = levels.filter((level) => !isExempt(level))
  const entries = limited.flatMap(entryOf)
  const known = new Set(entries.map(({ name }) => name))
  return { entries, unknown: limited.map(({ name }) => name).filter((name) => !known.has(name)) }
}

function entryOf({ name, limits: { nominal, current }, executing }: Level): readonly AdjustmentLedgerEntry[] {
  if (nominal === undefined || current === undefined) return []
  const used = executing === undefined ? undefined : Math.min(executing, current)
  return [
    {
      name,
      nominal,
      current,
      lent: Math.max(0, nominal - current),
      borrowed: Math.max(0, current - nominal),
      used,
      idle: used === undefined ? undefined : current - used,
      over: used === undefined || executing === undefined ? undefined : executing - used,
    },
  ]
}

const total = (entries: readonly AdjustmentLedgerEntry[], of: (entry: AdjustmentLedgerEntry) => number): number =>
  entries.reduce((sum, entry) => sum + of(entry), 0)
