/**
 * The Node side of a console without surfaces: sources, frames, what is derived, histories. Run with `--expose-gc` as
 * `client.ts KUBECONFIG cpu|memory ADDRESS…`; prints one line of JSON.
 */
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { createPicture } from '../../../core/source/picture.ts'
import { createScrapeSource } from '../../../main/sources/scrape.ts'
import type { Environment } from '../../../main/ports/environment.ts'
import { createStoppedTime } from './stoppedTime.ts'
import { allNamed } from '../../harness/consent.ts'

/** Functions that run three times a second are optimised late. */
const WARM_UP_SECONDS = 45
const WINDOWS = 10
const WINDOW_SECONDS = 6
/** Scrapes of each server at which the memory is read: from the first minute to ten. */
const READ_AT = [60, 150, 300, 450, 600]

const [file = '', mode, ...servers] = process.argv.slice(2)
const realTime: Environment = {
  now: () => Date.now(),
  random: () => Math.random(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function start(environment: Environment, onFrame: (frame: ServerFrame) => void): Promise<AbortController> {
  const made = await createScrapeSource(
    { target: { kind: 'kubeconfig', file, servers }, cadence: { intervalMs: 1_000, dumpsEveryMs: null } },
    environment,
    allNamed,
  )
  if (!made.ok) throw new Error(made.problem.message)
  const picture = createPicture()
  const stop = new AbortController()
  made.source.start(stop.signal, (event) => {
    picture.take(event)
    if (event.kind === 'frame') {
      onFrame(event.frame)
    } else if (event.kind === 'health') {
      const failure = event.health.failures.at(-1)
      if (failure !== undefined) throw new Error(failure.problem.message)
    }
  })
  return stop
}

async function measureCpu(): Promise<unknown> {
  let frames = 0
  let shape: ServerFrame | undefined
  const stop = await start(realTime, (frame) => {
    frames++
    shape = frame
  })
  await sleep(WARM_UP_SECONDS * 1_000)
  frames = 0
  const percents: number[] = []
  for (let window = 0; window < WINDOWS; window++) {
    const before = process.cpuUsage()
    const started = performance.now()
    // One window after the other is the measurement.
    await sleep(WINDOW_SECONDS * 1_000)
    const { user, system } = process.cpuUsage(before)
    percents.push((user + system) / 10 / (performance.now() - started))
  }
  stop.abort()
  return {
    percents,
    frames,
    levels: shape?.levels.length,
    schemas: shape?.levels.reduce((sum, level) => sum + level.schemas.length, 0),
    acquisition: shape?.acquisition,
  }
}

async function measureMemory(): Promise<unknown> {
  const time = createStoppedTime()
  const counts = new Map<string, number>()
  const megabytes: number[] = []
  await new Promise<void>((resolve, reject) => {
    void start(time.environment, ({ id }) => {
      counts.set(id, (counts.get(id) ?? 0) + 1)
      const least = counts.size < servers.length ? 0 : Math.min(...counts.values())
      if (least !== READ_AT[megabytes.length]) return
      megabytes.push(memory())
      if (megabytes.length === READ_AT.length) resolve()
    }).then((stop) => time.run(stop.signal), reject)
  })
  return { scrapes: READ_AT, megabytes }
}

function memory(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1_000_000
}

process.stdout.write(`${JSON.stringify(await (mode === 'cpu' ? measureCpu() : measureMemory()))}\n`)
process.exit()
