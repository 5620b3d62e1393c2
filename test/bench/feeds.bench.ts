/**
 * Feeds through the engine, on one thread: a captured log is written out again and again with new audit-IDs and times
 * that go on, so that nothing is a repeat and memory has to be freed.
 *
 * - `audit` and `httplog`: from the text of a line to the engine's decision and the row; events a second, median of
 *   rounds; `perSecondOfProcessor` counts only the time that the thread had a processor.
 * - `audit file`: the same read from a file on disk.
 * - `memory`: heap in use after so many events, garbage collected.
 */
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import os, { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { AS_UPSTREAM, profileFor } from '../../core/engine/profiles.ts'
import { createLogReader } from '../../core/feeds/logReader.ts'
import { type FeedRun, createFeedRun } from '../../core/feeds/feedRun.ts'
import { createFeed } from '../../main/feeds/open.ts'
import { readFixture } from '../fixtures/load.ts'
import { collectGarbage } from './engine/garbage.ts'
import { median, report, round } from './statistics.ts'

const ROUND = 50_000
const ROUNDS = 20
const GOAL = 50_000
const DAY = Date.UTC(2026, 10, 21)
const NOW = DAY + 2 * 86_400_000
/** A million events of the captured log take about a day of its time. */
const FAR = DAY + 30 * 86_400_000
const engine = {
  maxRequestsInFlight: 400,
  maxMutatingRequestsInFlight: 200,
  profile: profileFor('v1.36.3'),
  corrections: AS_UPSTREAM,
}
const KEPT = 200_000

/** Writes a captured log on and on: each lap has other audit-IDs and follows the one before in time. */
interface Generator {
  next(count: number): string[]
}

const isoMicros = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z')

function auditLines(): Generator {
  const events = linesOf('joint.audit.jsonl.gz').map((line): Record<string, unknown> => JSON.parse(line))
  const timeOf = (value: unknown): number => Date.parse(String(value))
  const times = events.map(({ stageTimestamp }) => timeOf(stageTimestamp))
  const spanMs = Math.max(...times) - Math.min(...times) + 100
  return onAndOn(events.length, (i, lap) => {
    const event = events[i] ?? {}
    return JSON.stringify({
      ...event,
      auditID: `${String(event['auditID']).slice(0, -6)}${String(lap).padStart(6, '0')}`,
      requestReceivedTimestamp: isoMicros(timeOf(event['requestReceivedTimestamp']) + lap * spanMs),
      stageTimestamp: isoMicros(timeOf(event['stageTimestamp']) + lap * spanMs),
    })
  })
}

function logLines(): Generator {
  const lines = linesOf('joint.httplog.txt.gz').filter((line) => line.includes('"HTTP"'))
  const TIME = /^I1121 (\d\d):(\d\d):(\d\d)\.(\d{3})/
  const msOf = (line: string): number => {
    const [, hour, minute, second, ms] = (TIME.exec(line) ?? []).map(Number)
    return DAY + (((hour ?? 0) * 60 + (minute ?? 0)) * 60 + (second ?? 0)) * 1_000 + (ms ?? 0)
  }
  const times = lines.map(msOf)
  const spanMs = Math.max(...times) - Math.min(...times) + 100
  return onAndOn(lines.length, (i, lap) => {
    const at = new Date((times[i] ?? 0) + lap * spanMs).toISOString()
    const header = `I${at.slice(5, 7)}${at.slice(8, 10)} ${at.slice(11, 23)}`
    return (lines[i] ?? '').replace(TIME, header).replace('audit-ID="', `audit-ID="${lap}-`)
  })
}

function onAndOn(length: number, line: (i: number, lap: number) => string): Generator {
  let at = 0
  return {
    next(count) {
      const lines: string[] = []
      for (let i = 0; i < count; i++, at++) lines.push(line(at % length, Math.floor(at / length)))
      return lines
    },
  }
}

const linesOf = (name: string): string[] =>
  readFixture(`feeds/${name}`)
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')

function newRun(identity: 'audit' | 'httplog'): FeedRun {
  const feed = createFeedRun({ engine, identity, startUnixMs: NOW, kept: KEPT, untold: 2_000 })
  feed.configure(builtInObjects('v1.36.3'))
  return feed
}

/** Lines are processed in portions of the size in which a file is read. */
const PORTION = 300

function measure(name: string, lines: Generator, identity: 'audit' | 'httplog'): void {
  const feed = newRun(identity)
  const reader = createLogReader(identity, { placed: false })
  const perSecond: number[] = []
  const perCpuSecond: number[] = []
  const heap: number[] = []
  for (let i = 0; i < ROUNDS; i++) {
    const all = lines.next(ROUND)
    const from = performance.now()
    const before = process.threadCpuUsage()
    for (let at = 0; at < all.length; at += PORTION)
      feed.take(
        all.slice(at, at + PORTION).flatMap((line) => reader.read(line, NOW)),
        FAR,
      )
    const { user, system } = process.threadCpuUsage(before)
    perSecond.push((ROUND / (performance.now() - from)) * 1_000)
    perCpuSecond.push((ROUND / (user + system)) * 1e6)
    all.length = 0
    heap.push(collectGarbage())
  }
  const { arrived, unreadable, repeated } = feed.counts
  const mb = (bytes: number | undefined): number => round((bytes ?? Number.NaN) / 1e6, 1)
  report({
    bench: 'feeds',
    case: name,
    rounds: ROUNDS,
    eventsPerSecond: round(median(perSecond), 0),
    best: round(Math.max(...perSecond), 0),
    perSecondOfProcessor: round(median(perCpuSecond), 0),
    goal: GOAL,
    load: round(os.loadavg()[0] ?? Number.NaN, 1),
    arrived,
    unreadable,
    repeated,
  })
  // Rows and seen audit-IDs are kept up to a limit; after that memory stays constant.
  report({
    bench: 'feeds',
    case: `${name}: memory`,
    mbAfter500000: mb(heap[9]),
    mbAfter750000: mb(heap[14]),
    mbAfter1000000: mb(heap[19]),
  })
}

async function measureFile(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-feeds-'))
  try {
    const path = join(folder, 'audit.log')
    const out = createWriteStream(path)
    const lines = auditLines()
    const count = 4 * ROUND
    for (let i = 0; i < 4; i++) {
      if (!out.write(`${lines.next(ROUND).join('\n')}\n`))
        await new Promise((resolve) => out.once('drain', () => resolve(undefined)))
    }
    out.end()
    await finished(out)
    const from = performance.now()
    const feed = await createFeed({
      spec: { kind: 'audit-file', path, follow: false },
      engine,
      configuration: builtInObjects('v1.36.3'),
      kept: KEPT,
      untold: 2_000,
      warn: (sentence) => void process.stderr.write(`${sentence}\n`),
      clock: {
        now: () => FAR,
        after(ms, callback) {
          const timer = setTimeout(callback, ms)
          return () => clearTimeout(timer)
        },
      },
    })
    await feed.over
    const seconds = (performance.now() - from) / 1_000
    await feed.close()
    report({
      bench: 'feeds',
      case: 'audit file',
      eventsPerSecond: round(count / seconds, 0),
      goal: GOAL,
      ...feed.run.counts,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export async function run(): Promise<void> {
  measure('audit', auditLines(), 'audit')
  measure('httplog', logLines(), 'httplog')
  await measureFile()
}
