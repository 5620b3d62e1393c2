import type { Period } from '../../core/compare/period.ts'
import type { Surroundings } from '../../core/compare/surroundings.ts'
import type { PrometheusSpec } from '../../core/contract/prometheus.ts'
import type { Moment } from '../../core/contract/recording.ts'
import type { SourceInfo } from '../../core/frame/frame.ts'
import type { Series } from '../../core/history/series.ts'
import type { ListedRecording } from '../recordings/library.ts'
import { openPrometheusRanges } from '../sources/prometheus/range.ts'
import { progressOf, type Console } from './console.ts'
import { archiveOf, recordedSource } from './recordingOptions.ts'
import { refuseWithoutLevels } from './withoutLevels.ts'

/** The data of a period, by server. */
export interface PeriodReading {
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
export function readRecorded(
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
export async function readFromPrometheus(
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
