import { compare, isComplete, type Comparison, type Recorded } from '../../core/compare/compare.ts'
import { periodsApart, periodsAround, type Period, type Periods } from '../../core/compare/period.ts'
import { presentComparison } from '../../core/compare/present.ts'
import { otherDifferences, type OtherDifference, type Surroundings } from '../../core/compare/surroundings.ts'
import { ProblemError } from '../../core/errors.ts'
import { plain } from '../../core/text/format.ts'
import { rfc3339, unixMsOf } from '../../core/units.ts'
import { texts } from './options.ts'
import { type Console, type ExitCode, progressOf } from './console.ts'
import type { Said } from './print/terminal.ts'
import { recordingNamed, archiveOf, recordedSource } from './recordingOptions.ts'
import { CREDENTIAL_OPTIONS, PROMETHEUS_OPTIONS, sourceFrom } from './sourceOptions.ts'
import { timeFrom, OUTPUT_OPTIONS, readDuration, readOutput, UsageError, type Command, type Given } from './usage.ts'
import type { PrometheusSpec } from '../../core/contract/prometheus.ts'
import type { Moment } from '../../core/contract/recording.ts'
import type { SourceInfo } from '../../core/frame/frame.ts'
import type { Series } from '../../core/history/series.ts'
import type { ListedRecording } from '../recordings/library.ts'
import { openPrometheusRanges } from '../sources/prometheus/range.ts'
import { refuseWithoutLevels } from './withoutLevels.ts'

/** Two periods side by side, as the Compare screen shows them. 1 when more than 2 % of one is not recorded. */
export const compareCommand: Command = {
  options: {
    ...texts('a', 'b', 'mark', 'length', 'offset', 'api-server'),
    ...CREDENTIAL_OPTIONS,
    ...PROMETHEUS_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  operands: 'files',
  run: runCompare,
}

async function runCompare(given: Given, console: Console): Promise<ExitCode> {
  const form = readOutput(given, ['markdown'])
  const periods = periodsFrom(given)
  const [a, b] = await readingsOf(given, periods, console)
  if (console.signal.aborted) return 2
  const pairs = serverPairs(a, b, given.value('api-server'))
  const compared = pairs.map(([inA, inB]) => comparedServer(a, b, inA, inB))
  console.answer(form, jsonOf(a, b, compared), saidOf(a, b, compared))
  const complete = compared.every(({ comparison }) => isComplete(comparison))
  return compared.length > 0 && complete ? 0 : 1
}

/** From --a and --b, --b and --offset, or --mark; without any of them, whole recordings. Throws `UsageError`. */
function periodsFrom(given: Given): Periods | undefined {
  const [a, b, mark] = [periodFrom(given, 'a'), periodFrom(given, 'b'), timeFrom(given, 'mark')]
  const [length, offset] = [readDuration(given, 'length', DURATION), readDuration(given, 'offset', DURATION)]
  if (length !== undefined && mark === undefined) throw new UsageError('--length goes with --mark.')
  if (mark !== undefined) {
    if (a !== undefined || b !== undefined || offset !== undefined) {
      throw new UsageError('--mark names both periods, so --a, --b and --offset do not go with it.')
    }
    return periodsAround(mark, length ?? DEFAULT_LENGTH_MS)
  }
  if (offset !== undefined) {
    if (b === undefined || a !== undefined)
      throw new UsageError('--offset goes with --b only: A has the same length, that much earlier.')
    return periodsApart(b, offset)
  }
  if ((a === undefined) !== (b === undefined)) throw new UsageError('--a and --b go together, or --b with --offset.')
  return a === undefined || b === undefined ? undefined : { a, b }
}

const DEFAULT_LENGTH_MS = 600_000
const DURATION = { min: Number.MIN_VALUE, max: Infinity, takes: 'a time like 10m or 24h' } as const

function periodFrom(given: Given, name: string): Period | undefined {
  const text = given.value(name)
  if (text === undefined) return undefined
  const [from = '', to = '', ...more] = text.split('..')
  const period = { from: unixMsOf(from), to: unixMsOf(to) }
  if (more.length === 0 && period.from < period.to) return period
  throw new UsageError(
    `--${name} ${JSON.stringify(text)} is not a period; write 2026-11-20T03:00:00Z..2026-11-20T03:20:00Z, the earlier time first.`,
  )
}

async function readingsOf(
  given: Given,
  periods: Periods | undefined,
  console: Console,
): Promise<readonly [PeriodReading, PeriodReading]> {
  const [first, second, ...more] = given.operands
  const spec = await sourceFrom(given, false, console)
  if (spec?.kind === 'prometheus') {
    if (first !== undefined) throw new UsageError('Compare recordings or a Prometheus, not both.')
    if (periods === undefined) {
      throw new UsageError('With --prometheus, name the periods: --a and --b, --b and --offset, or --mark.')
    }
    const [a, b] = await readFromPrometheus(spec, [periods.a, periods.b], console)
    if (a !== undefined && b !== undefined) return [a, b]
  }
  if (first === undefined || more.length > 0) {
    throw new UsageError('compare needs one recording and two periods, two recordings, or --prometheus URL.')
  }
  if (second === undefined && periods === undefined) {
    throw new UsageError('One recording has two periods: name them with --a and --b, --b and --offset, or --mark.')
  }
  const [inA, inB] = [await recordingNamed(first, console), await recordingNamed(second ?? first, console)]
  const reading = (entry: typeof inA, period: Period | undefined): PeriodReading => {
    const read = readRecorded(entry, period, console)
    if (read !== undefined) return read
    throw new ProblemError('not-found', `The recording ${entry.id} has no samples.`)
  }
  return [reading(inA, periods?.a), reading(inB, periods?.b)]
}

/**
 * Each server paired with itself; where each period has only one server, those two. Throws `ProblemError` for a wanted
 * server that is in neither.
 */
function serverPairs(
  a: PeriodReading,
  b: PeriodReading,
  wanted: string | undefined,
): readonly (readonly [string, string])[] {
  const [onlyA, onlyB] = [a.servers, b.servers].map((servers) => (servers.length === 1 ? servers[0] : undefined))
  if (wanted === undefined && onlyA !== undefined && onlyB !== undefined) return [[onlyA, onlyB]]
  const all = [...new Set([...a.servers, ...b.servers])]
  if (wanted === undefined) return all.map((server) => [server, server])
  if (all.includes(wanted)) return [[wanted, wanted]]
  const known = all.length === 0 ? 'None is recorded in these periods.' : `There is ${all.join(', ')}.`
  throw new ProblemError('not-found', `There is no server ${JSON.stringify(wanted)}. ${known}`)
}

interface ComparedServer {
  readonly server: string
  readonly comparison: Comparison
  readonly others: readonly OtherDifference[]
}

function comparedServer(a: PeriodReading, b: PeriodReading, inA: string, inB: string): ComparedServer {
  const [seriesA, seriesB] = [a.series(inA), b.series(inB)]
  return {
    server: inA === inB ? inA : `${inA} and ${inB}`,
    comparison: compare({ series: seriesA, period: a.period }, { series: seriesB, period: b.period }),
    others: otherDifferences(a.surroundings(inA), b.surroundings(inB)),
  }
}

function saidOf(a: PeriodReading, b: PeriodReading, compared: readonly ComparedServer[]): Said {
  const period = (name: string, { source, period: { from, to } }: PeriodReading): string =>
    `${name}  ${plain.dateTime(from)} to ${plain.dateTime(to)} UTC  ${source.name}`
  return [
    period('A', a),
    period('B', b),
    ...(compared.length === 0 ? ['', 'Nothing is recorded in either period.'] : []),
    ...compared.flatMap(({ server, comparison, others }) => ['', server, presentComparison(comparison, others)]),
  ]
}

const jsonOf = (a: PeriodReading, b: PeriodReading, compared: readonly ComparedServer[]): unknown => {
  const period = ({ source, period: { from, to } }: PeriodReading): unknown => ({
    source: source.name,
    from: rfc3339(from),
    to: rfc3339(to),
  })
  return {
    a: period(a),
    b: period(b),
    servers: compared.map(({ server, comparison: { a: inA, b: inB, ...comparison }, others }) => ({
      server,
      recorded: { a: recordedOf(inA), b: recordedOf(inB) },
      ...comparison,
      others,
    })),
  }
}

const recordedOf = ({ gaps, ...recorded }: Recorded): unknown => ({
  ...recorded,
  gaps: gaps.map(({ from, to }) => ({ from: rfc3339(from), to: rfc3339(to) })),
})

/** The data of a period, by server. */
interface PeriodReading {
  readonly source: SourceInfo
  readonly period: Period
  readonly servers: readonly string[]
  series(server: string): Series
  /** At the end of the period. */
  surroundings(server: string): Surroundings
}

/** A period is read in at most this many steps of a minute, so that nothing of it is left out. */
const MOST_POINTS = 100_000

/** A period of a recording; all of it if none is given. `undefined` when the recording is empty. */
function readRecorded(
  entry: ListedRecording,
  given: Period | undefined,
  console: Pick<Console, 'stateDir' | 'environment'>,
): PeriodReading | undefined {
  refuseWithoutLevels(entry.source)
  const archive = archiveOf(entry, console)
  const { first, last } = archive.extent()
  if (first === undefined || last === undefined) return undefined
  const period = given ?? { from: first, to: last }
  const moments = [archive.moment(period.to), archive.moment(period.from)]
  const [atEnd] = moments
  return {
    source: recordedSource(entry),
    period,
    servers: [...new Set(moments.flatMap(({ frame }) => frame?.servers.map(({ id }) => id) ?? []))],
    series: (server) => archive.series(server, { ...period, maxPoints: MOST_POINTS }),
    surroundings: (server) => ({
      server: atEnd?.frame?.servers.find(({ id }) => id === server),
      objects: readable(atEnd?.objects),
    }),
  }
}

const readable = (reading: Moment['objects']): Surroundings['objects'] =>
  reading?.state === 'current' || reading?.state === 'stale' ? reading.objects : undefined

/** Both periods of the servers of a Prometheus; it has no objects. Rejects with `ProblemError`. */
async function readFromPrometheus(
  spec: PrometheusSpec,
  periods: readonly Period[],
  console: Pick<Console, 'environment' | 'access' | 'signal' | 'tell'>,
): Promise<readonly PeriodReading[]> {
  const { environment, access, signal } = console
  const ranges = await openPrometheusRanges(spec, environment, access.consent, signal)
  const progress = progressOf(
    console,
    (part, seconds) => `${Math.round(part * 100)} % of the periods read from Prometheus, about ${seconds} s left.`,
  )
  try {
    const readings: PeriodReading[] = []
    for (const [index, period] of periods.entries()) {
      const picture = await ranges.read(period.from, period.to, signal, (part) =>
        progress((index + part) / periods.length),
      )
      readings.push({
        source: ranges.source,
        period,
        servers: picture.servers.map(({ latest: { frame } }) => frame.id),
        series: (server) =>
          picture.server(server)?.history.series({ ...period, maxPoints: MOST_POINTS }) ?? nothingOf(server),
        surroundings: (server) => ({ server: picture.server(server)?.latest.frame, objects: undefined }),
      })
    }
    return readings
  } finally {
    ranges.close()
  }
}

const nothingOf = (server: string): Series => ({
  server,
  stepSeconds: 0,
  mergedSeconds: 0,
  times: [],
  samples: [],
  fairFrac: [],
  levels: [],
})
