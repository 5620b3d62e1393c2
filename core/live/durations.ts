import type { LiveRow } from './requestLog.ts'

/** How much of each new duration goes into what is remembered. */
const WEIGHT = 0.2
/** Kinds that are remembered; beyond them everything counts as the average request. */
const MOST_KINDS = 4_096
/** Before anything was measured. */
const FIRST_NS = 10e6

/** How long requests of a kind took lately, for those that never ran or have not run yet. Nanoseconds. */
export class Durations {
  private readonly byKind = new Map<string, number>()
  private overallNs: number | undefined

  note(row: LiveRow, durationNs: number): void {
    const kind = kindOf(row)
    const known = this.byKind.get(kind)
    this.overallNs = blend(this.overallNs, durationNs)
    if (known !== undefined || this.byKind.size < MOST_KINDS) this.byKind.set(kind, blend(known, durationNs))
  }

  expected(row: LiveRow): number {
    return Math.round(this.byKind.get(kindOf(row)) ?? this.overallNs ?? FIRST_NS)
  }
}

const blend = (known: number | undefined, durationNs: number): number =>
  known === undefined ? durationNs : known + WEIGHT * (durationNs - known)

const kindOf = ({ verb, resource, namespace }: LiveRow): string =>
  `${verb} ${resource} ${namespace === '' ? 'everywhere' : 'in one namespace'}`
