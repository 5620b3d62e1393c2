import { availableParallelism } from 'node:os'
import { ProblemError } from '../../core/errors.ts'
import { pointAt, pointCount, pointsOfShard } from '../../core/sweep/points.ts'
import { headerOf, lineOf, readRows, type ReadRows } from '../../core/sweep/rows.ts'
import type { PointResult, SweepHeader } from '../../core/contract/sweep.ts'
import type { SweepPlan } from '../../core/sweep/sweep.ts'
import { AppendedLines } from '../files/appendedLines.ts'
import { runShards } from '../threads/shards.ts'
import { progressOf, type Console, type ExitCode } from './console.ts'
import { texts } from './options.ts'
import { readInputFiles } from './inputFiles.ts'
import { printSweep, readShown, SHOWN_OPTIONS, type ShownSweep } from './sweepOutput.ts'
import { printJob } from './sweepJob.ts'
import { sweepFrom } from './sweepFiles.ts'
import { type Command, type Given, readNumber, refuseOptions, UsageError } from './usage.ts'

const SUBCOMMANDS = ['merge', 'job'] as const

/** Runs every point of a sweep, on all cores. 1 when points could not be run. */
export const sweep: Command = {
  options: {
    ...SHOWN_OPTIONS,
    ...texts('results', 'shard', 'shards', 'threads', 'image', 'claim', 'namespace'),
    containerfile: { type: 'boolean' },
  },
  operands: 'files',
  subcommands: SUBCOMMANDS,
  run: runSweep,
}

const MOST_THREADS = 256
const MOST_SHARDS = 10_000
/** A million lines. */
const MOST_RESULT_BYTES = 1024 * 1024 * 1024

async function runSweep(given: Given, console: Console): Promise<ExitCode> {
  const [first, ...rest] = given.operands
  if (first !== 'job') refuseOptions(given, ['image', 'claim', 'namespace', 'containerfile'], 'belongs to sweep job.')
  if (first === 'merge') return merge(rest, given, console)
  const [file, more] = first === 'job' ? rest : given.operands
  if (file === undefined || more !== undefined) throw new UsageError('sweep needs one file, as in sweep shares.yaml.')
  if (first === 'job') return printJob(file, readNumber(given, 'shards', SHARDS), given, console)
  return runFile(file, given, console)
}

const SHARDS = { min: 1, max: MOST_SHARDS, whole: true } as const

async function runFile(file: string, given: Given, console: Console): Promise<ExitCode> {
  const shown = readShown(given)
  const threads = readNumber(given, 'threads', { min: 1, max: MOST_THREADS, whole: true }) ?? availableParallelism()
  const shard = shardFrom(given)
  const { plan, base } = await sweepFrom(file, console)
  const header = headerOf(plan, base)
  const path = given.value('results') ?? resultsBeside(file, shard)
  const before = path === '-' ? NOTHING : await resultsIn(path, header, console)
  const stop = new AbortController()
  console.signal.addEventListener('abort', () => stop.abort(), { once: true })
  const log = path === '-' ? undefined : await AppendedLines.keep(path, before.bytes, () => stop.abort())
  const add = (line: SweepHeader | PointResult): void => {
    if (log === undefined) console.printJson(line)
    else log.add(lineOf(line))
  }
  if (before.rows.length === 0 && before.bytes === 0) add(header)
  const rows = new Map(before.rows.map((row) => [row.point, row]))
  const wanted = shard === undefined ? allPoints(plan) : pointsOfShard(plan, shard.index, shard.of)
  const missing = wanted.filter((point) => !rows.has(point))
  if (missing.length < wanted.length)
    console.tell(`${path} has ${wanted.length - missing.length} of ${wanted.length} points already.`)
  let left = missing.length
  const progress = progressOf(
    console,
    (_, seconds) => `${wanted.length - left} of ${wanted.length} points, about ${seconds} s left.`,
  )
  const onPoint = (result: PointResult): void => {
    rows.set(result.point, result)
    add(result)
    left -= 1
    if (left > 0) progress(1 - left / missing.length)
  }
  const points = missing.map((point) => ({ point, values: pointAt(plan, point) }))
  const { signal } = stop
  const givenUp = await runShards({ runner: console.whatIf, base, plan, points, threads, onPoint, signal })
  await log?.close()
  const done = wanted.filter((point) => rows.has(point)).length
  for (const { points: lost, problem } of givenUp) {
    console.tell(
      `Points ${lost.join(', ')} could not be run. ${problem.message}${problem.details === undefined ? '' : ` (${problem.details})`}`,
    )
  }
  if (console.signal.aborted) {
    const again = path === '-' ? '' : ` Run the same command again to continue; the results are in ${path}.`
    console.tell(`Stopped after ${done} of ${wanted.length} points.${again}`)
    return 2
  }
  if (path !== '-') {
    console.tell(`The results are in ${path}.`)
    await printSweep({ header, rows: inOrder(rows.values()) }, shown, console)
  }
  return done === wanted.length ? 0 : 1
}

const allPoints = (plan: SweepPlan): readonly number[] => Array.from({ length: pointCount(plan) }, (_, point) => point)

const inOrder = (rows: Iterable<PointResult>): readonly PointResult[] => [...rows].toSorted((a, b) => a.point - b.point)

interface Shard {
  /** Zero-based. */
  readonly index: number
  readonly of: number
}

/** `--shard 0/4`, or `--shards 4` in a pod of an Indexed Job, where the index comes from the environment. */
function shardFrom(given: Given): Shard | undefined {
  const text = given.value('shard')
  const of = readNumber(given, 'shards', SHARDS)
  if (text === undefined && of === undefined) return undefined
  if (text !== undefined && of !== undefined)
    throw new UsageError('--shard I/N includes the number of shards; leave out --shards.')
  const written = text ?? `${process.env['JOB_COMPLETION_INDEX'] ?? ''}/${of ?? ''}`
  const [, index = '', count = ''] = /^(\d{1,6})\/(\d{1,6})$/.exec(written) ?? []
  const shard = { index: Number(index), of: Number(count) }
  if (index !== '' && shard.of >= 1 && shard.of <= MOST_SHARDS && shard.index < shard.of) return shard
  if (text === undefined) {
    throw new UsageError(
      '--shards takes the index of the shard from JOB_COMPLETION_INDEX, which is not set, or not below the number of shards. Use --shard I/N outside of a Job.',
    )
  }
  throw new UsageError(
    `--shard takes I/N with I from 0 to N-1, as in 0/4, and at most ${MOST_SHARDS} shards, not ${JSON.stringify(text)}.`,
  )
}

/** `shares.yaml` → `shares.results.ndjson`; for a shard `shares.results.0-of-4.ndjson`. */
function resultsBeside(file: string, shard: Shard | undefined): string {
  if (file === '-') throw new UsageError('A sweep from standard input needs --results FILE (- for standard output).')
  const stem = file.replace(/\.(?:ya?ml|json)$/i, '')
  return shard === undefined ? `${stem}.results.ndjson` : `${stem}.results.${shard.index}-of-${shard.of}.ndjson`
}

interface Present extends Pick<ReadRows, 'rows'> {
  /** The length of the complete lines. */
  readonly bytes: number
}
const NOTHING: Present = { rows: [], bytes: 0 }

/** The results of this sweep in a file; a line that a crash cut off does not count. */
async function resultsIn(path: string, header: SweepHeader, { signal }: Console): Promise<Present> {
  const text = await AppendedLines.read(path, { mostBytes: MOST_RESULT_BYTES, signal })
  const read = readRows(text, path)
  if (typeof read === 'string') throw new ProblemError('invalid-input', read)
  if (read.header !== undefined && read.header.fingerprint !== header.fingerprint) {
    throw new ProblemError(
      'invalid-input',
      `${path} has the results of another sweep, or of this one before it was changed. Delete the file, or name another one with --results.`,
    )
  }
  return { rows: read.rows, bytes: Buffer.byteLength(text.slice(0, read.whole)) }
}

async function merge(files: readonly string[], given: Given, console: Console): Promise<ExitCode> {
  const shown = readShown(given)
  refuseOptions(given, ['shard', 'shards', 'threads'], 'belongs to sweep FILE.')
  if (files.length === 0) throw new UsageError('sweep merge needs the files of the shards, or - for standard input.')
  const merged = mergedRows(await readInputFiles(files, console))
  const { header, rows } = merged
  const path = given.value('results')
  if (path !== undefined) {
    const log = await AppendedLines.keep(path, 0, () => undefined)
    for (const line of [header, ...rows]) log.add(lineOf(line))
    await log.close()
  }
  await printSweep(merged, shown, console)
  const missing = header.points - rows.length
  if (missing > 0)
    console.tell(`${missing} of ${header.points} points are missing: a shard is not among the files, or has not ended.`)
  return missing > 0 ? 1 : 0
}

function mergedRows(files: readonly { readonly name: string; readonly text: string }[]): ShownSweep {
  const rows = new Map<number, PointResult>()
  let header: SweepHeader | undefined
  for (const { name, text } of files) {
    const read = readRows(text, name)
    if (typeof read === 'string') throw new ProblemError('invalid-input', read)
    if (read.header === undefined) continue
    header ??= read.header
    if (header.fingerprint !== read.header.fingerprint) {
      throw new ProblemError(
        'invalid-input',
        `${name} has the results of another sweep than ${files[0]?.name ?? ''}. Merge files of one sweep only.`,
      )
    }
    for (const row of read.rows) rows.set(row.point, row)
  }
  if (header === undefined) throw new ProblemError('not-found', 'The files hold no results of a sweep.')
  return { header, rows: inOrder(rows.values()) }
}
