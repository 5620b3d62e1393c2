/**
 * The flight recorder and reads of it: a day at one sample a second of a server with 30 levels, emitted as fast as the
 * recorder keeps it (RECORDING_HOURS of it), a recording an hour. `kept` counts dumps every 5 s as well. A folder in
 * RECORDING_FOLDER stays, and the hours in it are not made again: a day takes 20 min of a processor.
 *
 * - `kept`: bytes of an hour, and processor time of a recorded second.
 * - `open`: the series of a range that ends at a random instant, from an archive that has read nothing yet.
 * - `moment`: the state at a random instant, read for the first time; `scrub`: at instants a second apart.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createSourceNoter } from '../../core/alerts/notes.ts'
import { createPicture, stretchesBetween } from '../../core/source/picture.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { createArchive } from '../../main/recordings/archive.ts'
import { startRecorder } from '../../main/recordings/recorder.ts'
import { syntheticStory } from '../fixtures/synthetic.ts'
import { standingClock } from '../harness/standingClock.ts'
import { median, report, round } from './statistics.ts'

const HOURS = Number(process.env['RECORDING_HOURS'] ?? 24)
const LEVELS = 30
const START = Date.UTC(2026, 10, 20)
const RUNS = 9
const SERVER = 'apiserver-a:6443'
const RANGES_MS = { '10 min': 600_000, '1 h': 3_600_000, '6 h': 21_600_000, '24 h': 86_400_000 }
const source = { kind: 'scrape', name: 'bench', via: '/metrics' } as const

/** Returns milliseconds of processor time for a second. */
async function record(folder: string, startAt: number): Promise<number> {
  const clock = standingClock(startAt)
  const picture = createPicture()
  const noter = createSourceNoter()
  const recorder = startRecorder({
    folder,
    source,
    writer: 'bench',
    environment: clock.environment,
    stretches: (from, to) => stretchesBetween(picture, from, to),
  })
  let told = 0
  let waited = { events: 0, kept: (): void => undefined }
  recorder.state.subscribe(({ events = 0 }) => {
    if (events >= waited.events) waited.kept()
  }, new AbortController().signal)
  const before = process.cpuUsage()
  let second = 0
  for (const { frame, dump } of syntheticStory({ seconds: 3_600, levels: LEVELS, startAt })) {
    const events: SourceEvent[] = frame.servers.map((server) => ({ kind: 'frame', frame: server }))
    if (second % 5 === 0) events.push({ kind: 'dump', dump: dump(SERVER) })
    for (const event of events) {
      picture.take(event)
      recorder.take(event, noter.take(event, picture, clock.environment.now()).notes)
    }
    told += events.length
    const kept = Promise.withResolvers<void>()
    waited = { events: told, kept: kept.resolve }
    clock.advance(1_000)
    await kept.promise
    // It waits for the next second from here on.
    await new Promise((resolve) => setImmediate(resolve))
    second++
  }
  await recorder.end()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / second
}

const timed = (work: () => void): number => {
  const started = performance.now()
  work()
  return performance.now() - started
}

export async function run(): Promise<void> {
  const own = mkdtempSync(path.join(os.tmpdir(), 'apf-bench-recording-'))
  const folder = process.env['RECORDING_FOLDER'] ?? own
  try {
    mkdirSync(folder, { recursive: true })
    const costs: number[] = []
    for (let hour = readdirSync(folder).length; hour < HOURS; hour++) {
      costs.push(await record(folder, START + hour * 3_600_000))
    }
    const ids = new Set(readdirSync(folder))
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name))
    const bytes = files.filter((file) => file.endsWith('.db')).reduce((sum, file) => sum + statSync(file).size, 0)
    report({
      bench: 'recording',
      case: 'kept',
      hours: HOURS,
      levels: LEVELS,
      megabytesPerHour: round(bytes / 1e6 / HOURS, 1),
      goal: 30,
      // With the synthetic server that is recorded.
      ...(costs.length > 0 && { processorMsPerSecond: round(median(costs), 2) }),
    })
    const fresh = () => createArchive({ folder, ids, source, now: () => performance.now() })
    const end = START + HOURS * 3_600_000
    // The same instants each time: every ninth of the time.
    const instants = Array.from({ length: RUNS }, (_, i) => START + ((i + 0.5) / RUNS) * (end - START))
    for (const [name, length] of Object.entries(RANGES_MS)) {
      if (length > end - START) continue
      const ms = instants.map((at) => {
        const to = Math.min(end, Math.max(START + length, at))
        const archive = fresh()
        return timed(() => archive.series(SERVER, { from: to - length, to, maxPoints: 620 }))
      })
      report({
        bench: 'recording',
        case: `open ${name}`,
        runs: RUNS,
        medianMs: round(median(ms), 1),
        worstMs: round(Math.max(...ms), 1),
        goal: 300,
      })
    }
    for (const [name, length] of Object.entries(RANGES_MS)) {
      if (length > end - START) continue
      const ms = instants.slice(0, 3).map((at) => {
        const to = Math.min(end, Math.max(START + length, at))
        const archive = fresh()
        return timed(() => archive.heatMap(SERVER, { level: 'workload-low', kind: 'wait', from: to - length, to }))
      })
      report({ bench: 'recording', case: `heat map ${name}`, medianMs: round(median(ms), 1), goal: 300 })
      const steps = instants.slice(0, 3).map((at) => {
        const to = Math.min(end, Math.max(START + length, at))
        const archive = fresh()
        return timed(() => archive.steps(SERVER, to - length, to))
      })
      report({ bench: 'recording', case: `reallocations ${name}`, medianMs: round(median(steps), 1), goal: 300 })
      const marks = instants.slice(0, 3).map((at) => {
        const to = Math.min(end, Math.max(START + length, at))
        const archive = fresh()
        return timed(() => archive.notes(to - length, to))
      })
      report({ bench: 'recording', case: `marks ${name}`, medianMs: round(median(marks), 1), goal: 300 })
    }
    const archive = fresh()
    const moments = instants.map((at) => timed(() => archive.moment(at)))
    report({
      bench: 'recording',
      case: 'moment',
      runs: RUNS,
      medianMs: round(median(moments), 1),
      worstMs: round(Math.max(...moments), 1),
    })
    const [first = START] = instants
    const scrub = Array.from({ length: 300 }, (_, i) => timed(() => archive.moment(first + i * 1_000)))
    report({
      bench: 'recording',
      case: 'scrub',
      runs: scrub.length,
      medianMs: round(median(scrub), 3),
      worstMs: round(Math.max(...scrub), 1),
    })
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}
