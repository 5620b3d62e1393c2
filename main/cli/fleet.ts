import type { ServerHealth, SourceSpec } from '../../core/contract/source.ts'
import { toProblem } from '../../core/errors.ts'
import { complaintOf } from '../../core/filter/filter.ts'
import { configurationDrift, type ConfigurationDrift } from '../../core/fleet/configuration.ts'
import { fleetRows, type ClusterRow, type FleetSource } from '../../core/fleet/fleet.ts'
import {
  FLEET_VOCABULARY,
  fleetLines,
  GROUPINGS,
  parseFleetSearch,
  searchFleet,
  SORTINGS,
  type FleetLine,
} from '../../core/fleet/lines.ts'
import { presentFleet } from '../../core/fleet/present.ts'
import type { SourceSummary } from '../../core/contract/fleet.ts'
import type { ObjectsReading } from '../../core/source/sourceEvent.ts'
import type { Environment } from '../ports/environment.ts'
import { createPause } from '../ports/pause.ts'
import type { Session } from '../workspace/session.ts'
import { createSummaries } from '../workspace/summaries.ts'
import type { Console, ExitCode } from './console.ts'
import { lists, switches, texts } from './options.ts'
import { openSession } from './snapshot.ts'
import { cadenceFrom, CREDENTIAL_OPTIONS, PROMETHEUS_OPTIONS, sourceFrom } from './sourceOptions.ts'
import { OUTPUT_OPTIONS, readChoice, readNumber, readOutput, UsageError, type Command, type Given } from './usage.ts'

/** Many clusters side by side, as the Fleet screen shows them. 1 when one of them cannot be read. */
export const fleet: Command = {
  options: {
    kubeconfig: { type: 'string' },
    ...lists('context', 'metrics-url'),
    ...CREDENTIAL_OPTIONS,
    ...PROMETHEUS_OPTIONS,
    ...lists('prometheus', 'recording'),
    at: { type: 'string' },
    ...switches('simulate', 'demo'),
    ...texts('interval', 'seconds', 'search', 'group', 'sort'),
    ...switches('servers', 'levels'),
    ...OUTPUT_OPTIONS,
  },
  run: runFleet,
}

const DEFAULT_SECONDS = 10

async function runFleet(given: Given, console: Console): Promise<ExitCode> {
  const form = readOutput(given, ['markdown'])
  const seconds = readNumber(given, 'seconds', { min: 1, max: 300 }) ?? DEFAULT_SECONDS
  const group = readChoice(given, 'group', GROUPINGS) ?? 'none'
  const sort = readChoice(given, 'sort', SORTINGS) ?? 'worst'
  const tokens = parseFleetSearch(given.value('search') ?? '')
  const complaint = tokens.map((token) => complaintOf(token, FLEET_VOCABULARY)).find((why) => why !== undefined)
  if (complaint !== undefined) throw new UsageError(`--search: ${complaint}`)

  const wanted = await Promise.all(partsOf(given).map((part) => specOf(part, console)))
  const sources = await Promise.all(
    wanted
      .flatMap((one) => one ?? [])
      .map(({ name, spec }, index) => readSource(index + 1, name, spec, given, seconds, console)),
  )
  if (console.signal.aborted) return 2
  const clusters = searchFleet(fleetRows(sources, console.environment.now()), tokens)
  const descending = sort !== 'worst' && sort !== 'name' && sort !== 'version'
  const lines = fleetLines(clusters, { group, sort, descending, open: opened(clusters, given) })
  console.answer(form, lines.map(jsonOf), [presentFleet(clusters, lines)])
  return sources.some(({ health }) => health.some(({ status }) => status !== 'ok')) ? 1 : 0
}

/** The options of a source, each with the options that go with it. */
const WITH = {
  context: ['kubeconfig', 'interval'],
  kubeconfig: ['interval'],
  'metrics-url': [...Object.keys(CREDENTIAL_OPTIONS), 'interval'],
  prometheus: [...Object.keys(CREDENTIAL_OPTIONS), ...Object.keys(PROMETHEUS_OPTIONS)],
  recording: ['at'],
  simulate: [],
  demo: [],
} as const satisfies Readonly<Record<string, readonly string[]>>
type SourceOption = keyof typeof WITH
const OF_SOURCES = [...Object.keys(CREDENTIAL_OPTIONS), ...Object.keys(PROMETHEUS_OPTIONS)]

/** One of the given sources, with the options as if it had been given alone. */
interface Part {
  readonly option: SourceOption
  readonly value: string
  readonly given: Given
}

function partsOf(given: Given): readonly Part[] {
  const contexts = given.values('context')
  const named: readonly (readonly [SourceOption, readonly string[]])[] = [
    ['context', contexts],
    ['kubeconfig', contexts.length > 0 ? [] : given.values('kubeconfig')],
    ['metrics-url', given.values('metrics-url')],
    ['prometheus', given.values('prometheus')],
    ['recording', given.values('recording')],
    ['simulate', given.flag('simulate') ? [''] : []],
    ['demo', given.flag('demo') ? [''] : []],
  ]
  const parts = named.flatMap(([option, values]) => values.map((value) => partOf(given, option, value)))
  const meant = new Set(parts.flatMap(({ option }): readonly string[] => [option, ...WITH[option]]))
  const alone = OF_SOURCES.find((name) => given.flag(name) && !meant.has(name))
  if (parts.length > 0 && alone !== undefined) {
    throw new UsageError(
      `--${alone} goes with ${alone in CREDENTIAL_OPTIONS ? '--metrics-url or --prometheus' : '--prometheus'}.`,
    )
  }
  if (given.flag('at') && !meant.has('recording')) throw new UsageError('--at goes with --recording.')
  if (parts.length > 0) return parts
  throw new UsageError(
    'fleet needs sources: --context NAME, --prometheus URL, --metrics-url URL or --recording ID; repeat them for several.',
  )
}

function partOf(given: Given, option: SourceOption, value: string): Part {
  const beside: readonly string[] = WITH[option]
  const has = (name: string): boolean => beside.includes(name) && name !== option && given.flag(name)
  const values = (name: string): readonly string[] => (name === option ? [value] : has(name) ? given.values(name) : [])
  return {
    option,
    value,
    given: {
      flag: (name) => name === option || has(name),
      value: (name) => values(name).at(-1),
      values,
      operands: [],
    },
  }
}

/** The source of an option. Rejects with `UsageError`. */
async function specOf(
  { value, option, given }: Part,
  console: Console,
): Promise<{ readonly name: string; readonly spec: SourceSpec } | undefined> {
  const spec = await sourceFrom(given, false, console)
  if (spec === undefined) return undefined
  if (spec.kind === 'prometheus') return { name: hostOf(spec.url), spec: { ...spec, fleet: true } }
  return { name: value === '' ? option : value, spec }
}

/** An address may contain a password. */
const hostOf = (url: string): string => URL.parse(url)?.host ?? 'source'

/** Reads one source; a failure is reported in its row and does not affect the others. */
async function readSource(
  id: number,
  name: string,
  spec: SourceSpec,
  given: Given,
  seconds: number,
  console: Console,
): Promise<FleetSource> {
  const of = { id, still: true, staleAfterMs: 0 } as const
  const failed = (thrown: unknown): FleetSource => {
    const health: ServerHealth = {
      id: name,
      status: 'failing',
      failures: [{ at: new Date(console.environment.now()).toISOString(), problem: toProblem(thrown) }],
    }
    return { ...of, name, via: '', health: [health], servers: undefined }
  }
  let objects: ObjectsReading | undefined
  const { promise: failing, resolve: fail } = Promise.withResolvers<undefined>()
  let session: Session
  try {
    session = await openSession(console, spec, cadenceFrom(given, false), ({ servers }) => {
      if (servers.some(({ status }) => status === 'failing')) fail(undefined)
    })
  } catch (thrown) {
    return failed(thrown)
  }
  session.readObjects((reading) => void (objects = reading))
  // A Prometheus query and a recording are complete at once; every other source is read for a while.
  if (session.whole === undefined && !session.connection.still) {
    await createPause(console.environment).wait(seconds * 1_000, console.signal)
  }
  session.ended.addEventListener('abort', () => fail(undefined), { once: true })
  const summary = await Promise.race([summaryIn(session, console.environment), failing])
  const { connection } = session
  await session.end()
  return {
    ...of,
    name: connection.source.name,
    via: connection.source.via,
    health: connection.servers,
    servers: summary?.servers,
    whole: summary?.whole,
    drift: driftOf(objects, summary?.servers[0]?.version),
  }
}

function driftOf(reading: ObjectsReading | undefined, version: string | undefined): ConfigurationDrift | undefined {
  const known = reading?.version ?? version
  if (reading === undefined || known === undefined || reading.state !== 'current') return undefined
  return configurationDrift(reading.objects, known, undefined)
}

/** The current summary of a source whose servers are known; for others the first reading. */
const summaryIn = (session: Session, environment: Environment): Promise<SourceSummary> =>
  new Promise((resolve) => createSummaries(session, environment).subscribe(resolve, session.ended))

function opened(clusters: readonly ClusterRow[], given: Given): ReadonlySet<string> {
  const [servers, levels] = [given.flag('servers') || given.flag('levels'), given.flag('levels')]
  return new Set([
    ...(servers ? clusters.map(({ key }) => key) : []),
    ...(levels ? clusters.flatMap((cluster) => cluster.servers.map(({ key }) => key)) : []),
  ])
}

function jsonOf(line: FleetLine): unknown {
  const { kind, state, saturation, rejected, queued, waitP99 } = line
  const numbers = {
    kind,
    state,
    saturation,
    rejectedPerSecond: rejected,
    queuedRequests: queued,
    waitP99Seconds: waitP99,
  }
  switch (line.kind) {
    case 'group':
      return { name: line.name, clusters: line.clusters.length, ...numbers }
    case 'cluster':
      return {
        cluster: line.source.name,
        servers: line.servers.length,
        ...numbers,
        worst: { server: line.worst?.server, level: line.worst?.worst?.level },
        drift: line.source.drift,
        versions: line.versions,
        problem: line.problem?.message,
      }
    case 'server':
      return {
        cluster: line.source.name,
        server: line.server,
        ...numbers,
        worst: line.worst?.level,
        version: line.version,
        problem: line.problem?.message,
      }
    case 'level': {
      const { source, server, level, executing, limit, nominal } = line
      return { cluster: source.name, server, level, ...numbers, executing, limit, nominal }
    }
  }
}
