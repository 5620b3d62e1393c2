import { toProblem } from '../../../core/errors.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import type { ServerFacts } from '../../../core/engine/facts.ts'
import { rfc3339 } from '../../../core/units.ts'
import type { Connection, ServerAddress } from '../../cluster/connection.ts'
import type { HttpLimits } from '../../cluster/httpProblems.ts'
import { backoffMs } from '../../cluster/reflector.ts'
import type { Environment } from '../../ports/environment.ts'
import { createPause } from '../../ports/pause.ts'
import { narrowOffset, offsetMs, type OffsetBounds } from './clockOffset.ts'
import type { HealthBook } from './health.ts'
import { createInstanceTracker } from './instances.ts'
import { createPageReader, type PageRead, type PageUnread } from './readPage.ts'

export interface ScrapeLoopOptions {
  readonly server: ServerAddress
  readonly connection: Connection
  readonly environment: Environment
  readonly limits: HttpLimits
  readonly intervalMs: number
  readonly health: HealthBook
  readonly onPage: (frame: ServerFrame, facts: ServerFacts) => void
}

/** The scrapes of one server, one after the other. */
export interface ScrapeLoop {
  /** Scrapes now and from then on, until the signal aborts. */
  start(signal: AbortSignal): void
  /** Ends the present pause; nothing while a scrape is under way. */
  tryNow(): void
  setInterval(intervalMs: number): void
}

/**
 * One loop per server, so that a server that hangs or fails does not delay the others. A scrape begins only after the
 * previous one has ended. After a failure the pauses grow (`backoffMs`); consumers that keep frames keep the last good
 * one.
 */
export function createScrapeLoop(options: ScrapeLoopOptions): ScrapeLoop {
  const { server, connection, environment, limits, health } = options
  const read = createPageReader({ server, connection, environment, limits })
  const instances = createInstanceTracker()
  let intervalMs = options.intervalMs
  let due = 0
  let failures = 0
  let offset: OffsetBounds | undefined
  const pause = createPause(environment)

  const scrape = async (signal: AbortSignal): Promise<void> => {
    // A page that triggers an error in the console itself must not end the loop.
    const result = await read(signal).catch((error: unknown): PageUnread => ({ ok: false, problem: toProblem(error) }))
    if (signal.aborted) return
    const next = (): void => void scrape(signal)
    if (!result.ok) {
      failures++
      const pauseMs = backoffMs(failures, () => environment.random(), result.retryAfterMs)
      const now = environment.now()
      health.failed(rfc3339(now), result.problem, rfc3339(now + pauseMs))
      pause.begin(pauseMs, next)
      return
    }
    failures = 0
    take(result)
    due = nextDue(due, environment.now(), intervalMs)
    pause.begin(Math.max(0, due - environment.now()), next)
  }

  const take = ({ frame, facts, sentAt, receivedAt, date, ownLevelUid }: PageRead): void => {
    offset = date === undefined ? undefined : narrowOffset(offset, date, sentAt, receivedAt)
    const verdict = instances.judge(frame.startedAt)
    health.note('instances', instances.count() > 1 ? severalServersNote(instances.count(), frame) : undefined)
    if (verdict === 'leave-out') return
    options.onPage(frame, facts)
    if (frame.acquisition !== undefined) {
      health.good(frame.at, frame.acquisition, offset === undefined ? undefined : offsetMs(offset), ownLevelUid)
    }
  }

  const goNow = (): void => {
    if (!pause.present) return
    due = environment.now()
    pause.end()
  }

  return {
    start(signal) {
      signal.addEventListener('abort', pause.forget, { once: true })
      due = environment.now()
      void scrape(signal)
    },
    tryNow: goNow,
    setInterval(ms) {
      intervalMs = ms
      // While the server fails, the backoff determines the next scrape.
      if (failures === 0) goNow()
    },
  }
}

function severalServersNote(count: number, { id }: ServerFrame): string {
  return (
    `${count} API servers were seen behind ${id}. Limits and counters are per server, so one of them is followed and ` +
    'the pages of the others are left out; give the address of each server to see them all.'
  )
}

/**
 * When the next scrape is due, without drift: the due times stay on a grid of `intervalMs` from the first one, and a
 * scrape that takes longer than the interval skips the due times that it missed. When the wall clock was set back by
 * more than an interval, the grid starts anew.
 *
 * All times are Unix milliseconds.
 */
export function nextDue(lastDue: number, now: number, intervalMs: number): number {
  if (lastDue - now > intervalMs) return now + intervalMs
  const missed = Math.max(0, Math.floor((now - lastDue) / intervalMs))
  return lastDue + (missed + 1) * intervalMs
}
