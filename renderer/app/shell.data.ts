import { plural } from '../../core/text/format.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Connected, ServerHealth } from '../../core/contract/source.ts'
import type { Frame, ServerFrame, LevelFrame } from '../../core/frame/frame.ts'
import { isExempt, movedSeats, standsInThePast } from '../../core/frame/reading.ts'
import type { SimulationState } from '../../core/contract/simulation.ts'
import { MS_PER_SECOND, unixMsOf } from '../../core/units.ts'
import { REALLOCATION_MS } from '../../core/frame/derive.ts'
import type { DerivedServer } from '../../core/frame/derived.ts'
import { levelStates, troubleOf } from '../../core/frame/recent.ts'
import { allFail, readsClusters } from '../state/connection.ts'
import type { View } from '../state/view.ts'
import type { Mode } from '../state/view.logic.ts'
import { format } from '../theme/format.ts'

export type BadgeTone =
  | 'live'
  | 'enforcing'
  | 'replay'
  | 'simulated'
  | 'paused'
  | 'stale'
  | 'still'
  | 'past'
  | 'none'
  | 'connecting'
  | 'offline'

export interface Badge {
  readonly tone: BadgeTone
  readonly word: string
  readonly detail?: string
}

/** The part of the view that the badge depends on. */
export type BadgeView = Pick<View, 'mode' | 'ageMs' | 'buffered' | 'server'> & {
  readonly frame?: Pick<Frame, 'source'> | undefined
  /** For the past, Unix milliseconds. */
  readonly instant?: number | undefined
  /** For a run: its name, and the instant in milliseconds after its start. */
  readonly run?: { readonly name: string; readonly ms: number } | undefined
  /** The proxy that is shown delays and rejects requests. */
  readonly enforces?: boolean
  /** Name of the algorithm of a simulation or a proxy, unless it is upstream's. */
  readonly algorithm?: string | undefined
}

/** The content of the badge: shape, word and colour differ by mode. */
export function badgeOf(
  view: BadgeView,
  link: boolean,
  simulation?: SimulationState,
  servers: readonly Trying[] = [],
): Badge {
  const at = view.server === undefined ? undefined : unixMsOf(view.server.at)
  if (!link) return { tone: 'offline', word: 'NO LINK', detail: 'the console does not respond' }
  if (view.run !== undefined) {
    const { name, ms } = view.run
    const since = `${format.fixed(ms / MS_PER_SECOND, 3)} s`
    return { tone: 'simulated', word: `SIMULATED, STOPPED at ${since}`, detail: name }
  }
  switch (view.mode) {
    case 'none':
      return { tone: 'none', word: 'NO SOURCE' }
    case 'connecting':
      if (allFail(servers)) {
        return {
          tone: 'offline',
          word: noSample(servers).toUpperCase(),
          detail: `${everAnswered(servers) ? 'lost' : 'no sample yet'}; retrying`,
        }
      }
      return { tone: 'connecting', word: 'CONNECTING', detail: 'waiting for the first sample' }
    case 'live':
      // The data on the screen is not from a cluster, and must not look like it.
      if (view.frame?.source.kind === 'demo') return { tone: 'replay', word: 'REPLAY', detail: 'not your cluster' }
      if (view.frame?.source.kind === 'simulation') return simulatedBadge(simulation, view.algorithm)
      return {
        ...liveBadge(view.enforces),
        detail: `${view.algorithm === undefined ? '' : `${view.algorithm}, `}${format.age(view.ageMs)} behind`,
      }
    case 'paused': {
      const samples = plural(view.buffered, 'sample', 'samples')
      return {
        tone: 'paused',
        word: `PAUSED ${format.time(at)}`,
        detail: `+${format.seats(view.buffered)} ${samples} buffered`,
      }
    }
    case 'stale':
      return {
        tone: 'stale',
        word: `STALE ${wholeAge(view.ageMs)}`,
        detail: `last ${format.time(at)}`,
      }
    case 'past':
      return {
        tone: 'past',
        word: `PAST ${format.time(view.instant)}`,
        detail: view.frame?.source.kind === 'recording' ? 'recording' : `${format.age(view.ageMs)} ago`,
      }
    case 'still':
      return {
        tone: 'still',
        word: view.frame?.source.kind === 'recording' ? 'RECORDING' : 'FILE',
        detail: format.dateTime(at),
      }
  }
}

/**
 * The badge of a source that has no samples: an etcd, or all clusters of a Prometheus. `undefined` for other sources,
 * while the past is shown, and while the source does not respond.
 */
export function samplelessBadge(
  connection: Pick<Connected, 'etcd' | 'source' | 'spec' | 'servers'> | undefined,
  link: boolean,
  mode: Mode,
  enforces = false,
): Badge | undefined {
  if (connection === undefined || !link || mode === 'past') return undefined
  const { spec, source } = connection
  if (readsClusters(connection)) return allFail(connection.servers) ? undefined : ALL_CLUSTERS
  if (connection.etcd !== true) return undefined
  if (source.kind === 'recording') return { tone: 'still', word: 'RECORDING', detail: 'etcd proxy' }
  if (allFail(connection.servers)) return undefined
  if (spec.kind === 'etcd' && spec.of.kind === 'story')
    return { tone: 'simulated', word: 'SIMULATED', detail: 'not your etcd' }
  return { ...liveBadge(enforces), detail: 'read every second' }
}

const liveBadge = (enforces = false): Badge =>
  enforces ? { tone: 'enforcing', word: 'ENFORCING' } : { tone: 'live', word: 'LIVE' }

/** Its numbers are read while the Fleet screen shows them. */
const ALL_CLUSTERS: Badge = { tone: 'live', word: 'ALL CLUSTERS', detail: 'on the Fleet screen' }

/** The parts of a server's health that show how the attempts for a first sample end. */
type Trying = Pick<ServerHealth, 'status'> & Partial<Pick<ServerHealth, 'failures' | 'lastGoodAt'>>

const everAnswered = (servers: readonly Trying[]): boolean => servers.some(({ lastGoodAt }) => lastGoodAt)

const REFUSED: ReadonlySet<ErrorCode | undefined> = new Set(['forbidden', 'unauthorized', 'credentials'])

/** A server that refuses does respond. */
const noSample = (servers: readonly Trying[]): string =>
  servers.every(({ failures }) => REFUSED.has(failures?.at(-1)?.problem.code)) ? 'No access' : 'No response'

function simulatedBadge(simulation: SimulationState | undefined, algorithm: string | undefined): Badge {
  const detail = algorithm ?? 'not your cluster'
  if (simulation === undefined) return { tone: 'simulated', word: 'SIMULATED', detail }
  const { speed, paused, reachedSpeed, ended } = simulation
  const word = `SIMULATED ×${speed}`
  if (ended) return { tone: 'simulated', word, detail: 'ended' }
  if (paused) return { tone: 'simulated', word: 'SIMULATED, STOPPED', detail }
  // At ordinary speeds the reached speed only fluctuates slightly; where the machine cannot keep up it is far off.
  const slow = speed >= 10 && reachedSpeed > 0 && reachedSpeed < 0.8 * speed
  return { tone: 'simulated', word, detail: slow ? `reaches ×${Math.round(reachedSpeed)}` : detail }
}

/** Counted in whole seconds: tenths would flicker. */
const wholeAge = (ms: number): string => (ms < 10_000 ? `${Math.floor(ms / 1_000)} s` : format.age(ms))

/** The mode in words, for screen readers: changes only with the mode. */
export function announcementOf(mode: View['mode'], link: boolean, servers: readonly Trying[] = []): string {
  if (!link) return 'No link to the console.'
  if (mode === 'connecting' && allFail(servers))
    return `${noSample(servers)}${everAnswered(servers) ? '' : ' yet'}; retrying.`
  const words: Readonly<Record<View['mode'], string>> = {
    none: 'No source connected.',
    connecting: 'Connecting.',
    live: 'Live.',
    paused: 'Paused.',
    stale: 'Stale: no new samples. Showing the last values.',
    still: 'Showing a file.',
    past: 'Showing the past.',
  }
  return words[mode]
}

/**
 * Milliseconds until the expected recomputation of the limits, inferred from the last observed change; unknown when
 * none was observed.
 */
export function untilReallocation(derived: DerivedServer | undefined, now: number): number | undefined {
  const last = derived?.lastAdjustmentAt
  if (last === undefined) return undefined
  const since = Math.max(0, now - last) % REALLOCATION_MS
  return REALLOCATION_MS - since
}

interface StatusFacts {
  readonly good: boolean
  /** `scrape 1 s`. */
  readonly cadence: string
  readonly families?: string
  readonly version?: string
  readonly dumps?: string
}

/** The status bar is about what is shown: `health` of the servers now, or at the shown instant. */
interface Shown extends Pick<View, 'server' | 'derivedServer' | 'mode'> {
  readonly health: readonly ServerHealth[]
}

/** What the left of the status bar shows about the connected source. */
export function statusFacts(
  connection: Connected | undefined,
  { server, derivedServer, mode, health: all }: Shown,
): StatusFacts | undefined {
  if (connection === undefined) return undefined
  const health = all.find(({ id }) => id === server?.id) ?? all[0]
  const { kind } = connection.source
  const every = cadenceText(connection.cadence.intervalMs)
  const isPast = mode === 'past'
  return {
    // A server that responds slowly has not failed yet.
    good: health?.status !== 'failing' && mode !== 'stale',
    cadence: isPast
      ? recordedText(kind, derivedServer)
      : kind === 'file' || standsInThePast({ kind })
        ? kind
        : `${kind} ${every}`,
    ...familiesOf(server),
    ...(server?.version === undefined ? {} : { version: server.version }),
    // How often dumps were read at that time is not recorded.
    ...(connection.still ? {} : dumpsOf(isPast ? undefined : connection.cadence.dumpsEveryMs, health)),
  }
}

/** `recorded every 1 s`: the interval of the last two samples. */
function recordedText(kind: string, derived: DerivedServer | undefined): string {
  const word = kind === 'run' ? 'run, sampled' : 'recorded'
  return derived?.intervalSeconds === undefined
    ? word
    : `${word} every ${cadenceText(Math.round(derived.intervalSeconds * MS_PER_SECOND))}`
}

const cadenceText = (ms: number): string => (ms < 1_000 ? `${ms} ms` : format.span(ms / 1_000))

function familiesOf(server: ServerFrame | undefined): { families?: string } {
  const found = server?.acquisition?.families
  if (server === undefined || found === undefined) return {}
  const missing = server.missing.length
  return { families: missing === 0 ? `${found} families` : `${found} families, ${missing} not shown` }
}

function dumpsOf(everyMs: number | null | undefined, health: ServerHealth | undefined): { dumps?: string } {
  const status = health?.dumps?.status
  if (everyMs === null || status === 'off') return { dumps: 'off' }
  if (status === 'forbidden' || status === 'failing') return { dumps: status }
  return status === undefined || everyMs === undefined ? {} : { dumps: `every ${cadenceText(everyMs)}` }
}

export interface RosterRow {
  readonly name: string
  readonly executing: number | undefined
  /** Absent for exempt, and when the server does not report it. */
  readonly limit: number | undefined
  /** Executing over limit, 0 to 1. */
  readonly share: number
  readonly trouble: 'rejecting' | 'queueing' | undefined
}

export function rosterRows(
  server: ServerFrame | undefined,
  derived: DerivedServer | undefined,
  order: (a: string, b: string) => number,
): readonly RosterRow[] {
  return (server?.levels ?? []).toSorted((a, b) => order(a.name, b.name)).map((level) => rosterRow(level, derived))
}

function rosterRow(level: LevelFrame, derived: DerivedServer | undefined): RosterRow {
  const { name, seats } = level
  const limit = isExempt(level) ? undefined : level.limits.current
  const own = derived?.levels.find((entry) => entry.name === name)
  return {
    name,
    executing: seats.executing,
    limit,
    share: Math.min(1, (seats.executing ?? 0) / Math.max(1, limit ?? Infinity)),
    trouble: troubleOf(levelStates(level, own)),
  }
}

interface Sums {
  readonly executing: number
  /** Sum of nominal limits: the seats that the server distributes. */
  readonly seats: number
  readonly lent: number
  readonly borrowed: number
}

/** The server in four numbers; unknown when limits or occupancy are not reported. */
export function sums(server: ServerFrame | undefined): Sums | undefined {
  if (server === undefined) return undefined
  let [executing, seats, lent, borrowed] = [0, 0, 0, 0]
  for (const level of server.levels) {
    executing += level.seats.executing ?? 0
    if (isExempt(level)) continue
    const moved = movedSeats(server, level.limits)
    if (moved === undefined) return undefined
    seats += level.limits.nominal ?? 0
    if (moved < 0) lent -= moved
    else borrowed += moved
  }
  return { executing, seats, lent, borrowed }
}
