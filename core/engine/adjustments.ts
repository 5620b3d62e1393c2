import type { Nanoseconds } from '../units.ts'
import type { Allocation } from './allocation.ts'
import type { Ledger } from './ledger.ts'

/** Why limits were recomputed: the period of 10 s was over, or there was a new configuration (specification 6.2). */
export type AdjustmentCause = 'period' | 'configuration'

/** One recomputation of all limits, with everything that it followed from and what it did to the seats. */
export interface Adjustment {
  /** Counts from 0 since the engine was made. */
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
