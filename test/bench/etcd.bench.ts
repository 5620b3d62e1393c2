/**
 * The proxy in front of an etcd, beside a bare pass-through in Node, beside etcd's own `grpc-proxy`, and beside
 * nothing: reads of one key. Every one is a process of its own, those in Node with the flags of the command; they run
 * in turns.
 *
 * - `latency`: at 2,000 requests a second (APF_ETCD_PER_SECOND), p50 and p99 in milliseconds of all requests of all
 *   rounds, and the median over the rounds of what they were above those of the bare pass-through and of no proxy in
 *   the same round; `reached` is the part of the rate that was answered in time. The bare pass-through runs twice: the
 *   difference between its two processes is the resolution of the measurement. Where it does not reach the rate, also
 *   at the highest that it does reach, and at half of that.
 * - `throughput`: 64 requests under way, requests a second, and the part of that of the bare pass-through; processor
 *   time of a request in microseconds, which other work on the machine changes least.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { DEFAULT_SETTINGS } from '../../core/qos/configuration.ts'
import { documentOf } from '../../core/qos/document.ts'
import { flagsFor } from '../../main/bootstrap/runtime.mjs'
import { DEFAULT_VERSION, ensureBinaries } from '../cluster/binaries.ts'
import { startEtcd } from '../cluster/etcdServer.ts'
import { freePort } from '../cluster/process.ts'
import { pacer, saturated } from './etcd/client.ts'
import { CLASS, ruleAt } from './etcd/rules.ts'
import { median, report, round } from './statistics.ts'

const PER_SECOND = Number(process.env['APF_ETCD_PER_SECOND'] ?? 2_000)
const PARALLEL = 64
const ROUNDS = 3
/** One long pause decides the p99 of a round, so latency has more rounds. */
const LATENCY_ROUNDS = Number(process.env['APF_ETCD_ROUNDS'] ?? 8)
const SECONDS = 3
/** Of a rate, the part that has to be answered while it lasts: below it a queue grows. */
const REACHED = 0.97
const STEP = 250

const paced = pacer()

interface Contender {
  readonly name: string
  readonly url: string
  /** Of the process in front of etcd; absent without one. */
  readonly pid?: number
  readonly stop: () => void
}

export async function run(): Promise<void> {
  const etcd = await startEtcd()
  const folder = mkdtempSync(join(os.tmpdir(), 'apf-etcd-bench-'))
  const contenders: Contender[] = [{ name: 'direct', url: etcd.url, stop: () => undefined }]
  try {
    await etcd.etcdctl(etcd.url, ['put', 'key', 'value'])
    const passThrough = (name: string) =>
      child(name, new URL('./etcd/passThrough.ts', import.meta.url), [etcd.url], folder)
    const bare = await passThrough('bare pass-through')
    contenders.push(bare)
    contenders.push(await proxy('proxy', etcd.url, 0, folder))
    contenders.push(await proxy('proxy, 100 rules', etcd.url, 100, folder))
    contenders.push(await grpcProxy(etcd.url))
    contenders.push(await passThrough('bare pass-through, another one'))
    for (const { url } of contenders)
      if ((await saturated(url, PARALLEL, 2)) === 0) throw new Error('one of them does not answer')
    await compareThroughput(contenders)
    for (const rate of await rates(bare)) await compareLatency(contenders, rate)
  } finally {
    for (const { stop } of contenders) stop()
    await etcd.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The wanted rate; where Node does not reach it on this machine, also the highest that it does reach, and half of it.
 */
async function rates({ url }: Contender): Promise<readonly number[]> {
  for (let rate = PER_SECOND; rate > STEP; rate -= STEP) {
    const { reached } = await paced(url, rate, SECONDS)
    report({ bench: 'etcd rate', name: 'bare pass-through', requestsPerSecond: rate, reached: round(reached, 3) })
    if (reached >= REACHED) return rate === PER_SECOND ? [rate] : [PER_SECOND, rate, rate / 2]
  }
  return [PER_SECOND, STEP]
}

/** Of the requests of one round, in milliseconds. */
interface Round {
  readonly p50: number
  readonly p99: number
}

const quantilesOf = (took: readonly number[]): Round => {
  const sorted = took.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}

async function compareLatency(contenders: readonly Contender[], rate: number): Promise<void> {
  const results = contenders.map(({ name, url }) => ({
    name,
    url,
    took: [] as number[],
    rounds: [] as Round[],
    reached: [] as number[],
  }))
  for (let turn = 0; turn < LATENCY_ROUNDS; turn++) {
    // Each starts a round as often as the others, because the position matters.
    const from = turn % results.length
    for (const one of [...results.slice(from), ...results.slice(0, from)]) {
      const { took, reached } = await paced(one.url, rate, SECONDS)
      one.took.push(...took)
      one.rounds.push(quantilesOf(took))
      one.reached.push(reached)
    }
  }
  const [direct, bare] = results
  for (const { name, took, rounds, reached } of results) {
    const above = (other: typeof direct, of: keyof Round): number =>
      median(rounds.map((each, turn) => each[of] - (other?.rounds[turn]?.[of] ?? Number.NaN)))
    const { p50, p99 } = quantilesOf(took)
    report({
      bench: 'etcd latency',
      name,
      requestsPerSecond: rate,
      reached: round(median(reached), 3),
      p50: round(p50, 3),
      p99: round(p99, 3),
      p99Rounds: rounds.map((each) => round(each.p99, 1)),
      addedP50: round(above(direct, 'p50'), 3),
      addedP99: round(above(direct, 'p99'), 3),
      aboveBareP50: round(above(bare, 'p50'), 3),
      aboveBareP99: round(above(bare, 'p99'), 3),
    })
  }
}

async function compareThroughput(contenders: readonly Contender[]): Promise<void> {
  const results = contenders.map(({ name, url, pid }) => ({
    name,
    url,
    pid,
    perSecond: [] as number[],
    cpuUs: [] as number[],
  }))
  for (let turn = 0; turn < ROUNDS; turn++) {
    for (const one of results) {
      const before = cpuUs(one.pid)
      const began = performance.now()
      const perSecond = await saturated(one.url, PARALLEL, SECONDS)
      one.cpuUs.push((cpuUs(one.pid) - before) / ((perSecond * (performance.now() - began)) / 1_000))
      one.perSecond.push(perSecond)
    }
  }
  const bare = results[1]
  for (const { name, perSecond, cpuUs: cpu } of results) {
    report({
      bench: 'etcd throughput',
      name,
      parallel: PARALLEL,
      perSecond: Math.round(median(perSecond)),
      ofBare: round(median(perSecond) / median(bare?.perSecond ?? []), 3),
      cpuUs: Math.round(median(cpu)),
      load: round(os.loadavg()[0] ?? Number.NaN, 2),
    })
  }
}

/**
 * Processor time of a process so far; 0 where the system does not show it. Ticks of Linux are hundredths of a second.
 */
function cpuUs(pid: number | undefined): number {
  if (pid === undefined || process.platform !== 'linux') return 0
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

/** A process with the flags of the installed command, once it prints its address. */
async function child(name: string, script: URL, args: readonly string[], folder: string): Promise<Contender> {
  const started = spawn(process.execPath, [...flagsFor(['etcd-proxy']), fileURLToPath(script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, APF_CONSOLE_STATE: folder },
  })
  const [line]: unknown[] = await once(createInterface(started.stdout), 'line')
  return {
    name,
    url: /http:\S+/.exec(String(line))?.[0] ?? '',
    ...(started.pid !== undefined && { pid: started.pid }),
    stop: () => void started.kill('SIGKILL'),
  }
}

/** The command, as it is installed but for the bundle. */
function proxy(name: string, upstream: string, rules: number, folder: string): Promise<Contender> {
  const file = join(folder, `${rules}.json`)
  const all = Array.from({ length: rules }, (_, index) => ruleAt(index))
  writeFileSync(file, JSON.stringify(documentOf({ classes: [CLASS], rules: all, settings: DEFAULT_SETTINGS })))
  const options = ['--upstream', upstream, '--rules', file, '--name', `rules-${rules}`, '--metrics-port', '0']
  return child(name, new URL('../../main/cli/main.ts', import.meta.url), ['etcd-proxy', ...options], folder)
}

async function grpcProxy(url: string): Promise<Contender> {
  const { etcd } = await ensureBinaries(DEFAULT_VERSION, (line) => console.error(line))
  const port = await freePort()
  const args = ['grpc-proxy', 'start', `--endpoints=${url}`, `--listen-addr=127.0.0.1:${port}`]
  const started = spawn(etcd, args, { stdio: 'ignore' })
  const address = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 100; tries++) {
    try {
      await saturated(address, 1, 0.01)
      break
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const pid = started.pid === undefined ? {} : { pid: started.pid }
  return { name: 'etcd grpc-proxy', url: address, ...pid, stop: () => void started.kill('SIGKILL') }
}
