import { executingSeats } from '../../../core/frame/reading.ts'
import { MISSING_REASONS, type Frame, type Kinds, type MissingFamily } from '../../../core/frame/frame.ts'
import type { Problem } from '../../../core/errors.ts'
import { imbalanceIndex } from '../../../core/frame/aggregate.ts'
import {
  type PastRead,
  type ServerHealth,
  LOOKING,
  type Capability,
  type CapabilityResult,
  type PermissionReport,
} from '../../../core/contract/source.ts'
import { unixMsOf } from '../../../core/units.ts'
import { UNKNOWN } from '../../../core/text/format.ts'
import { format } from '../../theme/format.ts'

export interface Fact {
  readonly label: string
  readonly value: string
  readonly tone?: 'warn' | 'bad'
}

/** Busiest server over the mean of all, by executing seats; unknown for one server or none executing. */
export function imbalance(frame: Frame | undefined): number | undefined {
  const loads = frame?.servers.map(executingSeats) ?? []
  return loads.length > 1 ? imbalanceIndex(loads) : undefined
}

/** Offsets beyond this many milliseconds are worth a warning. */
const CLOCK_WARN_MS = 2_000
const IMBALANCE_WARN = 2

/** The cost and health of one server; labels are the same for every server. */
export function healthFacts(health: ServerHealth, frame: Frame | undefined): readonly Fact[] {
  const server = frame?.servers.find(({ id }) => id === health.id)
  const { bytes, wireBytes, fetchMs, parseMs, families, clockOffsetMs } = health
  const wire = wireBytes === undefined || wireBytes === bytes ? '' : `, ${format.bytes(wireBytes)} compressed`
  return [
    {
      label: frame?.source.kind === 'prometheus' ? 'Answers for one scrape' : 'One /metrics page',
      value: `${format.bytes(bytes)}${wire}`,
    },
    { label: 'Fetch, median of 30', value: format.ms(fetchMs) },
    { label: 'Parse, one core', value: format.ms(parseMs) },
    { label: 'Families read', value: format.seats(families ?? server?.acquisition?.families) },
    {
      label: 'Server clock',
      value: clockText(clockOffsetMs),
      ...(Math.abs(clockOffsetMs ?? 0) > CLOCK_WARN_MS ? { tone: 'warn' as const } : {}),
    },
    dumpFact(health),
    ...(server === undefined
      ? []
      : [kindsFact('Executing, highest of 1 s', server.inFlight), kindsFact('Queued, highest of 1 s', server.inQueue)]),
  ]
}

/** Requests by kind, as the server itself counts them for all levels together. */
const kindsFact = (label: string, kinds: Kinds | undefined): Fact => ({
  label,
  value:
    kinds === undefined
      ? UNKNOWN
      : `${format.fixed(kinds.readOnly)} read-only, ${format.fixed(kinds.mutating)} mutating requests`,
})

function dumpFact({ dumps }: ServerHealth): Fact {
  const label = 'One reading of the dumps'
  switch (dumps?.status) {
    case undefined:
      return { label, value: UNKNOWN }
    case 'ok':
      return { label, value: `${format.ms(dumps.costMs)}, ${format.bytes(dumps.bytes)}` }
    case 'off':
      return { label, value: 'off' }
    case 'forbidden':
    case 'failing':
      return { label, value: dumps.problem?.message ?? dumps.status, tone: 'bad' }
  }
}

/** Facts about the source as a whole. */
export function sourceFacts(frame: Frame | undefined): readonly Fact[] {
  const ratio = imbalance(frame)
  if (ratio === undefined) return []
  const value = `${format.fixed(ratio, 2)} ×`
  const label = 'Busiest server to mean, executing seats'
  return [ratio > IMBALANCE_WARN ? { label, value, tone: 'warn' } : { label, value }]
}

function clockText(offset: number | undefined): string {
  if (offset === undefined) return UNKNOWN
  if (Math.abs(offset) < 1_000) return 'within 1 s'
  return `${format.age(Math.abs(offset))} ${offset > 0 ? 'ahead' : 'behind'}`
}

export type Past = PastRead

interface PastText {
  readonly text: string
  readonly tone: 'info' | 'warn'
  readonly problem?: Problem
}

interface ReadBack extends ServerHealth {
  readonly past: Past
}

/**
 * Servers whose reading of the past is shown: one for each distinct failure; otherwise the first that still reads, or
 * the first.
 */
export function pastsToTell(servers: readonly ServerHealth[]): readonly ReadBack[] {
  const all = servers.filter((server): server is ReadBack => server.past !== undefined)
  const failed = all.filter(({ past }) => past.state === 'failed')
  if (failed.length > 0) return [...new Map(failed.map((one) => [one.past.problem?.message, one])).values()]
  const one = all.find(({ past }) => past.state === 'reading') ?? all[0]
  return one === undefined ? [] : [one]
}

/** How far the past has been read, in a sentence. */
export function pastText(past: Past, newest: string | undefined): PastText {
  const { state, wanted, reached, begins, problem } = past
  const [from, to] = [unixMsOf(wanted), unixMsOf(reached)]
  const since = format.dateTime(to)
  switch (state) {
    case 'reading': {
      const end = Math.max(to, unixMsOf(newest ?? reached))
      const share = end > from ? Math.floor(((end - to) / (end - from)) * 100) : 0
      return { text: `Reading back to ${format.dateTime(from)}: ${share} % (since ${since}).`, tone: 'info' }
    }
    case 'done':
      return {
        text:
          begins === undefined
            ? `The history was read back to ${format.dateTime(from)}.${stepText(past)}${warningText(past)}`
            : `Prometheus has no scrape between ${format.dateTime(from)} and ${format.dateTime(unixMsOf(begins))}; the history begins then.${stepText(past)}${warningText(past)}`,
        tone: past.warnings === undefined ? 'info' : 'warn',
      }
    case 'stopped':
      return { text: `You stopped reading back at ${since}.${stepText(past)}`, tone: 'info' }
    case 'failed':
      return {
        text: `The history could not be read further back than ${since}. Reconnect to try again.`,
        tone: 'warn',
        ...(problem && { problem }),
      }
  }
}

/** Prometheus may warn about a missing part. */
const warningText = ({ warnings }: Past): string =>
  warnings === undefined ? '' : ` Some of it may be missing. Prometheus warned: ${warnings.join(' ')}`

/** The scrapes that the history leaves out. */
const stepText = ({ stepMs }: Past): string =>
  stepMs === undefined
    ? ''
    : ` It contains one scrape every ${format.span(stepMs / 1_000)}; changes between them appear in counters only.`

const REASON_WORDS: Readonly<Record<(typeof MISSING_REASONS)[number], string>> = {
  removed: 'removed',
  hidden: 'hidden',
  'not-yet': 'not in this version yet',
  'not-exposed': 'not on the page',
  'too-many': 'more than are shown',
}

export const reasonWord = ({ reason }: MissingFamily): string => REASON_WORDS[reason]

export interface Backoff {
  /** Seconds between attempts, oldest first; the last is the wait until the next attempt. */
  readonly waits: readonly number[]
  readonly nextInSeconds: number | undefined
}

/** The waits between failed attempts, drawn as bars. */
export function backoffOf({ failures, nextTryAt }: ServerHealth, now: number): Backoff {
  const times = failures.map(({ at }) => unixMsOf(at))
  const next = nextTryAt === undefined ? undefined : unixMsOf(nextTryAt)
  const ends = next === undefined ? times.slice(1) : [...times.slice(1), next]
  return {
    waits: ends.map((end, index) => Math.max(0, (end - (times[index] ?? end)) / 1_000)),
    nextInSeconds: next === undefined ? undefined : Math.max(0, Math.ceil((next - now) / 1_000)),
  }
}

interface Count {
  readonly allowed: number
  /** Capabilities that viewing needs and that apply to this kind of source. */
  readonly of: number
}

const WORST: readonly CapabilityResult['status'][] = ['allowed', 'not-applicable', 'forbidden', 'failed']

/** One row per capability: over several servers, the worst finding, with the servers named where they differ. */
export function capabilityRows(reports: readonly PermissionReport[]): readonly CapabilityResult[] {
  const rows = new Map<Capability, CapabilityResult>()
  for (const { server, results } of reports) {
    for (const result of results) {
      const before = rows.get(result.capability)
      if (before === undefined) rows.set(result.capability, result)
      else if (WORST.indexOf(result.status) > WORST.indexOf(before.status)) {
        rows.set(result.capability, { ...result, found: `${result.found} (${server})` })
      }
    }
  }
  return [...rows.values()]
}

/** The call, short enough for a column; the full one is in its title and in the role. */
export const shortNeeds = (needs: string): string =>
  needs
    .replace('/debug/api_priority_and_fairness/', '…/')
    .replace('flowschemas, prioritylevelconfigurations', 'flowcontrol objects')

export function countOf(rows: readonly CapabilityResult[]): Count {
  const applicable = rows.filter(({ capability, status }) => LOOKING.has(capability) && status !== 'not-applicable')
  return { allowed: applicable.filter(({ status }) => status === 'allowed').length, of: applicable.length }
}

/** What each capability adds to the screens. */
const SHOWS: readonly (readonly [what: string, needs: readonly Capability[]])[] = [
  ['Seats, limits, demand, waits, rejections', ['metrics']],
  ['Server version', ['version']],
  ['State of levels between scrapes', ['dump-levels']],
  ['Queues, virtual time', ['dump-queues']],
  ['Flows and single requests', ['dump-requests']],
  ['Shares, schemas and their matching order', ['list-objects']],
]

interface Consequence {
  readonly what: string
  readonly stays: boolean
}

/** What works and what does not with these permissions. */
export function consequences(rows: readonly CapabilityResult[]): readonly Consequence[] {
  const has = (capability: Capability): boolean =>
    rows.some((row) => row.capability === capability && row.status === 'allowed')
  return SHOWS.map(([what, needs]) => ({ what, stays: needs.every(has) }))
}

/** Texts of several reports without repetition: servers of one source usually agree. */
export function distinct(texts: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(texts.filter((text) => text !== undefined))]
}

/** Whether the source can show anything at all. */
export const canConnect = (reports: readonly PermissionReport[]): boolean =>
  reports.some(({ results }) =>
    results.some(({ capability, status }) => capability === 'metrics' && status === 'allowed'),
  )
