import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { builtInObjects } from '../../core/config/builtIn.ts'
import type { FeedSpec, LiveRequest } from '../../core/contract/live.ts'
import { AS_UPSTREAM, profileFor } from '../../core/engine/profiles.ts'
import type { FeedArrival, FeedRecord } from '../../core/feeds/request.ts'
import { readAuditBatch, readLog } from '../../core/feeds/logReader.ts'
import { openStore } from '../../main/store/store.ts'
import { createFeedRun } from '../../core/feeds/feedRun.ts'
import { type Feed, createFeed } from '../../main/feeds/open.ts'
import { readFixture } from '../fixtures/load.ts'

/** All captures are of that day. */
const NOW = Date.UTC(2026, 10, 22)
const VERSION = 'v1.36.3'
const engine = {
  maxRequestsInFlight: 20,
  maxMutatingRequestsInFlight: 10,
  profile: profileFor(VERSION),
  corrections: AS_UPSTREAM,
}

const linesOf = (name: string): readonly string[] =>
  readFixture(`feeds/${name}`)
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
const auditRecords = (name: string): readonly FeedRecord[] => readLog('audit', linesOf(name).join('\n'), NOW)
const logRecords = (name: string): readonly FeedRecord[] => readLog('httplog', linesOf(name).join('\n'), NOW)
const arrivals = (records: readonly FeedRecord[]): readonly FeedArrival[] =>
  records.filter((record) => record.kind === 'arrival')

function ran(records: readonly FeedRecord[], identity: 'audit' | 'httplog') {
  const run = createFeedRun({ engine, identity, startUnixMs: NOW, kept: 20_000, untold: 10 })
  run.configure(builtInObjects(VERSION))
  run.take(records, NOW)
  run.finish()
  return { run, rows: run.log.before(20_000), agreement: run.agreement() }
}

const isPlaced = ({ level, schema, state }: LiveRequest): boolean =>
  level !== '' && schema !== '' && (state === 'served' || state === 'rejected')

describe('captured audit events', () => {
  test.each(['audit.jsonl.gz', 'joint.audit.jsonl.gz'])('%s: every one is placed', (name) => {
    const records = auditRecords(name)
    const { run, rows } = ran(records, 'audit')
    const requests = new Set(arrivals(records).map(({ auditId }) => auditId))
    expect(run.counts).toMatchObject({ arrived: requests.size, unreadable: 0, repeated: 0, unfinished: 0 })
    expect(rows.filter((row) => !isPlaced(row))).toEqual([])
  })

  test('a batch of the webhook: every one is placed', () => {
    const records = readAuditBatch(readFixture('feeds/audit-webhook-batch.json.gz').toString('utf8')) ?? []
    const { run, rows } = ran(records, 'audit')
    expect(run.counts).toMatchObject({ arrived: 100, unreadable: 0 })
    expect(rows.every(isPlaced)).toBe(true)
  })
})

describe('captured request logs', () => {
  test.each(['httplog.txt.gz', 'joint.httplog.txt.gz', 'json.httplog.txt.gz'])(
    '%s: every request is placed where the server says',
    (name) => {
      const { run, rows, agreement } = ran(logRecords(name), 'httplog')
      expect(run.counts.unreadable).toBe(0)
      expect(rows.length).toBeGreaterThan(200)
      expect(rows.filter(({ schema, level, server }) => schema !== server?.schema || level !== server.level)).toEqual(
        [],
      )
      expect(agreement.schemaAndLevel).toBe(agreement.compared)
    },
  )

  test('with the users of the audit log of the same requests, ours are the schemas and levels of the server', () => {
    const users = new Map(arrivals(auditRecords('joint.audit.jsonl.gz')).map(({ auditId, user }) => [auditId, user]))
    const known = arrivals(logRecords('joint.httplog.txt.gz')).filter(({ auditId }) => users.has(auditId))
    expect(known.length).toBeGreaterThan(2_500)
    const { rows, agreement } = ran(
      known.map((arrival) => ({ ...arrival, user: users.get(arrival.auditId) })),
      'audit',
    )
    expect(agreement).toMatchObject({
      compared: known.length,
      schemaAndLevel: known.length,
      widthCompared: known.length,
    })
    expect(new Set(rows.map(({ schema }) => schema)).size).toBeGreaterThanOrEqual(6)
    // Widths differ only where they depend on data in neither log: object counts, and watches of other clients.
    const differing = rows.filter(({ seats, server }) => seats.initial !== server?.initialSeats)
    expect(new Set(differing.map(({ verb }) => verb))).toEqual(new Set(['list']))
    const final = rows.filter(({ seats, server }) => seats.final !== server?.finalSeats)
    expect(final.every(({ verb }) => ['create', 'update', 'patch', 'delete'].includes(verb))).toBe(true)
  })

  test('an audit event and a log line of one request tell the same', () => {
    const events = new Map(arrivals(auditRecords('joint.audit.jsonl.gz')).map((event) => [event.auditId, event]))
    let compared = 0
    for (const line of arrivals(logRecords('joint.httplog.txt.gz'))) {
      const event = events.get(line.auditId)
      if (event === undefined || event.stage !== 'complete') continue
      compared += 1
      expect(event.line).toEqual(line.line)
      expect(event.status).toBe(line.status)
      expect(Math.abs(event.receivedMs - line.receivedMs)).toBeLessThan(50)
    }
    expect(compared).toBeGreaterThan(2_500)
  })
})

describe('a feed of a file', () => {
  const open: Feed[] = []
  const folders: string[] = []
  afterEach(async () => {
    for (const feed of open.splice(0)) await feed.close()
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
  })

  async function fed(kind: 'audit-file' | 'httplog', text: string, more: { readonly follow?: boolean } = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'feeds-'))
    folders.push(folder)
    const path = join(folder, 'server.log')
    await writeFile(path, text)
    const spec: FeedSpec['feed'] = { kind, path, follow: more.follow ?? false }
    const warnings: string[] = []
    let nowMs = NOW
    const feed = await createFeed({
      spec,
      engine,
      configuration: builtInObjects(VERSION),
      kept: 20_000,
      untold: 10,
      places: openStore(folder).places,
      warn: (sentence) => void warnings.push(sentence),
      clock: {
        now: () => nowMs,
        after(ms, callback) {
          const timer = setTimeout(callback, ms)
          return () => clearTimeout(timer)
        },
      },
    })
    open.push(feed)
    const pass = (ms: number): void => void (nowMs += ms)
    return { feed, warnings, pass, path }
  }

  test('with repeats and garbage is what it is without', async () => {
    const lines = linesOf('joint.audit.jsonl.gz')
    const clean = await fed('audit-file', `${lines.join('\n')}\n`)
    const garbage = ['{"kind":"Event"', 'not json', '[1,2]', '{"auditID":"x"}', '\u0000\u0001', '{}']
    const dirty = lines.flatMap((line, i) => [
      ...(i % 7 === 0 ? [garbage[i % garbage.length]] : []),
      line,
      ...(i % 5 === 0 ? [line, lines[Math.max(0, i - 30)]] : []),
    ])
    const disturbed = await fed('audit-file', dirty.join('\n'))
    await Promise.all([clean.feed.over, disturbed.feed.over])
    expect(disturbed.feed.run.log.before(20_000)).toEqual(clean.feed.run.log.before(20_000))
    const { arrived, repeated, unreadable, lastUnreadable } = disturbed.feed.run.counts
    expect([arrived, repeated, unreadable]).toEqual([
      clean.feed.run.counts.arrived,
      2 * Math.ceil(lines.length / 5),
      Math.ceil(lines.length / 7),
    ])
    expect(lastUnreadable).toMatch(/\.$|not JSON/)
  })

  test('goes on with time when nothing comes, but no further than the server can still be heard of', async () => {
    const { feed, warnings, pass } = await fed('httplog', `${linesOf('httplog.txt.gz').join('\n')}\n`, { follow: true })
    await vi.waitFor(() => expect(feed.run.latestMs).toBeGreaterThan(Date.UTC(2026, 10, 21, 7, 33, 0, 600)))
    const { latestMs = 0, counts } = feed.run
    expect(counts.arrived).toBeLessThan(2_000)
    pass(20_000)
    await vi.waitFor(() => {
      feed.settle()
      expect(feed.run.counts.arrived).toBe(2_000)
    })
    expect(feed.run.engine.snapshot().unixMs).toBeCloseTo(latestMs + 14_000, 0)
    expect([feed.title.startsWith('request log '), feed.address, feed.kubeconfig, warnings]).toEqual([
      true,
      undefined,
      undefined,
      [],
    ])
  })

  test('counts nothing as late that was there, however late it is read', async () => {
    const lines = linesOf('httplog.txt.gz')
    const part = Math.ceil(lines.length / 4)
    const whole = await fed('httplog', `${lines.join('\n')}\n`)
    await whole.feed.over
    const { feed, pass, path } = await fed('httplog', `${lines.slice(0, part).join('\n')}\n`, { follow: true })
    await vi.waitFor(() => expect(feed.run.latestMs).toBeDefined())
    await appendFile(path, `${lines.slice(part).join('\n')}\n`)
    // The process was not able to look at the file in between.
    pass(20_000)
    feed.settle()
    await vi.waitFor(() => {
      feed.settle()
      pass(5_000)
      expect(feed.run.counts.arrived).toBe(2_000)
    })
    expect(feed.run.counts.late).toBe(whole.feed.run.counts.late)
  })

  test('cannot be a folder, or a file that is not there and is not waited for', async () => {
    const options = {
      engine,
      configuration: builtInObjects(VERSION),
      kept: 10,
      untold: 10,
      warn: () => undefined,
      clock: { now: () => NOW, after: () => () => undefined },
    }
    const folder: FeedSpec['feed'] = { kind: 'audit-file', path: tmpdir(), follow: true }
    await expect(createFeed({ ...options, spec: folder })).rejects.toThrow('is a folder')
    const missing: FeedSpec['feed'] = { kind: 'httplog', path: join(tmpdir(), 'there-is-none'), follow: false }
    await expect(createFeed({ ...options, spec: missing })).rejects.toThrow('There is no file')
    await expect(createFeed({ ...options, spec: { kind: 'audit-webhook', port: 0 } })).rejects.toThrow('certificate')
  })
})
