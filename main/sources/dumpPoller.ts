import { toProblem, type Problem } from '../../core/errors.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import {
  DUMPS_PATH,
  parsePriorityLevelsDump,
  parseQueuesDump,
  parseRequestsDump,
  type DumpResult,
} from '../../core/metrics/dumps.ts'
import type { Connection, ServerAddress } from '../cluster/connection.ts'
import { type Failed, getText } from '../cluster/http.ts'
import type { HttpLimits } from '../cluster/httpProblems.ts'
import { backoffMs } from '../cluster/reflector.ts'
import type { Environment } from '../ports/environment.ts'
import type { HealthBook } from './scrape/health.ts'

/** A missing permission rarely comes back soon. */
const FORBIDDEN_RETRY_MS = 60_000

const DUMP_LIMITS: HttpLimits = {
  connectMs: 5_000,
  firstByteMs: 8_000,
  idleMs: 5_000,
  totalMs: 10_000,
  maxWireBytes: 32 * 1024 * 1024,
  maxBytes: 32 * 1024 * 1024,
}

export interface DumpPollerOptions {
  readonly server: ServerAddress
  readonly connection: Connection
  readonly environment: Environment
  readonly health: HealthBook
  /** Pause between two readings; `null` is off. */
  readonly everyMs: number | null
  readonly onDump: (dump: DumpFrame) => void
}

/** The readings of the debug dumps of one server. */
export interface DumpPoller {
  /** Reads now, unless off, and from then on until the signal aborts. */
  start(signal: AbortSignal): void
  /** Ends the present pause; nothing while off or under way. */
  tryNow(): void
  setEvery(everyMs: number | null): void
}

/**
 * Reads the three dumps of a server one after the other: each takes the lock of the server's flow-control
 * configuration, so they are never requested together and the pause counts from the end of a reading.
 */
export function createDumpPoller(options: DumpPollerOptions): DumpPoller {
  const { server, environment, health, onDump } = options
  let everyMs = options.everyMs
  let failures = 0
  let running = false
  let cancelPause: (() => void) | undefined
  let lastAt: string | undefined
  let signal: AbortSignal | undefined

  const poll = async (): Promise<void> => {
    cancelPause = undefined
    if (signal === undefined || signal.aborted || everyMs === null || server.base === undefined) return
    running = true
    const reading = await readDumps(server, server.base, options, signal).catch((error: unknown): Reading => ({
      status: 'failing',
      problem: toProblem(error),
    }))
    running = false
    if (signal.aborted) return
    // Switched off meanwhile: the completed reading is still reported, then nothing more.
    const pauseMs = note(reading)
    if (everyMs === null) health.dumps({ status: 'off' })
    else cancelPause = environment.after(pauseMs, () => void poll())
  }

  const note = (reading: Reading): number => {
    const { status, problem, dump } = reading
    if (dump !== undefined) {
      lastAt = dump.at
      onDump(dump)
    }
    health.dumps({
      status,
      ...(dump === undefined ? {} : { costMs: dump.costMs, bytes: dump.bytes }),
      ...(lastAt === undefined ? {} : { lastAt }),
      ...(problem === undefined ? {} : { problem }),
    })
    failures = status === 'failing' ? failures + 1 : 0
    const pauseMs = everyMs ?? 0
    if (status === 'forbidden') return Math.max(FORBIDDEN_RETRY_MS, pauseMs)
    if (status === 'failing')
      return Math.max(
        backoffMs(failures, () => environment.random(), reading.retryAfterMs),
        pauseMs,
      )
    return pauseMs
  }

  const goNow = (): void => {
    if (running) return
    cancelPause?.()
    void poll()
  }

  return {
    start(until) {
      signal = until
      until.addEventListener('abort', () => cancelPause?.(), { once: true })
      if (server.base === undefined) health.dumps({ status: 'off', problem: NO_BASE })
      else if (everyMs === null) health.dumps({ status: 'off' })
      else goNow()
    },
    tryNow: goNow,
    setEvery(next) {
      if (next === everyMs) return
      everyMs = next
      if (server.base === undefined || signal === undefined) return
      if (next === null && !running) {
        cancelPause?.()
        health.dumps({ status: 'off' })
      } else goNow()
    },
  }
}

const NO_BASE: Problem = {
  code: 'unsupported',
  message: 'The dumps cannot be found because the address of the metrics does not end in /metrics.',
}

interface Reading {
  readonly status: 'ok' | 'forbidden' | 'failing'
  readonly problem?: Problem
  readonly retryAfterMs?: number
  /** Present when at least one dump was read. */
  readonly dump?: DumpFrame
}

type Refusal = Pick<Reading, 'problem' | 'retryAfterMs'> & { readonly problem: Problem }

const refusal = ({ problem, retryAfterMs }: Failed): Refusal =>
  retryAfterMs === undefined ? { problem } : { problem, retryAfterMs }

type Rows = Pick<DumpFrame, 'levels' | 'queues' | 'requests'>

interface Dump {
  readonly path: string
  /** The rows under their name in the frame, or the reason why the dump could not be parsed. */
  readonly parse: (text: string) => { readonly rows: Rows } | { readonly fault: string }
}

function rows<Row>(result: DumpResult<Row>, toRows: (rows: Row[]) => Rows): ReturnType<Dump['parse']> {
  if (result.ok) return { rows: toRows(result.rows) }
  return { fault: `Line ${result.problem.line}: ${result.problem.message}` }
}

const DUMPS: readonly Dump[] = [
  { path: 'dump_priority_levels', parse: (text) => rows(parsePriorityLevelsDump(text), (levels) => ({ levels })) },
  { path: 'dump_queues', parse: (text) => rows(parseQueuesDump(text), (queues) => ({ queues })) },
  {
    path: 'dump_requests?includeRequestDetails=1',
    parse: (text) => rows(parseRequestsDump(text), (requests) => ({ requests })),
  },
]

async function readDumps(
  server: ServerAddress,
  base: string,
  { connection, environment }: Pick<DumpPollerOptions, 'connection' | 'environment'>,
  signal: AbortSignal,
): Promise<Reading> {
  const settings = await connection.settings(server)
  // Time of the last dump that was read, the one of the requests: on a server under load the earlier dumps may take
  // seconds.
  let at = environment.now()
  const errors: { path: string; message: string }[] = []
  let read: Rows = {}
  let costMs = 0
  let bytes = 0
  let first: Refusal | undefined

  for (const { path, parse } of DUMPS) {
    const place = `${DUMPS_PATH}/${path}`
    let askedAt = environment.now()
    const onTurn = (): void => void (askedAt = environment.now())
    const answer = await getText({ url: new URL(`${base}${place}`), settings, limits: DUMP_LIMITS, signal, onTurn })
    if (!answer.ok) {
      if (answer.status === 401) connection.renew()
      first ??= refusal(answer)
      errors.push({ path: place, message: answer.problem.message })
      // Without any response, the other dumps would only run into the same limit.
      if (answer.status === undefined) break
      continue
    }
    costMs += answer.ms
    bytes += answer.bytes
    const parsed = parse(answer.value)
    if ('rows' in parsed) {
      read = { ...read, ...parsed.rows }
      at = askedAt
    } else {
      first ??= { problem: { code: 'bad-answer', message: `${place} is not as expected.`, details: parsed.fault } }
      errors.push({ path: place, message: parsed.fault })
    }
  }

  if (first !== undefined && Object.keys(read).length === 0) {
    return { ...first, status: first.problem.code === 'forbidden' ? 'forbidden' : 'failing' }
  }
  const dump = {
    server: server.id,
    at: new Date(at).toISOString(),
    costMs: Math.round(costMs * 100) / 100,
    bytes,
    ...read,
    errors,
  }
  return first === undefined ? { status: 'ok', dump } : { status: 'ok', dump, problem: first.problem }
}
