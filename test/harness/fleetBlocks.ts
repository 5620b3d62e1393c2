import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A fleet that a Prometheus scraped: servers of a few clusters, each with the same levels. */
export interface FleetShape {
  readonly clusters: number
  readonly serversPerCluster: number
  /** The exempt one and catch-all among them. */
  readonly levels: number
  readonly intervalMs: number
  /** Unix milliseconds of the first and the last scrape. */
  readonly from: number
  readonly to: number
  /** Unix milliseconds of the first scrape that histograms are written of: they are most of the series. */
  readonly histogramsFrom: number
}

/** Upper bounds of the wait histogram of 1.36. */
const BOUNDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]
const P = 'apiserver_flowcontrol_'

export const levelName = (index: number): string =>
  index === 0 ? 'exempt' : index === 1 ? 'catch-all' : `workload-${String(index).padStart(2, '0')}`

/**
 * What each level of each server reports, by its indexes: `rejecting` levels get two rejections a second, `queued` is
 * what waits. All others have no rejections and no waiting requests.
 */
export const troubleOf = (server: number, level: number): { readonly rejecting: boolean; readonly queued: number } => ({
  rejecting: level > 1 && server % 50 === 7 && level % 10 === 2,
  queued: level > 1 && server % 10 === 3 && level % 7 === 3 ? 5 + (server % 4) : 0,
})

export const LIMIT = 20
export const executingOf = (server: number, level: number): number => (server + 3 * level) % LIMIT

/**
 * Writes the samples of a fleet as OpenMetrics and makes blocks of them with promtool in `folder`/data; its path. There
 * are samples of the future as well, because a large fleet takes minutes to write.
 */
export async function writeFleetBlocks(folder: string, shape: FleetShape): Promise<string> {
  const file = join(folder, 'fleet.om')
  const data = join(folder, 'data')
  const out = createWriteStream(file)
  for (const line of linesOf(shape)) if (!out.write(line)) await once(out, 'drain')
  out.end('# EOF\n')
  await once(out, 'finish')
  await promisify(execFile)('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', '--quiet', file, data], {
    maxBuffer: 16 << 20,
  })
  return data
}

/** One series after the other, as the format requires. */
function* linesOf({
  clusters,
  serversPerCluster,
  levels,
  intervalMs,
  from,
  to,
  histogramsFrom,
}: FleetShape): Generator<string> {
  const times: number[] = []
  for (let at = from; at <= to; at += intervalMs) times.push(at)
  const series = (name: string, labels: string, value: (seconds: number) => number, at = times): string =>
    at.map((ms) => `${name}{${labels}} ${value((ms - from) / 1_000)} ${ms / 1_000}\n`).join('')
  for (let cluster = 0; cluster < clusters; cluster++) {
    for (let index = 0; index < serversPerCluster; index++) {
      const server = cluster * serversPerCluster + index
      const target = `cluster="cluster-${cluster}",instance="10.${cluster}.0.${index}:6443",job="apiserver"`
      yield series('kubernetes_build_info', `${target},git_version="v1.36.3"`, () => 1)
      for (let level = 0; level < levels; level++) {
        const place = `${target},priority_level="${levelName(level)}"`
        const flow = `${place},flow_schema="schema-${level}"`
        const { rejecting, queued } = troubleOf(server, level)
        yield series(`${P}nominal_limit_seats`, place, () => LIMIT)
        yield series(`${P}current_limit_seats`, place, () => LIMIT)
        yield series(`${P}current_executing_seats`, flow, () => executingOf(server, level))
        yield series(`${P}current_inqueue_requests`, flow, () => queued)
        yield series(`${P}dispatched_requests_total`, flow, (seconds) => 1_000 + 3 * seconds)
        if (rejecting)
          yield series(`${P}rejected_requests_total`, `${flow},reason="queue-full"`, (seconds) => 10 + 2 * seconds)
        if (level === 0) continue
        const recent = times.filter((at) => at >= histogramsFrom)
        for (const bound of [...BOUNDS, Number.POSITIVE_INFINITY]) {
          const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound)
          // All waits are between 0.2 and 0.5 s where requests wait.
          yield series(
            `${P}request_wait_duration_seconds_bucket`,
            `${flow},execute="true",le="${le}"`,
            (seconds) => (queued > 0 && bound < 0.5 ? 0 : 3 * seconds),
            recent,
          )
        }
      }
    }
  }
}
