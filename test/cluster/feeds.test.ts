import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { FeedSpecSchema, type LiveRequest } from '../../core/contract/live.ts'
import { createFilesSource } from '../../main/sources/files.ts'
import { openLiveConsole, type LiveConsole } from '../harness/live.ts'
import { ADMIN } from './identities.ts'
import { readSamples, total, type Sample } from './independent.ts'
import { runLoad } from './load.ts'
import { demoLoad, saturating, seed } from './profiles.ts'
import {
  auditFolderIn,
  DECIDED,
  OMITTED,
  REJECTED,
  countBy,
  growth,
  heldUpMs,
  joinRows,
  lateRows,
  place,
  readAuditFolder,
  readRequestLog,
  writesLogs,
  type Joined,
  type Written,
} from './serverLogs.ts'
import { noCluster, useCluster } from './suite.ts'

const KINDS = ['webhook', 'audit', 'log'] as const
type Kind = (typeof KINDS)[number]

const PAGE = 2_000
const LOAD = [...saturating, ...demoLoad(0)]
/** An event may arrive so long after others of its time; later ones count as late. */
const WINDOW_MS = 5_000
/** Batches of the webhook are posted after a second; what a killed server had not posted is lost. */
const UNPOSTED_MS = 1_500

/** All that it emits, oldest first. */
async function rowsOf({ client }: LiveConsole): Promise<readonly LiveRequest[]> {
  const rows: LiveRequest[] = []
  for (;;) {
    const before = rows[0]?.seq
    const { requests } = await client.call('live.page', { count: PAGE, ...(before !== undefined && { before }) })
    rows.unshift(...requests)
    if (requests.length < PAGE) return rows
  }
}

/** What the server wrote and what the feeds emitted, up to a request with a known address. */
interface Evidence {
  readonly files: number
  readonly byId: ReadonlyMap<string, Written>
  readonly audited: ReadonlyMap<string, Written>
  readonly logged: readonly Written[]
  readonly rows: Readonly<Record<Kind, readonly LiveRequest[]>>
  readonly joined: Readonly<Record<Kind, Joined>>
}

const EXECUTIONS = 'apiserver_flowcontrol_request_execution_seconds'
const FLOW_CONTROL = '/apis/flowcontrol.apiserver.k8s.io/v1'

/** A page of metrics, and when it was taken: a line of a folder of captures. */
interface Capture {
  readonly t: number
  readonly path: string
  readonly body: string
}
const withoutExecutions = ({ body, ...capture }: Capture): Capture => ({
  ...capture,
  body: body.replaceAll(new RegExp(`^(?:# \\w+ )?${EXECUTIONS}.*\n`, 'gm'), ''),
})

/** Seconds that an engine made of an audit log with these captures beside it, and those that the server reports. */
async function replay(audit: string, captures: readonly Capture[]) {
  const lines = captures.map((capture) => JSON.stringify(capture)).join('\n')
  const files = [
    { name: 'audit.log', text: audit },
    { name: 'captures.ndjson', text: lines },
  ]
  const made = await createFilesSource(files, { now: () => Date.now() })
  if (!made.ok) throw new Error(made.problem.message)
  const { live } = made.source
  const waits = live?.state().waits
  if (live === undefined || waits?.reported === undefined) throw new Error('no waits were compared')
  const [first = Number.NaN, last = Number.NaN] = [captures[0]?.t, captures.at(-1)?.t]
  const ran = live.log
    .before(Number.MAX_SAFE_INTEGER)
    .filter(({ verb, at, status }) => verb !== 'watch' && status !== 429 && at > first && at < last)
  return {
    waits,
    waited: waits.reported,
    executed: ran.reduce((sum, { runMs = 0 }) => sum + runMs, 0) / 1_000,
  }
}

describe.skipIf(noCluster)('the feeds of a server', () => {
  let auditFolder = ''
  let webhookConfig: string | undefined
  const cluster = useCluster({
    apiserverArguments: async (folder) => {
      const log = await writesLogs(folder)
      auditFolder = auditFolderIn(folder)
      const webhook = [`--audit-webhook-config-file=${webhookConfig}`, '--audit-webhook-batch-max-wait=1s']
      return [...log, '--audit-log-maxsize=1', ...(webhookConfig === undefined ? [] : webhook)]
    },
  })
  const desks = new Map<Kind, LiveConsole>()
  afterAll(async () => {
    for (const desk of desks.values()) await desk.close()
  })
  const desk = (kind: Kind): LiveConsole => {
    const found = desks.get(kind)
    if (found === undefined) throw new Error(`no console for ${kind}`)
    return found
  }
  const connect = async (kind: Kind, feed: object): Promise<void> => {
    const opened = await openLiveConsole('feed')
    desks.set(kind, opened)
    const flags = { maxRequestsInFlight: 20, maxMutatingRequestsInFlight: 10 }
    await opened.connect(
      FeedSpecSchema.parse({ kind: 'feed', feed, cluster: { file: cluster().kubeconfig }, ...flags }),
    )
    await vi.waitUntil(() => opened.state() !== undefined)
  }
  const restart = async (): Promise<{ readonly killedMs: number; readonly readyMs: number }> => {
    await cluster().killApiserver()
    const killedMs = Date.now()
    await cluster().startApiserver()
    return { killedMs, readyMs: Date.now() }
  }
  const markOf = (n: number): string => `/metrics?mark=${n}`
  /** Counts of the server, by a request that is in every feed. */
  const mark = async (n: number): Promise<readonly Sample[]> =>
    readSamples((await cluster().call(markOf(n), ADMIN)).body)
  const marked = (rows: readonly LiveRequest[], n: number): number =>
    rows.find(({ url }) => url === markOf(n))?.at ?? Number.NaN

  /** The time of a feed advances with its events: requests are sent until all feeds have reached the mark. */
  async function evidence(n: number): Promise<Evidence> {
    const hasCome = ({ rows }: LiveConsole): boolean => [...rows.values()].some(({ url }) => url === markOf(n))
    await vi.waitUntil(
      async () => {
        await cluster().call('/api', ADMIN)
        return [...desks.values()].every(hasCome)
      },
      { timeout: 30_000, interval: 250 },
    )
    const rows = {
      webhook: await rowsOf(desk('webhook')),
      audit: await rowsOf(desk('audit')),
      log: await rowsOf(desk('log')),
    }
    const audit = await readAuditFolder(auditFolder)
    const upTo = (written: readonly Written[]): readonly Written[] => {
      const end = written.find(({ url }) => url === markOf(n))?.endedMs ?? Number.NaN
      return written.filter(({ endedMs }) => endedMs <= end)
    }
    const logged = upTo(await readRequestLog(cluster().apiserverLog))
    const audited = upTo(audit.written)
    const joinedWith = (kind: Kind, written: readonly Written[]): Joined =>
      joinRows(
        written,
        rows[kind].filter(({ at }) => at <= marked(rows[kind], n)),
      )
    return {
      files: audit.files,
      byId: new Map(logged.map((line) => [line.auditId, line])),
      audited: new Map(audited.map((event) => [event.auditId, event])),
      logged,
      rows,
      joined: {
        webhook: joinedWith('webhook', audited),
        audit: joinedWith('audit', audited),
        log: joinedWith('log', logged),
      },
    }
  }

  /** Requests that the server put elsewhere than their rows. */
  const misplaced = ({ byId, joined }: Evidence, kind: Kind): readonly Written[] =>
    joined[kind].pairs.flatMap(({ row, written }) => {
      const line = byId.get(written.auditId)
      return line === undefined || place(line) === place(row) ? [] : [line]
    })

  /** Those that have not ended are in no request log, and placed by the audit feed alone. */
  const openWatches = ({ byId, joined }: Evidence): readonly Written[] =>
    joined.audit.pairs
      .filter(({ written }) => !byId.has(written.auditId))
      .map(({ row: { level, schema }, written }) => ({ ...written, level, schema }))

  let webhookSince = 0
  const decided: (readonly Sample[])[] = []
  const captures: Capture[] = []
  const capture = async (path: string): Promise<void> => {
    const sentMs = Date.now()
    const { body } = await cluster().call(path, ADMIN)
    captures.push({ t: (sentMs + Date.now()) / 2, path, body })
  }
  /** Metrics every two seconds, as a recorder takes them. */
  const captureFor = async (times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      await capture('/metrics')
      await sleep(2_000)
    }
  }

  it('tell each request of 25 s of load once, where the server put it, as often as it counted', async () => {
    await seed(cluster())
    await connect('webhook', { kind: 'audit-webhook' })
    await connect('audit', { kind: 'audit-file', path: join(auditFolder, 'audit.log') })
    await connect('log', { kind: 'httplog', path: cluster().apiserverLog })
    webhookConfig = /--audit-webhook-config-file=(\S+);/.exec(desk('webhook').notes().join(' '))?.[1]
    expect(webhookConfig).toBeDefined()
    webhookSince = (await restart()).killedMs
    await sleep(1_000)
    decided.push(await mark(0))
    const [answers] = await Promise.all([
      runLoad(cluster(), LOAD, 25),
      captureFor(14),
      ...Array.from({ length: 5 }, () => cluster().call(OMITTED, 'alice')),
    ])
    // Requests aborted at the end of the load have ended by then.
    await sleep(3_000)
    decided.push(await mark(1))
    const found = await evidence(1)
    const { joined, rows, audited, byId, logged, files } = found
    expect(files).toBeGreaterThan(5)
    expect(audited.size).toBeGreaterThan(8_000)
    expect(answers.get(429)).toBeGreaterThan(500)

    // A server on a busy machine writes of some requests well after they have ended.
    const heldUp = Math.max(heldUpMs(logged), heldUpMs([...audited.values()]))
    // Each once, and nothing else.
    for (const kind of KINDS) {
      expect(joined[kind].rowsAlone, kind).toEqual([])
      const missing = joined[kind].withoutRow.filter(({ endedMs }) => kind !== 'webhook' || endedMs > webhookSince)
      expect(missing, kind).toEqual([])
      expect
        .soft(
          joined[kind].pairs.filter(({ row, written }) => row.status !== written.status),
          kind,
        )
        .toEqual([])
      expect(desk(kind).state()?.unreadable).toBe(0)
      const late = new Set(lateRows(rows[kind]).filter(({ verb }) => verb !== 'watch'))
      const soon = joined[kind].pairs.filter(
        ({ row, written }) => late.has(row) && written.endedMs - written.receivedMs < WINDOW_MS - 100 - heldUp,
      )
      expect(soon, kind).toEqual([])
    }
    // What one log has and the other has not: what the policy omits, and watches that are open, or were at the kill.
    const unaudited = logged.filter(({ auditId }) => !audited.has(auditId))
    expect([...new Set(unaudited.map(({ url }) => url))]).toEqual([OMITTED])
    const unlogged = [...audited.values()].filter(({ auditId }) => !byId.has(auditId))
    expect(unlogged.filter(({ hasEnded, url }) => hasEnded || !url.includes('watch='))).toEqual([])

    for (const kind of KINDS) expect(misplaced(found, kind), kind).toEqual([])
    const { compared = 0, schemaAndLevel } = desk('log').state()?.agreement ?? {}
    expect(compared).toBeGreaterThan(8_000)
    expect(schemaAndLevel).toBe(compared)

    // A client whose time ran out gets that status, and so does the log; the audit event has the decision behind it.
    const differing = joined.log.pairs.filter(({ written }) => {
      const event = audited.get(written.auditId)
      return event !== undefined && event.status !== written.status
    })
    expect(differing.filter(({ written }) => written.status !== 504)).toEqual([])
    const tooLate = new Set(
      differing.filter(({ written }) => audited.get(written.auditId)?.status === 429).map(({ row }) => row),
    )

    const [before = [], after = []] = decided
    for (const kind of KINDS) {
      const from = marked(rows[kind], 0)
      const to = marked(rows[kind], 1)
      const told = rows[kind].filter(({ at }) => at > from && at <= to)
      const untold = (kind === 'log' ? openWatches(found) : unaudited).filter(
        ({ receivedMs }) => receivedMs > from && receivedMs <= to,
      )
      const counted = countBy([...told, ...untold], place)
      expect(counted, kind).toEqual(growth(before, after, DECIDED))
      const refused = told.filter((row) => row.status === 429 || tooLate.has(row))
      expect(countBy(refused, place), kind).toEqual(growth(before, after, [REJECTED]))
    }
  })

  it('bound the waits of the server, and are corrected by the captures of its histograms', async () => {
    const parts = (await readdir(auditFolder)).toSorted()
    // The one that is written to has the shortest name, and the latest events.
    const [latest = '', ...earlier] = parts.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
    const texts = await Promise.all([...earlier, latest].map((name) => readFile(join(auditFolder, name), 'utf8')))
    const until = captures.at(-1)?.t ?? Number.NaN
    const audit = texts.join('')
    const objects = await Promise.all(
      ['flowschemas', 'prioritylevelconfigurations'].map(async (kind) => {
        const { body } = await cluster().call(`${FLOW_CONTROL}/${kind}`, ADMIN)
        return { t: until, path: `${FLOW_CONTROL}/${kind}`, body }
      }),
    )
    const [first, last] = [captures[0], captures.at(-1)].map((one) => readSamples(one?.body ?? ''))
    const grown = (name: string, labels: Readonly<Record<string, string>>): number =>
      (total(last ?? [], name, labels) ?? 0) - (total(first ?? [], name, labels) ?? 0)
    const waited = grown('request_wait_duration_seconds_sum', { execute: 'true' })
    const executed = grown('request_execution_seconds_sum', { type: 'regular' })
    const began = performance.now()
    const corrected = await replay(audit, [...captures, ...objects])
    const plain = await replay(audit, [...captures.map(withoutExecutions), ...objects])
    console.log(`the replays took ${(performance.now() - began).toFixed(0)} ms`)
    const live = desk('audit').state()?.waits
    const table = [
      ['the server', waited, executed],
      ['without correction', plain.waited.here, plain.executed],
      ['with correction', corrected.waited.here, corrected.executed],
    ] as const
    for (const [whose, waits, executions] of table) {
      console.log(`${whose}: ${waits.toFixed(0)} s of waits, ${executions.toFixed(0)} s of executions`)
    }
    console.log(`live, since its first scrape: ${JSON.stringify(live)}`)

    expect(corrected.waited.server).toBeCloseTo(waited, 3)
    expect(plain.waited.server).toBeCloseTo(waited, 3)
    expect(plain.waits.corrected).toBeUndefined()
    expect(corrected.waits.corrected?.requests).toBeGreaterThan(300)
    // A followed feed shows requests when they end, and the scrape that corrects them comes later.
    expect(live?.corrected).toBeUndefined()
    expect(live?.bounds?.told).toBeGreaterThan(0)
    // The events alone bound the waits at the server.
    const { told, untold } = plain.waits.bounds ?? { told: 0, untold: 0 }
    expect(told).toBeGreaterThan(0)
    expect(waited).toBeLessThan(1.05 * (told + untold))
    // The sums of the engine are printed and not compared: what the engine refuses, and what it runs that the server
    // refused, differs from run to run, and with full queues that is more than the correction changes.
  })

  it('go on when the server is killed and started again, and count nothing twice', async () => {
    // The evidence of the first test is read in the thread of the webhook, for some 20 s: a post in that time is
    // abandoned.
    const begunMs = Date.now()
    const load = runLoad(cluster(), LOAD, 12)
    await sleep(5_000)
    const { killedMs, readyMs } = await restart()
    await load
    await sleep(3_000)
    const since = await mark(2)
    const found = await evidence(2)
    const { joined, rows, logged, audited } = found
    for (const kind of KINDS) {
      expect(joined[kind].rowsAlone, kind).toEqual([])
      expect(desk(kind).state()?.unreadable).toBe(0)
      expect(rows[kind].filter(({ at }) => at > readyMs).length).toBeGreaterThan(500)
      // A server that has just started has not loaded its flow schemas yet, and no feed contains that.
      const strange = misplaced(found, kind).filter(
        ({ receivedMs, level }) => level !== 'catch-all' || receivedMs < killedMs || receivedMs > readyMs,
      )
      expect(strange, kind).toEqual([])
    }
    expect(joined.audit.withoutRow).toEqual([])
    expect(joined.log.withoutRow).toEqual([])
    // What a killed server had not posted is lost: a batch that waits, and one that is on its way.
    const lost = joined.webhook.withoutRow.filter(({ endedMs }) => endedMs > begunMs)
    const agesMs = lost.map(({ endedMs }) => killedMs - endedMs)
    expect(agesMs.filter((age) => age < 0 || age > UNPOSTED_MS)).toEqual([])

    // The new process counts from nothing.
    const told = [...logged, ...openWatches(found)].filter(({ receivedMs }) => receivedMs > killedMs)
    expect(countBy(told, place)).toEqual(growth([], since, DECIDED))
    expect(audited.size).toBeGreaterThan(10_000)
  })
})
