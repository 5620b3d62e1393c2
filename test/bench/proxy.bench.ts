/**
 * The proxy beside a bare Node reverse proxy (and nginx, where it is installed) in the same run: upstream, proxies and
 * clients are processes of their own and take turns, so that what else the machine does touches all alike.
 *
 * - `latency`: 1,000 requests a second over 32 connections; milliseconds that the proxy adds to what the bare one takes,
 *   medians of five rounds. `direct` is without any proxy.
 * - `throughput`: 64 connections as fast as answers come; median of five rounds.
 * - `memory`: a million requests (another number with PROXY_REQUESTS); live heap and buffers after collection, growth from
 *   the moment at which all rows that are kept are there.
 */
import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { freePort } from '../cluster/process.ts'
import { median, report, round } from './statistics.ts'

const ROUNDS = 5
const RATE = 1_000
const SECONDS = 6
const BURST = 20_000
const REQUESTS = Number(process.env['PROXY_REQUESTS'] ?? 1_000_000)
const GOALS = { p50: 0.3, p99: 2, throughput: 0.7, growth: 1.05 }

const LatencySchema = z.object({
  failed: z.number(),
  late: z.number(),
  p50: z.number(),
  p90: z.number(),
  p99: z.number(),
})
const ThroughputSchema = z.object({ perSecond: z.number() })
const MemorySchema = z.object({ bytes: z.number(), rss: z.number(), seats: z.number() })
type Latency = z.infer<typeof LatencySchema>

/** A process that says one line for each that it is told, and one at its start. */
interface Partner {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  next(): Promise<unknown>
}

const SCRIPTS = {
  upstream: new URL('./proxy/upstream.ts', import.meta.url),
  bare: new URL('./proxy/bare.ts', import.meta.url),
  ours: new URL('./proxy/ours.ts', import.meta.url),
  load: new URL('./proxy/load.ts', import.meta.url),
} as const

function start(name: keyof typeof SCRIPTS, ...args: readonly string[]): Partner {
  const child = spawn(process.execPath, ['--expose-gc', fileURLToPath(SCRIPTS[name]), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    child,
    async next() {
      const line = await lines.next()
      if (line.done === true) throw new Error(`${name} ended without a result`)
      return JSON.parse(line.value)
    },
  }
}

const load = (...args: readonly (string | number)[]): Promise<unknown> => start('load', ...args.map(String)).next()

interface Candidate {
  readonly name: string
  readonly port: number
}

async function measureLatency(candidates: readonly Candidate[]): Promise<void> {
  const rounds = new Map<string, Latency[]>(candidates.map(({ name }) => [name, []]))
  for (let i = 0; i < ROUNDS; i++) {
    for (const { name, port } of candidates) {
      rounds.get(name)?.push(LatencySchema.parse(await load(port, 'rate', RATE, SECONDS, 32)))
    }
  }
  const of = (name: string, key: keyof Latency): number => median((rounds.get(name) ?? []).map((one) => one[key]))
  for (const { name } of candidates) {
    const ms = { p50: round(of(name, 'p50'), 3), p90: round(of(name, 'p90'), 3), p99: round(of(name, 'p99'), 3) }
    const added = {
      p50: round(of(name, 'p50') - of('bare', 'p50'), 3),
      p99: round(of(name, 'p99') - of('bare', 'p99'), 3),
    }
    report({
      bench: 'proxy',
      case: `latency ${name}`,
      requestsPerSecond: RATE,
      rounds: ROUNDS,
      ms,
      failed: of(name, 'failed'),
      ...(name === 'ours' && { addedToBare: added, goal: { p50: GOALS.p50, p99: GOALS.p99 } }),
      load: round(os.loadavg()[0] ?? Number.NaN, 1),
    })
  }
}

async function measureThroughput(candidates: readonly Candidate[]): Promise<void> {
  const rounds = new Map<string, number[]>(candidates.map(({ name }) => [name, []]))
  for (let i = 0; i < ROUNDS; i++) {
    for (const { name, port } of candidates) {
      rounds.get(name)?.push(ThroughputSchema.parse(await load(port, 'count', BURST, 64)).perSecond)
    }
  }
  const of = (name: string): number => median(rounds.get(name) ?? [])
  for (const { name } of candidates) {
    report({
      bench: 'proxy',
      case: `throughput ${name}`,
      rounds: ROUNDS,
      perSecond: round(of(name), 0),
      ofBare: round(of(name) / of('bare'), 3),
      ...(name === 'ours' && { goal: GOALS.throughput }),
      load: round(os.loadavg()[0] ?? Number.NaN, 1),
    })
  }
}

async function measureMemory(proxy: Partner, port: number): Promise<void> {
  const read = async (): Promise<z.infer<typeof MemorySchema>> => {
    proxy.child.stdin.write('\n')
    return MemorySchema.parse(await proxy.next())
  }
  const megabytes: number[] = []
  let seats = 0
  for (let part = 0; part < 5; part++) {
    ThroughputSchema.parse(await load(port, 'count', REQUESTS / 5, 64))
    const { bytes, seats: taken } = await read()
    megabytes.push(bytes / 2 ** 20)
    seats = taken
  }
  // Two fifths are more requests than rows are kept.
  const growth = (megabytes.at(-1) ?? Number.NaN) / (megabytes[1] ?? Number.NaN)
  report({
    bench: 'proxy',
    case: 'memory',
    requests: REQUESTS,
    megabytes: megabytes.map((each) => round(each, 1)),
    growth: round(growth, 3),
    goal: GOALS.growth,
    seatsTakenAfterwards: seats,
  })
  if (!(growth <= GOALS.growth) || seats > 0) process.exitCode = 1
}

/** nginx with keep-alive to the upstream, on a port of its own; or why there is none. */
async function startNginx(upstream: number): Promise<{ readonly port: number; stop(): void } | string> {
  if (spawnSync('nginx', ['-v']).status !== 0) return 'nginx is not installed'
  const port = await freePort()
  const folder = mkdtempSync(path.join(os.tmpdir(), 'apf-console-bench-'))
  const file = path.join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 1024; }
http { access_log off; upstream up { server 127.0.0.1:${upstream}; keepalive 128; }
server { listen 127.0.0.1:${port}; keepalive_requests 100000000;
location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; } } }`,
  )
  const child = spawn('nginx', ['-p', folder, '-c', file], { stdio: 'ignore' })
  await new Promise((resolve) => setTimeout(resolve, 500))
  return {
    port,
    stop() {
      child.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function run(): Promise<void> {
  const upstream = start('upstream')
  const upstreamPort = z.number().parse(await upstream.next())
  const partners = [start('bare', String(upstreamPort)), start('ours', String(upstreamPort))] as const
  const nginx = await startNginx(upstreamPort)
  try {
    const [bare, ours] = await Promise.all(partners.map(async (partner) => z.number().parse(await partner.next())))
    if (bare === undefined || ours === undefined) throw new Error('a proxy has no port')
    if (typeof nginx === 'string') report({ bench: 'proxy', case: 'nginx', skipped: nginx })
    const candidates = [
      { name: 'bare', port: bare },
      { name: 'ours', port: ours },
      ...(typeof nginx === 'string' ? [] : [{ name: 'nginx', port: nginx.port }]),
    ]
    // Everything is compiled before anything counts.
    for (const { port } of candidates) await load(port, 'count', BURST, 64)
    await measureLatency([{ name: 'direct', port: upstreamPort }, ...candidates])
    await measureThroughput(candidates)
    await measureMemory(partners[1], ours)
  } finally {
    if (typeof nginx !== 'string') nginx.stop()
    for (const { child } of [upstream, ...partners]) child.kill()
  }
}
