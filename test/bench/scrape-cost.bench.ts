/**
 * What the Node side costs with three servers at one scrape a second, each with 30 levels and 100 schemas on a page of
 * 1.85 MB: reading, frames, rates, histories. The values change as they did on a captured server under load (`changing`
 * is their share), and the page comes in the small pieces in which Go's server sends it.
 *
 * - `https`: share of one core after a warm-up, median of ten windows of six seconds, with the flags of `npm start`.
 *   The goal is for this case.
 * - `http`: the same without TLS, as through `kubectl proxy`.
 * - `https-gzip`: the same compressed, as from servers on other machines.
 * - `https-default-heap`: `https` as Node starts by itself.
 * - `memory`: live heap and buffers after collection, over ten minutes of scrapes driven as fast as they go; the growth
 *   counts from the fifth minute on, when every ring that holds single samples is a quarter full and its memory taken.
 *
 * `load` is the load of the machine when a case ended: the same work takes up to twice the time when caches and clock
 * are shared with others.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { z } from 'zod'
import { SERVICE_FLAGS } from '../../main/bootstrap/runtime.mjs'
import { median, report, round } from './statistics.ts'

const CPU_GOAL_PERCENT = 3
const MEMORY_GOAL_RATIO = 1.1

const ServersSchema = z.object({ ports: z.array(z.number()), ca: z.string(), changing: z.number() })
const CpuSchema = z.object({
  percents: z.array(z.number()),
  frames: z.number(),
  levels: z.number(),
  schemas: z.number(),
  acquisition: z.object({
    bytes: z.number(),
    wireBytes: z.number().optional(),
    fetchMs: z.number(),
    parseMs: z.number(),
  }),
})
const MemorySchema = z.object({ scrapes: z.array(z.number()), megabytes: z.array(z.number()) })

interface Case {
  readonly name: string
  readonly flags: readonly string[]
  readonly protocol: 'http' | 'https'
  /** Compression is requested if the address is not loopback; this one resolves to loopback all the same. */
  readonly host: '127.0.0.1' | '0.0.0.0'
}

const LOCAL: Case = { name: 'https', flags: SERVICE_FLAGS, protocol: 'https', host: '127.0.0.1' }
const CASES: readonly Case[] = [
  LOCAL,
  { ...LOCAL, name: 'http', protocol: 'http' },
  { ...LOCAL, name: 'https-gzip', host: '0.0.0.0' },
  { ...LOCAL, name: 'https-default-heap', flags: [] },
]

export async function run(): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'apf-console-bench-'))
  const file = path.join(folder, 'kubeconfig')
  try {
    reportMemory(MemorySchema.parse((await measure(LOCAL, file, 'memory')).measured))
    for (const each of CASES) {
      // One case after the other: they must not share the machine.
      const { measured, changing } = await measure(each, file, 'cpu')
      reportCpu(each.name, changing, CpuSchema.parse(measured))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure({ flags, protocol, host }: Case, file: string, mode: 'cpu' | 'memory') {
  const pages = start([PAGE_SERVER, protocol])
  try {
    const { ports, ca, changing } = ServersSchema.parse(await firstLine(pages))
    writeFileSync(file, kubeconfig(ca))
    const servers = ports.map((port) => `${protocol}://${host}:${port}`)
    const measured = await firstLine(start(['--expose-gc', ...flags, CLIENT, file, mode, ...servers]))
    return { measured, changing }
  } finally {
    pages.kill()
  }
}

function reportMemory({ scrapes, megabytes }: z.infer<typeof MemorySchema>): void {
  const growth = (megabytes.at(-1) ?? Number.NaN) / (megabytes[2] ?? Number.NaN)
  report({
    bench: 'scrape-cost',
    case: 'memory',
    scrapes,
    megabytes: megabytes.map((each) => round(each, 1)),
    growth: round(growth, 3),
    goal: MEMORY_GOAL_RATIO,
    ratio: round(growth / MEMORY_GOAL_RATIO, 3),
  })
}

function reportCpu(
  name: string,
  changing: number,
  { percents, acquisition, ...shape }: z.infer<typeof CpuSchema>,
): void {
  const percent = median(percents)
  report({
    bench: 'scrape-cost',
    case: name,
    ...shape,
    changing: round(changing, 2),
    bytes: acquisition.bytes,
    wireBytes: acquisition.wireBytes,
    parseMs: acquisition.parseMs,
    runs: percents.length,
    medianPercentOfOneCore: round(percent, 2),
    best: round(Math.min(...percents), 2),
    worst: round(Math.max(...percents), 2),
    load: round(os.loadavg()[0] ?? Number.NaN, 1),
    goal: CPU_GOAL_PERCENT,
    ratio: round(percent / CPU_GOAL_PERCENT, 3),
  })
}

const PAGE_SERVER = fileURLToPath(new URL('./scrapeCost/pageServer.ts', import.meta.url))
const CLIENT = fileURLToPath(new URL('./scrapeCost/client.ts', import.meta.url))

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
}

async function firstLine(child: ChildProcess): Promise<unknown> {
  if (child.stdout === null) throw new Error('the child has no output')
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line)
  throw new Error('the child ended without a result')
}

const kubeconfig = (ca: string): string =>
  stringify({
    'current-context': 'bench',
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    clusters: [
      {
        name: 'bench',
        cluster: { server: 'https://127.0.0.1', 'certificate-authority-data': Buffer.from(ca).toString('base64') },
      },
    ],
    users: [{ name: 'bench', user: { token: 'bench' } }],
  })
