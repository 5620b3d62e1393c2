/**
 * Sources in threads of their own beside the same in the thread that serves windows, in turns in one run.
 *
 * - `simulation`: the built-in cluster at its highest speed; how long the process kept others waiting, and the speed.
 * - `candidate`: 5,000 requests a second (another number with THREADS_RATE) through the proxy, a candidate beside it;
 *   the same, and the milliseconds that clients wait, without the candidate and with it.
 *
 * Goal: in threads, the process never blocks for more than 20 ms.
 */
import os from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { startPartner } from './partner.ts'
import { median, report, round } from './statistics.ts'

const ROUNDS = 5
const RATE = Number(process.env['THREADS_RATE'] ?? 5_000)
const SECONDS = 5
const LINES = 64
const GOAL_MS = 20
const MODES = ['here', 'thread'] as const

const SCRIPTS = {
  upstream: new URL('./proxy/upstream.ts', import.meta.url),
  load: new URL('./proxy/load.ts', import.meta.url),
  console: new URL('./threads/console.ts', import.meta.url),
} as const

const DelaySchema = z.object({ p50: z.number(), p99: z.number(), longest: z.number(), reached: z.number() })
/** No number where nothing was answered in time. */
const Ms = z
  .number()
  .nullable()
  .transform((ms) => ms ?? Number.NaN)
const LatencySchema = z.object({ requests: z.number(), late: z.number(), p50: Ms, p99: Ms })

type Row = Readonly<Record<string, number>>

/** Medians of each number, and the longest blocking. */
function tell(name: string, mode: string, rows: readonly Row[]): void {
  const keys = Object.keys(rows[0] ?? {})
  report({
    bench: 'threads',
    case: name,
    mode,
    rounds: rows.length,
    ...Object.fromEntries(keys.map((key) => [key, round(median(rows.map((row) => row[key] ?? Number.NaN)), 2)])),
    worst: round(Math.max(...rows.map(({ longest = Number.NaN }) => longest)), 1),
    goal: { longest: GOAL_MS },
    load: round(os.loadavg()[0] ?? Number.NaN, 1),
  })
}

async function simulation(mode: string): Promise<Row> {
  const console = startPartner(SCRIPTS.console, mode, JSON.stringify({ kind: 'simulation' }))
  await console.next()
  await pause(3_000)
  console.tell('fast')
  await pause(2_000)
  await console.ask()
  await pause(SECONDS * 1_000)
  const { p50, p99, longest, reached } = DelaySchema.parse(await console.ask())
  console.end()
  return { p50, p99, longest, reachedSpeed: reached }
}

async function candidate(mode: string): Promise<Row> {
  const upstream = startPartner(SCRIPTS.upstream)
  const port = z.number().parse(await upstream.next())
  const spec = {
    kind: 'proxy',
    upstream: { kind: 'url', url: `http://127.0.0.1:${port}` },
    mode: 'enforce',
    identity: 'headers',
    objects: 'built-in',
  }
  const console = startPartner(SCRIPTS.console, mode, JSON.stringify(spec))
  const proxy = z.number().parse(await console.next())
  const load = async () =>
    LatencySchema.parse(await startPartner(SCRIPTS.load, proxy, 'http1', 'rate', RATE, SECONDS, LINES).next())
  await load()
  const alone = await load()
  console.tell('candidate')
  await pause(500)
  await console.ask()
  const beside = await load()
  const { p50, p99, longest } = DelaySchema.parse(await console.ask())
  console.end()
  upstream.end()
  return {
    p50,
    p99,
    longest,
    clientP50Alone: alone.p50,
    clientP99Alone: alone.p99,
    clientP50: beside.p50,
    clientP99: beside.p99,
    served: beside.requests / SECONDS,
  }
}

export async function run(): Promise<void> {
  for (const [name, measure] of [
    ['simulation', simulation],
    ['candidate', candidate],
  ] as const) {
    const rows = new Map<string, Row[]>(MODES.map((mode) => [mode, []]))
    for (let i = 0; i < ROUNDS; i++) {
      for (const mode of i % 2 === 0 ? MODES : MODES.toReversed()) rows.get(mode)?.push(await measure(mode))
    }
    for (const mode of MODES) tell(name, mode, rows.get(mode) ?? [])
  }
}
