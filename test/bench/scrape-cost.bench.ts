/**
 * What the Node side costs with three servers at one scrape a second, each with 30 levels and 100 schemas on a page of
 * 1.85 MB whose flow-control values all change, over TLS on loopback: reading, frames, rates, histories.
 *
 * - `cpu`: share of one core after a warm-up, median of ten windows of six seconds, with a small young generation: each
 *   scrape brings some megabytes of network buffers, which full collections clear away if small ones come too rarely.
 * - `cpu-default-heap`: the same as Node starts by itself.
 * - `memory`: live heap and buffers after collection, over ten minutes of scrapes driven as fast as they go; the growth
 *   counts from the fifth minute on, when every ring that holds single samples is a quarter full and its memory taken.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { z } from 'zod'
import { median, report, round } from './statistics.ts'

const SMALL_YOUNG = ['--max-semi-space-size=4']
const CPU_GOAL_PERCENT = 3
const MEMORY_GOAL_RATIO = 1.1

const ServersSchema = z.object({ ports: z.array(z.number()), ca: z.string() })
const CpuSchema = z.object({
  percents: z.array(z.number()),
  frames: z.number(),
  levels: z.number(),
  schemas: z.number(),
  acquisition: z.object({ bytes: z.number(), fetchMs: z.number(), parseMs: z.number() }),
})
const MemorySchema = z.object({ scrapes: z.array(z.number()), megabytes: z.array(z.number()) })

export async function run(): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'apf-console-bench-'))
  const pages = start([PAGE_SERVER])
  try {
    const { ports, ca } = ServersSchema.parse(await firstLine(pages))
    const file = path.join(folder, 'kubeconfig')
    writeFileSync(file, kubeconfig(ca))
    const client = (flags: readonly string[], mode: string) =>
      firstLine(start(['--expose-gc', ...flags, CLIENT, file, mode, ...ports.map(String)]))
    reportMemory(MemorySchema.parse(await client(SMALL_YOUNG, 'memory')))
    reportCpu('cpu', CpuSchema.parse(await client(SMALL_YOUNG, 'cpu')))
    reportCpu('cpu-default-heap', CpuSchema.parse(await client([], 'cpu')))
  } finally {
    pages.kill()
    rmSync(folder, { recursive: true, force: true })
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

function reportCpu(name: string, { percents, acquisition, ...shape }: z.infer<typeof CpuSchema>): void {
  const percent = median(percents)
  report({
    bench: 'scrape-cost',
    case: name,
    ...shape,
    bytes: acquisition.bytes,
    parseMs: acquisition.parseMs,
    runs: percents.length,
    medianPercentOfOneCore: round(percent, 2),
    worst: round(Math.max(...percents), 2),
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
