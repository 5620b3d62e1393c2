import { amount, counted, numberColumns, phrase, textColumns, type Answer } from '../../core/answer/answer.ts'
import { landings } from '../../core/classify/configuration.ts'
import {
  NO_COVERAGE,
  withDump,
  withServers,
  type Coverage,
  type CoverageRow,
  type SeenFlow,
} from '../../core/classify/coverage.ts'
import { sampleOfDump } from '../../core/classify/requestText.ts'
import type { Problem } from '../../core/errors.ts'
import type { SourceSpec } from '../../core/contract/source.ts'
import { frameOf, type ServerFrame, type SourceInfo } from '../../core/frame/frame.ts'
import { coverageTable, rowsOf } from '../../core/guard/covered.ts'
import type { ObjectsReading, SourceEvent } from '../../core/source/sourceEvent.ts'
import { MS_PER_SECOND, rfc3339 } from '../../core/units.ts'
import { configurationBeside, type GivenConfiguration } from './configurationSource.ts'
import type { Console, ExitCode } from './console.ts'
import { eventsBefore, listen } from './pastPages.ts'
import { allRecordings } from './recordingOptions.ts'
import { tellProblems } from './recordings.ts'
import { defaultSource, type RecordingSpec, sourceFrom } from './sourceOptions.ts'
import { readNumber, readOutput, type Given } from './usage.ts'

const DEFAULT_SECONDS = 30
const MOST_SECONDS = 86_400
/** Flows shown in the text output; the JSON has all. */
const MOST_FLOWS = 20

/** What was read from a source. */
interface Heard {
  readonly coverage: Coverage
  readonly objects: ObjectsReading | undefined
  readonly source: SourceInfo
  /** The newest page of each server. */
  readonly servers: readonly ServerFrame[]
}

/**
 * Which flow schemas match the requests of a source, and which flows its dumps show: the rows of the Coverage page,
 * over the seconds before `--at` of a recording, or over that many seconds from now on. 1 when a part cannot be read.
 */
export async function classifyTraffic(given: Given, console: Console): Promise<ExitCode> {
  const seconds = readNumber(given, 'seconds', { min: 1, max: MOST_SECONDS }) ?? DEFAULT_SECONDS
  const spec = (await sourceFrom(given, true, console)) ?? defaultSource(given, true)
  const problems: Problem[] = []
  const heard =
    spec.kind === 'recording'
      ? ofRecording(spec, seconds, console, problems)
      : await ofSource(spec, seconds, given, console)
  if (heard === undefined) return 2
  const { coverage, objects, source, servers } = heard
  const configuration = await configurationBeside(given, console, { frame: frameOf(source, servers), objects })
  for (const note of configuration.notes) console.tell(note)
  const rows = rowsOf(configuration.objects)(coverage)
  const flows = flowsOf(coverage, configuration)
  console.answer(readOutput(given, ['markdown']), jsonOf(coverage, rows, flows), [
    presentTraffic(coverage, rows, flows),
  ])
  return tellProblems(problems, console)
}

/** Accumulates events. `withPast` includes the past that a source supplies, for sources that have nothing else. */
function createEar(withPast: boolean) {
  let coverage = NO_COVERAGE
  let objects: ObjectsReading | undefined
  const newest = new Map<string, ServerFrame>()
  return {
    hear(event: SourceEvent): void {
      if (event.kind === 'frame' && (withPast || event.past !== true)) {
        newest.set(event.frame.id, event.frame)
        coverage = withServers(coverage, [event.frame])
      } else if (event.kind === 'dump') coverage = withDump(coverage, event.dump)
      else if (event.kind === 'objects') objects = event.reading
    },
    heard: (source: SourceInfo): Heard => ({ coverage, objects, source, servers: [...newest.values()] }),
  }
}

function ofRecording(spec: RecordingSpec, seconds: number, console: Console, problems: Problem[]): Heard {
  const ear = createEar(true)
  for (const event of eventsBefore(spec, seconds * MS_PER_SECOND, console, problems)) ear.hear(event)
  const source = allRecordings(console).find(({ id }) => spec.ids.includes(id))?.source
  return ear.heard(source ?? { kind: 'recording', name: 'the recording', via: 'a recording' })
}

async function ofSource(spec: SourceSpec, seconds: number, given: Given, console: Console): Promise<Heard | undefined> {
  const goesOn = spec.kind !== 'files' && spec.kind !== 'demo'
  const ear = createEar(!goesOn)
  const reading = { spec, seconds, server: undefined, withObjects: true, liveSeconds: goesOn ? seconds : 0 }
  const listened = await listen(given, console, reading, (event) => ear.hear(event))
  if (listened === undefined) return undefined
  for (const sentence of listened.findings) console.tell(sentence)
  return { ...ear.heard(listened.source), objects: listened.objects }
}

interface TrafficFlow extends SeenFlow {
  /** Where these objects place the newest request of the flow, when the server placed it elsewhere. */
  readonly elsewhere: string | undefined
}

function flowsOf({ flows }: Coverage, { objects }: GivenConfiguration): readonly TrafficFlow[] {
  const land = landings(objects)
  const elsewhere = ({ example, schema, level }: SeenFlow): string | undefined => {
    const request = sampleOfDump(example)
    if (request === undefined) return undefined
    const landed = land(request)
    return !landed.ok || (landed.flowSchema === schema && landed.priorityLevel === level)
      ? undefined
      : `${landed.flowSchema} → ${landed.priorityLevel}`
  }
  return [...flows.values()]
    .toSorted((a, b) => b.requests - a.requests || (a.key < b.key ? -1 : 1))
    .map((flow) => ({ ...flow, elsewhere: elsewhere(flow) }))
}

function presentTraffic(
  { since, at, dumps, left }: Coverage,
  rows: readonly CoverageRow[],
  flows: readonly TrafficFlow[],
): Answer {
  const shown = flows.slice(0, MOST_FLOWS)
  return {
    title:
      since === undefined || at === undefined
        ? ['No sample was read.']
        : phrase`${rfc3339(since)} to ${rfc3339(at)}, ${counted(dumps, 'debug dump')}.`,
    evidence: [
      ...(shown.length > 0
        ? []
        : [[dumps === 0 ? 'No debug dump was read, so flows are unknown.' : 'The dumps show no request.']]),
      ...(flows.length > shown.length ? [[`${flows.length - shown.length} more flows: --json has them.`]] : []),
      ...(left > 0
        ? [phrase`${counted(left, 'request belongs', 'requests belong')} to flows that are not listed.`]
        : []),
    ],
    tables: [
      coverageTable(rows),
      {
        title: 'Flows seen',
        note: 'those with most requests first',
        columns: [
          ...numberColumns('Seen', 'Users'),
          ...textColumns('Flow schema', 'Level', 'Distinguisher', 'These objects send it to'),
        ],
        rows: shown.map(({ requests, users, schema, level, distinguisher, elsewhere }) => [
          amount('fixed')(requests),
          amount('fixed')(users.size),
          schema,
          level,
          distinguisher === '' ? '–' : distinguisher,
          elsewhere ?? 'the same',
        ]),
      },
    ].filter(({ rows: some }) => some.length > 0),
  }
}

const jsonOf = ({ since, at, dumps }: Coverage, rows: readonly CoverageRow[], flows: readonly TrafficFlow[]) => ({
  ...(since !== undefined && at !== undefined && { from: rfc3339(since), to: rfc3339(at) }),
  dumps,
  schemas: rows.map(({ lastCountedAt, ...row }) => ({
    ...row,
    ...(lastCountedAt !== undefined && { lastCountedAt: rfc3339(lastCountedAt) }),
  })),
  flows: flows.map(({ schema, level, distinguisher, requests, users, lastAt, elsewhere }) => ({
    schema,
    level,
    distinguisher,
    requests,
    users: [...users],
    lastAt: rfc3339(lastAt),
    ...(elsewhere !== undefined && { elsewhere }),
  })),
})
