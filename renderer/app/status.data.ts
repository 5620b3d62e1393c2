import type { Connected, ServerHealth } from '../../core/contract/source.ts'
import type { DerivedServer } from '../../core/frame/derived.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { format } from '../theme/format.ts'

/** Milliseconds from one reallocation of seats to the next (specification 6.4). */
export const REALLOCATION_MS = 10_000

/**
 * Milliseconds until limits are expected to be computed anew, inferred from the last change that was seen; unknown
 * when none was.
 */
export function untilReallocation(derived: DerivedServer | undefined, now: number): number | undefined {
  const last = derived?.lastAdjustmentAt
  if (last === undefined) return undefined
  const since = Math.max(0, now - last) % REALLOCATION_MS
  return REALLOCATION_MS - since
}

export interface StatusFacts {
  readonly good: boolean
  /** `scrape 1 s`. */
  readonly cadence: string
  readonly families?: string
  readonly version?: string
  readonly dumps?: string
}

/** What the left of the status bar says about the connected source. */
export function statusFacts(
  connection: Connected | undefined,
  server: ServerFrame | undefined,
): StatusFacts | undefined {
  if (connection === undefined) return undefined
  const health = connection.servers.find(({ id }) => id === server?.id) ?? connection.servers[0]
  const { kind } = connection.source
  const every = cadenceText(connection.cadence.intervalMs)
  return {
    good: health?.status !== 'failing',
    cadence: kind === 'file' ? 'file' : `${kind} ${every}`,
    ...familiesOf(server),
    ...(server?.version === undefined ? {} : { version: server.version }),
    ...(connection.still ? {} : dumpsOf(connection.cadence.dumpsEveryMs, health)),
  }
}

const cadenceText = (ms: number): string => (ms < 1_000 ? `${ms} ms` : format.span(ms / 1_000))

function familiesOf(server: ServerFrame | undefined): { families?: string } {
  const found = server?.acquisition?.families
  if (server === undefined || found === undefined) return {}
  const missing = server.missing.length
  return { families: missing === 0 ? `${found} families` : `${found} families, ${missing} not shown` }
}

function dumpsOf(everyMs: number | null, health: ServerHealth | undefined): { dumps?: string } {
  const status = health?.dumps?.status
  if (everyMs === null || status === 'off') return { dumps: 'off' }
  if (status === 'forbidden' || status === 'failing') return { dumps: status }
  return status === undefined ? {} : { dumps: `every ${cadenceText(everyMs)}` }
}
