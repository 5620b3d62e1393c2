/**
 * The proxy in front of an etcd, beside a bare pass-through in Node, beside etcd's own `grpc-proxy`, and beside nothing: reads
 * of one key. Every one is a process of its own; they run in turns.
 *
 * - `latency`: at 2,000 requests a second (APF_ETCD_PER_SECOND), p50 and p99 in milliseconds, what they are above those without a
 *   proxy, and above those of the bare pass-through.
 * - `throughput`: 64 requests under way, requests a second, and the part of that of the bare pass-through; processor time of a
 *   request in microseconds, which other work on the machine changes least.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { DEFAULT_VERSION, ensureBinaries } from '../cluster/binaries.ts'
import { startEtcd } from '../cluster/etcdServer.ts'
import { freePort } from '../cluster/process.ts'
import { paced, saturated } from './etcd/client.ts'
import { median, report, round } from './statistics.ts'

const PER_SECOND = Number(process.env['APF_ETCD_PER_SECOND'] ?? 2_000)
const PARALLEL = 64
const ROUNDS = 3
const SECONDS = 3

interface Contender {
  readonly name: string
  readonly url: string
  /** Of the process in front of etcd; absent without one. */
  readonly pid?: number
  readonly stop: () => void
}

export async function run(): Promise<void> {
  const etcd = await startEtcd()
  const contenders: Contender[] = [{ name: 'direct', url: etcd.url, stop: () => undefined }]
  try {
    await etcd.etcdctl(etcd.url, ['put', 'key', 'value'])
    contenders.push(await child('bare pass-through', new URL('./etcd/passThrough.ts', import.meta.url), [etcd.url]))
    contenders.push(await child('proxy', new URL('./etcd/proxyChild.ts', import.meta.url), [etcd.url, '0']))
    contenders.push(
      await child('proxy, 100 rules', new URL('./etcd/proxyChild.ts', import.meta.url), [etcd.url, '100']),
    )
    contenders.push(await grpcProxy(etcd.url))
    const warm = await Promise.all(contenders.map(({ url }) => saturated(url, PARALLEL, 1)))
    if (warm.some((perSecond) => perSecond === 0)) throw new Error('one of them does not answer')
    await compare(contenders)
  } finally {
    for (const { stop } of contenders) stop()
    await etcd.stop()
  }
}

async function compare(contenders: readonly Contender[]): Promise<void> {
  const results = contenders.map(({ name, url, pid }) => ({
    name,
    url,
    pid,
    p50: [] as number[],
    p99: [] as number[],
    perSecond: [] as number[],
    cpuUs: [] as number[],
  }))
  for (let turn = 0; turn < ROUNDS; turn++) {
    for (const one of results) {
      const took = (await paced(one.url, PER_SECOND, SECONDS)).toSorted((a, b) => a - b)
      one.p50.push(took[Math.floor(took.length * 0.5)] ?? Number.NaN)
      one.p99.push(took[Math.floor(took.length * 0.99)] ?? Number.NaN)
      const before = cpuUs(one.pid)
      const began = performance.now()
      const perSecond = await saturated(one.url, PARALLEL, SECONDS)
      one.cpuUs.push((cpuUs(one.pid) - before) / ((perSecond * (performance.now() - began)) / 1_000))
      one.perSecond.push(perSecond)
    }
  }
  const [direct, bare] = results
  for (const { name, p50, p99, perSecond, cpuUs: cpu } of results) {
    report({
      bench: 'etcd latency',
      name,
      requestsPerSecond: PER_SECOND,
      p50: round(median(p50), 3),
      p99: round(median(p99), 3),
      addedP50: round(median(p50) - median(direct?.p50 ?? []), 3),
      addedP99: round(median(p99) - median(direct?.p99 ?? []), 3),
      aboveBareP50: round(median(p50) - median(bare?.p50 ?? []), 3),
      aboveBareP99: round(median(p99) - median(bare?.p99 ?? []), 3),
    })
    report({
      bench: 'etcd throughput',
      name,
      parallel: PARALLEL,
      perSecond: Math.round(median(perSecond)),
      ofBare: round(median(perSecond) / median(bare?.perSecond ?? []), 3),
      cpuUs: Math.round(median(cpu)),
    })
  }
}

/** Processor time of a process so far; 0 where the system does not show it. Ticks of Linux are hundredths of a second. */
function cpuUs(pid: number | undefined): number {
  if (pid === undefined || process.platform !== 'linux') return 0
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

async function child(name: string, script: URL, args: readonly string[]): Promise<Contender> {
  const started = spawn(process.execPath, [fileURLToPath(script), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url]: unknown[] = await once(createInterface(started.stdout), 'line')
  return {
    name,
    url: String(url),
    ...(started.pid !== undefined && { pid: started.pid }),
    stop: () => void started.kill('SIGKILL'),
  }
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
