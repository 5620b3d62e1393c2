import type { Agreement, LiveRequest } from '../contract/live.ts'

const WINDOW_MS = 300_000
const BUCKET_MS = 5_000
const MOST_DIFFERENCES = 8
/** A server has few objects; more kinds than this in five seconds are noise, and are not distinguished. */
const MOST_KINDS = 1_000

interface Bucket {
  readonly from: number
  compared: number
  same: number
  widthCompared: number
  sameWidth: number
  readonly differences: Map<string, number>
}

/**
 * The differences and their most likely causes; `undefined` when the two agree in everything that the server reported.
 */
export function differencesOf({
  level,
  schema,
  seats,
  server = {},
}: LiveRequest): readonly (readonly [string, string])[] {
  const found: (readonly [string, string])[] = []
  if (server.schema !== undefined && server.schema !== schema) {
    found.push([
      `schema ${schema || 'none'}, server ${server.schema}`,
      server.schema === 'catch-all'
        ? 'the server had just started and had not read its objects yet, or the engine has other ones'
        : 'the engine has other objects than the server, or other groups of the user',
    ])
  } else if (server.level !== undefined && server.level !== level) {
    found.push([`level ${level || 'none'}, server ${server.level}`, 'the schema leads elsewhere on the server'])
  }
  if (server.initialSeats !== undefined && server.initialSeats !== seats.initial) {
    found.push([
      `width ${seats.initial}, server ${server.initialSeats}`,
      'the server has other object counts and sizes',
    ])
  } else if (server.finalSeats !== undefined && server.finalSeats !== seats.final) {
    found.push([`final width ${seats.final}, server ${server.finalSeats}`, 'the server counts other watches'])
  }
  return found
}

/**
 * How often our decisions equal the server's own, over the last five minutes in steps of five seconds. Memory does not
 * grow with the number of requests: kinds of differences are few, and the rarest are dropped.
 */
export class AgreementMeter {
  private buckets: Bucket[] = []
  private readonly likely = new Map<string, string>()

  /** A request with a report from the server. `nowMs` never goes back. */
  note(request: LiveRequest, nowMs: number): void {
    const { server } = request
    // The max-in-flight filter decides about requests without placing them, so there is nothing to compare.
    if (request.state !== 'bypassed' && request.level === '' && request.schema === '') return
    if (server?.schema === undefined && server?.level === undefined) return
    const bucket = this.bucketAt(nowMs)
    const found = differencesOf(request)
    const widthSaid = server.initialSeats !== undefined
    bucket.compared += 1
    if (!found.some(([what]) => /^(schema|level) /.test(what))) bucket.same += 1
    if (widthSaid) bucket.widthCompared += 1
    if (widthSaid && !found.some(([what]) => /width /.test(what))) bucket.sameWidth += 1
    for (const [what, likely] of found) {
      if (bucket.differences.size >= MOST_KINDS && !bucket.differences.has(what)) continue
      this.likely.set(what, likely)
      bucket.differences.set(what, (bucket.differences.get(what) ?? 0) + 1)
    }
  }

  read(nowMs: number): Agreement {
    this.forget(nowMs)
    const sum = (of: (bucket: Bucket) => number): number =>
      this.buckets.reduce((total, bucket) => total + of(bucket), 0)
    const counts = new Map<string, number>()
    for (const { differences } of this.buckets) {
      for (const [what, count] of differences) counts.set(what, (counts.get(what) ?? 0) + count)
    }
    const frequent = [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, MOST_DIFFERENCES)
    return {
      compared: sum(({ compared }) => compared),
      schemaAndLevel: sum(({ same }) => same),
      widthCompared: sum(({ widthCompared }) => widthCompared),
      width: sum(({ sameWidth }) => sameWidth),
      differences: frequent.map(([what, count]) => ({ what, count, likely: this.likely.get(what) ?? '' })),
    }
  }

  private bucketAt(nowMs: number): Bucket {
    const from = Math.floor(nowMs / BUCKET_MS) * BUCKET_MS
    const last = this.buckets.at(-1)
    if (last !== undefined && last.from >= from) return last
    const bucket = {
      from,
      compared: 0,
      same: 0,
      widthCompared: 0,
      sameWidth: 0,
      differences: new Map<string, number>(),
    }
    this.forget(nowMs)
    this.buckets.push(bucket)
    return bucket
  }

  private forget(nowMs: number): void {
    this.buckets = this.buckets.filter(({ from }) => from + BUCKET_MS > nowMs - WINDOW_MS)
    const said = new Set(this.buckets.flatMap(({ differences }) => [...differences.keys()]))
    for (const what of this.likely.keys()) if (!said.has(what)) this.likely.delete(what)
  }
}
