import { type RequestInfo, isReadOnly } from '../request/requestInfo.ts'
import type { Clock } from './clock.ts'
import { KindMeter } from './kindMeter.ts'

/** What matters of a request's verb once it is classified, and the meters of those like it. */
export interface RequestKind {
  readonly isWatch: boolean
  readonly waiting: KindMeter
  readonly executing: KindMeter
}

/** What a server measures over all its requests, by kind (specification 8.2, 8.3). */
export class ServerMeters {
  readonly readOnly: RequestKind
  readonly mutating: RequestKind
  /** Counted with the read-only ones. */
  private readonly watches: RequestKind

  constructor(clock: Clock) {
    const kind = (): RequestKind => ({
      isWatch: false,
      waiting: new KindMeter(clock),
      executing: new KindMeter(clock),
    })
    this.readOnly = kind()
    this.mutating = kind()
    this.watches = { ...this.readOnly, isWatch: true }
  }

  kindOf(info: RequestInfo): RequestKind {
    if (info.verb === 'watch') return this.watches
    return isReadOnly(info) ? this.readOnly : this.mutating
  }

  /** What their ratios are relative to. */
  setDenominators(denominators: {
    readonly waiting: number
    readonly readOnly: number
    readonly mutating: number
  }): void {
    this.readOnly.waiting.overTime.setDenominator(denominators.waiting)
    this.mutating.waiting.overTime.setDenominator(denominators.waiting)
    this.readOnly.executing.overTime.setDenominator(denominators.readOnly)
    this.mutating.executing.overTime.setDenominator(denominators.mutating)
  }
}
