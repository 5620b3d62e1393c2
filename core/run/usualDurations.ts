import type { LiveRequest } from '../contract/live.ts'
import { msToNs, type Nanoseconds } from '../units.ts'

/** Weight of each new duration in the average. */
const WEIGHT = 0.2
/** Kinds that are kept; beyond them everything counts as the average request. */
const MOST_KINDS = 4_096
/** Before anything was measured. */
const FIRST_NS = msToNs(10)

type Kind = Pick<LiveRequest, 'verb' | 'resource' | 'namespace' | 'url'>

/** How long requests of a verb and resource, or of a path, took recently. Nanoseconds. */
export class UsualDurations {
  private readonly byKind = new Map<string, number>()
  private overallNs: Nanoseconds | undefined

  note(row: Kind, durationNs: Nanoseconds): void {
    const kind = kindOf(row)
    const known = this.byKind.get(kind)
    this.overallNs = blend(this.overallNs, durationNs)
    if (known !== undefined || this.byKind.size < MOST_KINDS) this.byKind.set(kind, blend(known, durationNs))
  }

  of(row: Kind): Nanoseconds {
    return Math.round(this.byKind.get(kindOf(row)) ?? this.overallNs ?? FIRST_NS)
  }
}

const blend = (known: Nanoseconds | undefined, durationNs: Nanoseconds): Nanoseconds =>
  known === undefined ? durationNs : known + WEIGHT * (durationNs - known)

function kindOf({ verb, resource, namespace, url }: Kind): string {
  if (resource !== '') return `${verb} ${resource} ${namespace === '' ? 'everywhere' : 'in one namespace'}`
  const query = url.indexOf('?')
  return `${verb} ${query === -1 ? url : url.slice(0, query)}`
}
