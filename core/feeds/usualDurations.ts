import type { RequestInfo } from '../classify/requestInfo.ts'

const MOST_KINDS = 2_000
const NEWEST_WEIGHT = 0.1
/** Where none of its kind was seen yet. */
const UNSEEN_MS = 10

const kindOf = ({ verb, resource, subresource, path, isResource }: RequestInfo): string =>
  isResource ? `${verb} ${resource}/${subresource}` : `${verb} ${path}`

/** How long requests of one verb and resource usually execute: a mean in which the newest counts a tenth. */
export class UsualDurations {
  private readonly means = new Map<string, number>()

  note(info: RequestInfo, ms: number): void {
    const kind = kindOf(info)
    const mean = this.means.get(kind)
    if (mean === undefined && this.means.size >= MOST_KINDS) return
    this.means.set(kind, mean === undefined ? ms : mean + NEWEST_WEIGHT * (ms - mean))
  }

  of(info: RequestInfo): number {
    return this.means.get(kindOf(info)) ?? UNSEEN_MS
  }
}
