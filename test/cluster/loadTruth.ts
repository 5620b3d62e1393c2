import { countBy, readAuditFolder, readRequestLog } from './serverLogs.ts'

/** The requests of one level in a stretch of time, by the server's own logs. */
export interface LevelTruth {
  readonly level: string
  /** Mean number of requests in progress, waiting ones included. */
  readonly underWay: number
  /** The user with the most of them, and its part. */
  readonly busiest: string
  readonly part: number
  /** Users with requests. */
  readonly users: number
  /** Answers by status. */
  readonly answers: Readonly<Record<string, number>>
}

/**
 * Levels with requests between two instants (Unix milliseconds), from the audit log and the request log, the busiest
 * first.
 */
export async function loadTruth(
  auditFolder: string,
  requestLog: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly LevelTruth[]> {
  const { written } = await readAuditFolder(auditFolder)
  const userOf = new Map(written.map(({ auditId, user = '' }) => [auditId, user]))
  const requests = (await readRequestLog(requestLog)).flatMap(({ auditId, receivedMs, endedMs, level, status }) => {
    const inside = Math.min(endedMs, to) - Math.max(receivedMs, from)
    return level === undefined || inside <= 0 ? [] : [{ level, status, inside, user: userOf.get(auditId) ?? '?' }]
  })
  return [...Map.groupBy(requests, ({ level }) => level)]
    .map(([level, own]): LevelTruth => {
      const sums = new Map<string, number>()
      for (const { user, inside } of own) sums.set(user, (sums.get(user) ?? 0) + inside)
      const all = [...sums.values()].reduce((sum, ms) => sum + ms, 0)
      const [[busiest, most] = ['', 0]] = [...sums].toSorted(([, a], [, b]) => b - a)
      return {
        level,
        underWay: all / (to - from),
        busiest,
        part: most / all,
        users: sums.size,
        answers: countBy(own, ({ status }) => String(status)),
      }
    })
    .toSorted((a, b) => b.underWay - a.underWay)
}
