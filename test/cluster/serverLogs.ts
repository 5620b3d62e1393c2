import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { LiveRequest } from '../../core/contract/live.ts'
import type { Sample } from './independent.ts'

/**
 * What a server wrote of its requests, read by nothing but regular expressions and JSON.parse: it shares no line with
 * the feeds, so both being wrong in the same way is unlikely. Times are Unix milliseconds.
 */
export interface Written {
  readonly auditId: string
  readonly url: string
  readonly receivedMs: number
  /** Of a request that has not ended: when its answer began. */
  readonly endedMs: number
  readonly hasEnded: boolean
  readonly status: number
  /** In audit events alone. */
  readonly user?: string | undefined
  /** Flow schema and level, in the request log alone. */
  readonly schema?: string | undefined
  readonly level?: string | undefined
}

const EventSchema = z.object({
  auditID: z.string(),
  stage: z.enum(['ResponseStarted', 'ResponseComplete']),
  requestURI: z.string(),
  user: z.object({ username: z.string() }),
  requestReceivedTimestamp: z.string(),
  stageTimestamp: z.string(),
  responseStatus: z.object({ code: z.number() }),
})

/** A path of which the audit log has no event. */
export const OMITTED = '/version'
/** That of docs/feeds.md, with something left out. */
const POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'None', nonResourceURLs: [OMITTED] }, { level: 'Metadata' }],
}

/** Where a server whose folder this is writes its audit log, with {@link writesLogs}. */
export const auditFolderIn = (folder: string): string => join(folder, 'audit')

/** Arguments with which a server writes a request log and an audit log. */
export async function writesLogs(folder: string): Promise<readonly string[]> {
  await mkdir(auditFolderIn(folder), { recursive: true })
  const policy = join(folder, 'audit-policy.json')
  await writeFile(policy, JSON.stringify(POLICY))
  return ['--v=3', `--audit-policy-file=${policy}`, `--audit-log-path=${join(auditFolderIn(folder), 'audit.log')}`]
}

/** The requests of a folder in which an audit log and its rotated parts are the only files, as they were written. */
export async function readAuditFolder(
  folder: string,
): Promise<{ readonly files: number; readonly written: readonly Written[] }> {
  const names = (await readdir(folder)).toSorted()
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  const requests = new Map<string, Written>()
  for (const line of texts.flatMap((text) => text.split('\n').slice(0, -1))) {
    const event = EventSchema.parse(JSON.parse(line))
    const hasEnded = event.stage === 'ResponseComplete'
    if (!hasEnded && requests.has(event.auditID)) continue
    requests.delete(event.auditID)
    requests.set(event.auditID, {
      auditId: event.auditID,
      url: event.requestURI,
      receivedMs: microTime(event.requestReceivedTimestamp),
      endedMs: microTime(event.stageTimestamp),
      hasEnded,
      status: event.responseStatus.code,
      user: event.user.username,
    })
  }
  return { files: names.length, written: [...requests.values()] }
}

/** `2026-11-21T13:07:36.833164Z`: Date keeps three digits of the six. */
const microTime = (text: string): number => Date.parse(`${text.slice(0, 23)}Z`) + Number(text.slice(23, 26)) / 1_000

const HTTP_LINE =
  /^I(\d\d)(\d\d) (\d\d:\d\d:\d\d\.\d{3})(\d{3}) .*? "HTTP" verb="\w*" URI="(.*?)" latency="(.*?)" .*$/gm
const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1, µs: 1e-3, ns: 1e-6 }

/** The request lines in the log of a server with `-v=3`, all of this year. */
export async function readRequestLog(path: string): Promise<readonly Written[]> {
  const text = await readFile(path, 'utf8')
  const year = new Date().getUTCFullYear()
  return [...text.matchAll(HTTP_LINE)].map(([line, month, day, time, micros, url = '', latency = '']) => {
    const endedMs = Date.parse(`${year}-${month}-${day}T${time}Z`) + Number(micros) / 1_000
    const latencyMs = [...latency.matchAll(/([\d.]+)([a-zµ]+)/g)].reduce(
      (sum, [, number, unit = '']) => sum + Number(number) * (UNIT_MS[unit] ?? Number.NaN),
      0,
    )
    const value = (name: string): string | undefined => new RegExp(` ${name}="?([^ "]+)`).exec(line)?.[1]
    return {
      auditId: value('audit-ID') ?? '',
      url,
      receivedMs: endedMs - latencyMs,
      endedMs,
      hasEnded: true,
      status: Number(value('resp')),
      schema: value('apf_fs'),
      level: value('apf_pl'),
    }
  })
}

export interface Pair {
  readonly written: Written
  readonly row: LiveRequest
}

const sameRequest = ({ status, user, schema }: Written, row: LiveRequest): boolean =>
  row.status === status &&
  (user === undefined || row.user === user) &&
  (schema === undefined || row.server?.schema === schema)

export interface Joined {
  readonly pairs: readonly Pair[]
  readonly withoutRow: readonly Written[]
  readonly rowsAlone: readonly LiveRequest[]
}

/** Two steps of what a number holds of a time in milliseconds; less than a microsecond, which is what events have. */
const SAME_MS = 0.0005
const microsecond = (ms: number): number => Math.floor(ms * 1_000)
const keyOf = (url: string, micros: number): string => `${micros} ${url}`

/**
 * Puts rows and what the server wrote together, one to one, by address and time of arrival, which rows have and no
 * audit-ID. Of several at one time those belong together that have the same user, status and schema of the server's.
 */
export function joinRows(written: readonly Written[], rows: readonly LiveRequest[]): Joined {
  const left = Map.groupBy(rows, ({ url, at }) => keyOf(url, microsecond(at)))
  const pairs: Pair[] = []
  const withoutRow: Written[] = []
  for (const one of written) {
    const near = [-1, 0, 1]
      .flatMap((by) => left.get(keyOf(one.url, microsecond(one.receivedMs) + by)) ?? [])
      .filter(({ at }) => Math.abs(at - one.receivedMs) < SAME_MS)
    const row = near.find((candidate) => sameRequest(one, candidate)) ?? near[0]
    if (row === undefined) withoutRow.push(one)
    else {
      const there = left.get(keyOf(row.url, microsecond(row.at))) ?? []
      there.splice(there.indexOf(row), 1)
      pairs.push({ written: one, row })
    }
  }
  return { pairs, withoutRow, rowsAlone: [...left.values()].flat() }
}

/** Rows that were placed after later ones, because they were read too late. */
export function lateRows(rows: readonly LiveRequest[]): readonly LiveRequest[] {
  let latest = Number.NEGATIVE_INFINITY
  return rows.filter(({ at }) => {
    const late = at < latest
    latest = Math.max(latest, at)
    return late
  })
}

/** How much later than the end of another request the server wrote of one that had ended before, at most. */
export function heldUpMs(written: readonly Written[]): number {
  let latest = Number.NEGATIVE_INFINITY
  let most = 0
  for (const { endedMs, hasEnded } of written) {
    if (!hasEnded) continue
    most = Math.max(most, latest - endedMs)
    latest = Math.max(latest, endedMs)
  }
  return most
}

type Counts = Readonly<Record<string, number>>
export const countBy = <T>(items: readonly T[], key: (item: T) => string): Counts =>
  Object.fromEntries([...Map.groupBy(items, key)].map(([name, { length }]) => [name, length]))

/** How much counters rose, by level and flow schema, without those that stayed as they were. */
export function growth(before: readonly Sample[], after: readonly Sample[], names: readonly string[]): Counts {
  const sums = new Map<string, number>()
  const add = (samples: readonly Sample[], sign: number): void => {
    for (const { name, labels, value } of samples) {
      if (!names.includes(name)) continue
      const key = `${labels.get('priority_level')}/${labels.get('flow_schema')}`
      sums.set(key, (sums.get(key) ?? 0) + sign * value)
    }
  }
  add(before, -1)
  add(after, 1)
  return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0))
}
export const REJECTED = 'rejected_requests_total'
/** Counters of which one rises for each request that flow control decides about. */
export const DECIDED = ['dispatched_requests_total', REJECTED]
/** `workload-low/service-accounts`, of a row as of what the server wrote. */
export const place = ({ level, schema }: Pick<Written, 'level' | 'schema'>): string => `${level}/${schema}`
