/**
 * Parsing one complete page of a busy kube-apiserver, beside the parser of the Prometheus server in Go, which reads
 * every series with its labels. The two take turns, so that other work on the machine affects both alike.
 *
 * - `first`: a parser that has not seen the server before (in a process that has parsed before).
 * - `steady`: the next page of a server; two pages alternate in which all counters of a third of the lines differ.
 * - `series-added`: as before, and series appear and vanish between the pages, which were captured 60 s apart.
 * - `needed-first`, `needed`: the same two when only the families are kept that the console uses.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { NEEDED_FAMILIES } from '../../core/metrics/catalogue.ts'
import { createParser, type Parser } from '../../core/metrics/parse.ts'
import { readFixture } from '../fixtures/load.ts'
import { median, report, round } from './statistics.ts'
import { buildTextparse } from './textparse.ts'

const PAGE = 'captures/v1.36.3/mixed.metrics.txt.gz'
const ROUNDS = 5
const RUNS = 9
const WARM_UP = 60

interface Case {
  readonly name: string
  /** The goal, as a multiple of textparse's speed. */
  readonly goal?: number
  readonly pages: readonly Uint8Array[]
  readonly parser: () => Parser
}

/** The page as it might be one scrape later: of every third sample the last digit is another. */
function oneScrapeLater(page: Buffer): Uint8Array {
  let samples = 0
  const later = page
    .toString('utf8')
    .replaceAll(/^(?!#)(.*)(\d)$/gm, (line, head: string, digit: string) =>
      samples++ % 3 === 0 ? `${head}${digit === '9' ? '10' : Number(digit) + 1}` : line,
    )
  return Buffer.from(later)
}

const always =
  (parser: Parser): (() => Parser) =>
  () =>
    parser

function cases(page: Buffer): readonly Case[] {
  const steady = [page, oneScrapeLater(page)]
  const apart = [1, 2].map((i) => readFixture(`captures/v1.36.3/elephants-and-mice-${i}.metrics.txt.gz`))
  const keep = NEEDED_FAMILIES
  return [
    { name: 'first', goal: 1.5, pages: [page], parser: () => createParser() },
    { name: 'steady', goal: 4, pages: steady, parser: always(createParser()) },
    { name: 'series-added', pages: apart, parser: always(createParser()) },
    { name: 'needed-first', pages: [page], parser: () => createParser({ keep }) },
    { name: 'needed', goal: 10, pages: steady, parser: always(createParser({ keep })) },
  ]
}

/** Milliseconds of each of `runs` runs. */
function time({ pages, parser }: Case, runs: number): readonly number[] {
  return Array.from({ length: runs }, (_, i) => {
    const page = pages[i % pages.length] ?? new Uint8Array()
    const started = performance.now()
    const { problem } = parser().parse(page)
    const elapsed = performance.now() - started
    if (problem !== undefined) throw new Error(`line ${problem.line}: ${problem.message}`)
    return elapsed
  })
}

const result = (name: string, bytes: number, ms: readonly number[]): Readonly<Record<string, unknown>> => ({
  bench: 'parse',
  case: name,
  bytes,
  runs: ms.length,
  medianMs: round(median(ms), 3),
  megabytesPerSecond: round(bytes / 1000 / median(ms), 0),
})

export async function run(): Promise<void> {
  const page = readFixture(PAGE)
  const folder = mkdtempSync(path.join(os.tmpdir(), 'apf-console-bench-'))
  try {
    const file = path.join(folder, 'metrics.txt')
    writeFileSync(file, page)
    const textparse = buildTextparse()
    if (typeof textparse === 'string') report({ bench: 'parse', case: 'textparse', skipped: textparse })

    const all = cases(page)
    const measured = all.map((): number[] => [])
    const others: number[] = []
    for (const each of all) time(each, WARM_UP)
    for (let turn = 0; turn < ROUNDS; turn++) {
      if (typeof textparse !== 'string') others.push(...textparse(file, RUNS))
      for (const [i, each] of all.entries()) measured[i]?.push(...time(each, RUNS))
    }
    const reference = median(others)
    if (others.length > 0) report(result('textparse', page.length, others))
    for (const [i, { name, goal, pages }] of all.entries()) {
      const ms = measured[i] ?? []
      const bytes = pages[0]?.length ?? 0
      // Ratio of speeds, because one of the cases reads another page.
      const ratio = others.length > 0 ? { ratio: round(bytes / median(ms) / (page.length / reference), 2) } : {}
      report({ ...result(name, bytes, ms), ...ratio, ...(goal !== undefined && { goal }) })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
