/**
 * The proxy beside a bare Node reverse proxy, and beside nginx and HAProxy where they are installed, in the same run:
 * upstream, proxies and clients are processes of their own and take turns, so that other work on the machine affects
 * all alike. Numbers compare within a round; the median of the rounds counts, the range shows how noisy the machine
 * was.
 *
 * - `latency`: 1,000 requests a second over 32 connections (of HTTP/2: as many streams on two); milliseconds that the
 *   proxy adds to what the bare one takes. `direct` is without any proxy.
 * - `throughput`: 64 connections (of HTTP/2: as many streams on four) as fast as answers come. With nginx and HAProxy
 *   it is upstream and client, both of Node, that are at their end, in HTTP/2 the client with every proxy but Node's.
 * - `memory`: a million requests (another number with PROXY_REQUESTS); live heap and buffers, and resident memory,
 *   after collection, each fifth of the way. Growth counts from the second on, when all rows that are kept are there.
 */
import os from 'node:os'
import { z } from 'zod'
import { KEPT_REQUESTS } from '../../core/bounds.ts'
import { startPartner, type Partner } from './partner.ts'
import { makeCertificateFolder } from './proxy/certificate.ts'
import { OTHERS, startOther, type OtherProxy } from './proxy/others.ts'
import { median, report, round } from './statistics.ts'

const ROUNDS = 5
const RATE = 1_000
const SECONDS = 5
const BURST = 20_000
const REQUESTS = Number(process.env['PROXY_REQUESTS'] ?? 1_000_000)
const PARTS = 5
const GOALS = { p50: 0.3, p99: 2, throughput: 0.7, growth: 1.05 }

const LatencySchema = z.object({
  requests: z.number(),
  failed: z.number(),
  late: z.number(),
  p50: z.number(),
  p90: z.number(),
  p99: z.number(),
})
type Latency = z.infer<typeof LatencySchema>
const ThroughputSchema = z.object({ perSecond: z.number() })
const MemorySchema = z.object({ bytes: z.number(), rss: z.number(), requests: z.number(), seats: z.number() })

const SCRIPTS = {
  upstream: new URL('./proxy/upstream.ts', import.meta.url),
  bare: new URL('./proxy/bare.ts', import.meta.url),
  ours: new URL('./proxy/ours.ts', import.meta.url),
  load: new URL('./proxy/load.ts', import.meta.url),
} as const

const load = (...args: readonly (string | number)[]): Promise<unknown> => startPartner(SCRIPTS.load, ...args).next()

interface Candidate {
  readonly name: string
  readonly port: number
}

/** Results of the rounds, by candidate. */
type Rounds<T> = ReadonlyMap<string, readonly T[]>

/** The turns of all candidates in each round, another one first each time. */
async function takeTurns<T>(
  candidates: readonly Candidate[],
  measure: (port: number) => Promise<T>,
): Promise<Rounds<T>> {
  const rounds = new Map<string, T[]>(candidates.map(({ name }) => [name, []]))
  for (let i = 0; i < ROUNDS; i++) {
    const first = i % candidates.length
    for (const { name, port } of [...candidates.slice(first), ...candidates.slice(0, first)]) {
      rounds.get(name)?.push(await measure(port))
    }
  }
  return rounds
}

/** Median and range of a candidate's rounds relative to those of the bare proxy. */
function beside<T>(rounds: Rounds<T>, name: string, relate: (one: T, bare: T) => number, digits: number) {
  const bare = rounds.get('bare') ?? []
  const values = (rounds.get(name) ?? []).flatMap((one, i) => {
    const other = bare[i]
    return other === undefined ? [] : [relate(one, other)]
  })
  return {
    median: round(median(values), digits),
    least: round(Math.min(...values), digits),
    most: round(Math.max(...values), digits),
  }
}

const load1 = (): number => round(os.loadavg()[0] ?? Number.NaN, 1)

async function measureLatency(protocol: string, candidates: readonly Candidate[]): Promise<void> {
  const rounds = await takeTurns(candidates, async (port) =>
    LatencySchema.parse(await load(port, protocol, 'rate', RATE, SECONDS, 32)),
  )
  for (const { name } of candidates) {
    const own = rounds.get(name) ?? []
    const of = (key: keyof Latency): number => median(own.map((one) => one[key]))
    report({
      bench: 'proxy',
      case: `latency ${name}`,
      protocol: nameOf(protocol),
      requestsPerSecond: RATE,
      rounds: ROUNDS,
      ms: { p50: round(of('p50'), 3), p90: round(of('p90'), 3), p99: round(of('p99'), 3) },
      failed: own.reduce((sum, { failed }) => sum + failed, 0),
      late: own.reduce((sum, { late }) => sum + late, 0),
      ...(name !== 'bare' && {
        addedToBare: {
          p50: beside(rounds, name, (one, bare) => one.p50 - bare.p50, 3),
          p99: beside(rounds, name, (one, bare) => one.p99 - bare.p99, 3),
        },
        ofBare: {
          p50: beside(rounds, name, (one, bare) => one.p50 / bare.p50, 2).median,
          p99: beside(rounds, name, (one, bare) => one.p99 / bare.p99, 2).median,
        },
      }),
      ...(name === 'ours' && { goal: { p50: GOALS.p50, p99: GOALS.p99 } }),
      load: load1(),
    })
  }
}

async function measureThroughput(protocol: string, candidates: readonly Candidate[]): Promise<void> {
  const rounds = await takeTurns(
    candidates,
    async (port) => ThroughputSchema.parse(await load(port, protocol, 'count', BURST, 64)).perSecond,
  )
  for (const { name } of candidates) {
    report({
      bench: 'proxy',
      case: `throughput ${name}`,
      protocol: nameOf(protocol),
      rounds: ROUNDS,
      perSecond: round(median(rounds.get(name) ?? []), 0),
      ...(name !== 'bare' && { ofBare: beside(rounds, name, (one, bare) => one / bare, 3) }),
      ...(name === 'ours' && { goal: GOALS.throughput }),
      load: load1(),
    })
  }
}

const nameOf = (protocol: string): string => (protocol === 'http1' ? 'HTTP/1.1' : 'HTTP/2 over TLS')

async function measureMemory(proxy: Partner, port: number): Promise<void> {
  const before = MemorySchema.parse(await proxy.ask())
  const read: z.infer<typeof MemorySchema>[] = []
  for (let part = 0; part < PARTS; part++) {
    await load(port, 'http1', 'count', REQUESTS / PARTS, 64)
    read.push(MemorySchema.parse(await proxy.ask()))
  }
  const last = read.at(-1) ?? before
  const megabytes = (key: 'bytes' | 'rss'): number[] => read.map((one) => round(one[key] / 2 ** 20, 1))
  // Two fifths are more requests than rows are kept.
  const growth = (key: 'bytes' | 'rss'): number => round(last[key] / (read[1]?.[key] ?? Number.NaN), 3)
  report({
    bench: 'proxy',
    case: 'memory',
    requests: last.requests - before.requests,
    megabytes: megabytes('bytes'),
    growth: growth('bytes'),
    goal: GOALS.growth,
    residentMegabytes: megabytes('rss'),
    residentGrowth: growth('rss'),
    seatsTakenAfterwards: last.seats,
  })
  // With fewer the rows themselves still grow.
  const judged = (REQUESTS / PARTS) * 2 >= KEPT_REQUESTS
  if ((judged && !(growth('bytes') <= GOALS.growth)) || last.seats > 0) process.exitCode = 1
}

/** Latency and throughput with one protocol in front; `also` gets our proxy at the end. */
async function compare(
  protocol: string,
  upstream: number,
  others: readonly Candidate[],
  also?: (ours: Partner, port: number) => Promise<void>,
): Promise<void> {
  const folder = protocol === 'http1' ? [] : [protocol]
  const bare = startPartner(SCRIPTS.bare, upstream, ...folder)
  const ours = startPartner(SCRIPTS.ours, upstream, ...folder)
  try {
    const [barePort, ownPort] = [z.number().parse(await bare.next()), z.number().parse(await ours.next())]
    const candidates = [{ name: 'bare', port: barePort }, { name: 'ours', port: ownPort }, ...others]
    // Everything is compiled before anything counts.
    for (const { port } of candidates) await load(port, protocol, 'count', BURST, 64)
    const direct = protocol === 'http1' ? [{ name: 'direct', port: upstream }] : []
    await measureLatency(protocol, [...direct, ...candidates])
    await measureThroughput(protocol, candidates)
    await also?.(ours, ownPort)
  } finally {
    bare.end()
    ours.end()
  }
}

export async function run(): Promise<void> {
  const folder = makeCertificateFolder()
  const upstream = startPartner(SCRIPTS.upstream)
  const others = new Map<string, OtherProxy>()
  try {
    const port = z.number().parse(await upstream.next())
    for (const [name, kind] of OTHERS) {
      const started = await startOther(name, kind, port, folder.path)
      if (typeof started !== 'string') others.set(name, started)
      report({
        bench: 'proxy',
        case: name,
        ...(typeof started === 'string' ? { skipped: started } : { version: started.version }),
      })
    }
    const found = [...others]
    await compare(
      'http1',
      port,
      found.map(([name, { http1 }]) => ({ name, port: http1 })),
      measureMemory,
    )
    await compare(
      folder.path,
      port,
      found.map(([name, { http2 }]) => ({ name, port: http2 })),
    )
  } finally {
    for (const other of others.values()) await other.stop()
    upstream.end()
    folder.remove()
  }
}
