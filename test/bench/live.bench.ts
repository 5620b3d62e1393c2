/**
 * What a page that watches the Live screen costs the console: its proxy serves a steady number of requests a second,
 * and the same is measured without and with one watcher, in turns. Console, upstream, clients and watcher are processes
 * of their own; the console is the web mode with all that belongs to it, over its real WebSocket.
 *
 * - `cpu`: processor time of the console as a share of one core, and what the watcher adds as a ratio; median and range
 *   of the rounds' own ratios.
 * - `stream`: what one watcher receives, each second. `dropped` are changes that were too many for an event,
 *   `missedEvents` those that the watcher was too slow for.
 * - `latency`: the effect of the watcher on clients of the proxy, as a ratio.
 */
import { z } from 'zod'
import { startPartner, type Partner } from './partner.ts'
import { tinyPage } from '../harness/page.ts'
import { median, report, round } from './statistics.ts'

const RATES = [1_000, 2_500, 5_000]
const ROUNDS = 5
const SECONDS = 4
const LINES = 64
/** Answers take a while, so that rows change between two events, as they do behind a real server. */
const SLOWEST_MS = 10

const ConsoleSchema = z.object({ proxy: z.number(), address: z.string() })
const UsageSchema = z.object({ cpuMs: z.number(), requests: z.number(), address: z.string() })
const WatchedSchema = z.object({
  messages: z.number(),
  bytes: z.number(),
  events: z.number(),
  rows: z.number(),
  dropped: z.number(),
  missed: z.number(),
})
const LoadSchema = z.object({ failed: z.number(), late: z.number(), p50: z.number(), p99: z.number() })

const SCRIPTS = {
  upstream: new URL('./proxy/upstream.ts', import.meta.url),
  load: new URL('./proxy/load.ts', import.meta.url),
  console: new URL('./live/console.ts', import.meta.url),
  watcher: new URL('./live/watcher.ts', import.meta.url),
} as const

/** One stretch of load. */
interface Stretch {
  readonly requests: number
  readonly seconds: number
  /** Of one core, percent. */
  readonly percent: number
  readonly load: z.infer<typeof LoadSchema>
  readonly watched?: z.infer<typeof WatchedSchema>
}

async function stretch(console: Partner, proxy: number, rate: number, watched: boolean): Promise<Stretch> {
  const before = UsageSchema.parse(await console.ask())
  const watcher = watched ? startPartner(SCRIPTS.watcher, before.address) : undefined
  try {
    await watcher?.next()
    const { cpuMs, requests } = UsageSchema.parse(await console.ask())
    const started = performance.now()
    const load = startPartner(SCRIPTS.load, proxy, 'http1', 'rate', rate, SECONDS, LINES)
    const felt = LoadSchema.parse(await load.next())
    const seconds = (performance.now() - started) / 1_000
    const after = UsageSchema.parse(await console.ask())
    return {
      requests: after.requests - requests,
      seconds,
      percent: (after.cpuMs - cpuMs) / 10 / seconds,
      load: felt,
      ...(watcher !== undefined && { watched: WatchedSchema.parse(await watcher.ask()) }),
    }
  } finally {
    watcher?.end()
  }
}

interface Pair {
  readonly without: Stretch
  readonly beside: Stretch
}

async function measure(console: Partner, proxy: number, rate: number): Promise<void> {
  const pairs: Pair[] = []
  for (let i = 0; i < ROUNDS; i++) {
    // The order alternates: other work on the machine must not always affect the same side.
    const first = await stretch(console, proxy, rate, i % 2 === 1)
    const second = await stretch(console, proxy, rate, i % 2 === 0)
    pairs.push(i % 2 === 0 ? { without: first, beside: second } : { without: second, beside: first })
  }
  reportCpu(rate, pairs)
  reportStream(rate, pairs)
  reportLatency(rate, pairs)
}

function spread(values: readonly number[], digits: number) {
  return {
    median: round(median(values), digits),
    least: round(Math.min(...values), digits),
    most: round(Math.max(...values), digits),
  }
}

function reportCpu(rate: number, pairs: readonly Pair[]): void {
  const microseconds = ({ percent, seconds, requests }: Stretch): number => (percent * 1e4 * seconds) / requests
  report({
    bench: 'live',
    case: 'cpu',
    requestsPerSecond: rate,
    rounds: ROUNDS,
    percentOfOneCore: {
      without: round(median(pairs.map(({ without }) => without.percent)), 1),
      watched: round(median(pairs.map(({ beside }) => beside.percent)), 1),
    },
    microsecondsPerRequest: {
      without: round(median(pairs.map(({ without }) => microseconds(without))), 1),
      watched: round(median(pairs.map(({ beside }) => microseconds(beside))), 1),
    },
    ratio: spread(
      pairs.map(({ without, beside }) => microseconds(beside) / microseconds(without)),
      3,
    ),
  })
}

function reportStream(rate: number, pairs: readonly Pair[]): void {
  const watched = pairs.flatMap(({ beside }) => (beside.watched === undefined ? [] : [beside.watched]))
  const total = (key: keyof z.infer<typeof WatchedSchema>): number => watched.reduce((sum, one) => sum + one[key], 0)
  const seconds = pairs.reduce((sum, { beside }) => sum + beside.seconds, 0)
  const requests = pairs.reduce((sum, { beside }) => sum + beside.requests, 0)
  report({
    bench: 'live',
    case: 'stream',
    requestsPerSecond: rate,
    messagesPerSecond: round(total('messages') / seconds, 1),
    kilobytesPerSecond: round(total('bytes') / seconds / 1e3, 0),
    rowsPerRequest: round(total('rows') / requests, 2),
    bytesPerRow: round(total('bytes') / total('rows'), 0),
    dropped: total('dropped'),
    missedEvents: total('missed'),
  })
}

function reportLatency(rate: number, pairs: readonly Pair[]): void {
  const ratio = (key: 'p50' | 'p99'): Record<string, number> =>
    spread(
      pairs.map(({ without, beside }) => beside.load[key] / without.load[key]),
      2,
    )
  const sum = (key: 'failed' | 'late'): number =>
    pairs.reduce((all, { without, beside }) => all + without.load[key] + beside.load[key], 0)
  report({
    bench: 'live',
    case: 'latency',
    requestsPerSecond: rate,
    ratio: { p50: ratio('p50'), p99: ratio('p99') },
    failed: sum('failed'),
    late: sum('late'),
  })
}

export async function run(): Promise<void> {
  const page = tinyPage()
  const upstream = startPartner(SCRIPTS.upstream)
  const started: Partner[] = [upstream]
  try {
    const port = z.number().parse(await upstream.next())
    upstream.tell(String(SLOWEST_MS))
    const console = startPartner(SCRIPTS.console, port, page.root)
    started.push(console)
    const { proxy } = ConsoleSchema.parse(await console.next())
    // Everything is compiled before anything counts.
    for (const watched of [false, true]) await stretch(console, proxy, 2_500, watched)
    for (const rate of RATES) await measure(console, proxy, rate)
  } finally {
    for (const one of started) one.end()
    page.remove()
  }
}
