import type { LiveState } from '../../../core/contract/live.ts'
import { ProblemError } from '../../../core/contract/errors.ts'
import type { ApfEngine } from '../../../core/engine/apfEngine.ts'
import type { EngineEvent } from '../../../core/engine/events.ts'
import type { Ticket } from '../../../core/engine/ticket.ts'
import { type LiveRow, RequestLog } from '../../../core/live/requestLog.ts'
import { placed, rowOf } from '../../live/rows.ts'
import type { LiveTraffic } from '../../live/traffic.ts'

const NS_PER_MS = 1e6
const KEPT = 20_000
const UNTOLD = 2_000
/** Requests that become rows between two looks at them: at high speeds more arrive than anybody could show. */
const AT_ONCE = 200

const LIMITS = [
  'Rows are made only while the Live screen is open, of at most 2,000 requests a second; numbers of levels count all of them.',
]

export interface SimulationRowsOptions<T> {
  readonly engine: ApfEngine<T>
  readonly version: string
  readonly startUnixMs: number
}

/** The single requests of a simulated server, heard from its engine while somebody looks at them. */
export function createSimulationRows<T>({ engine, version, startUnixMs }: SimulationRowsOptions<T>): LiveTraffic {
  const log = new RequestLog(KEPT, UNTOLD)
  log.telling = false
  const rows = new WeakMap<Ticket<T>, LiveRow>()
  let budget = AT_ONCE
  let arrived = 0
  let leave = (): void => undefined

  const begin = (ticket: Ticket<T>): void => {
    arrived += 1
    if (budget <= 0) return
    budget -= 1
    const { user, info, query } = ticket.payload
    const asked = new URLSearchParams([...query]).toString()
    const target = asked === '' ? info.path : `${info.path}?${asked}`
    // The ticket itself knows its arrival only once it is in its queue or runs.
    const at = startUnixMs + engine.nowNs / NS_PER_MS
    const row = log.begin(rowOf({ user, method: '', target }, at, info))
    Object.assign(row, { ...placed(ticket), state: 'waiting' })
    rows.set(ticket, row)
  }
  const hear = (event: EngineEvent<T>): void => {
    if (event.kind === 'arrived') return begin(event.ticket)
    if (!('ticket' in event)) return
    const row = rows.get(event.ticket)
    if (row === undefined) return
    Object.assign(row, changeBy(event, engine.nowNs))
    log.touch(row)
  }
  const state = (): LiveState => ({
    title: 'Simulated cluster',
    mode: 'simulation',
    limits: LIMITS,
    arrived,
    unreadable: 0,
    agreement: { compared: 0, schemaAndLevel: 0, widthCompared: 0, width: 0, differences: [] },
  })
  return {
    log,
    version,
    engine,
    settle: () => void (budget = AT_ONCE),
    state,
    shadow() {
      throw new ProblemError(
        'unsupported',
        'A draft runs beside live traffic only; a simulation takes it over at once, in the editor.',
      )
    },
    watched(on) {
      leave()
      leave = on ? engine.subscribe(hear) : () => undefined
    },
  }
}

/** What an event says of its request. */
function changeBy<T>(event: Extract<EngineEvent<T>, { readonly ticket: Ticket<T> }>, nowNs: number): Partial<LiveRow> {
  const { ticket } = event
  const waitMs = (nowNs - ticket.arrivedNs) / NS_PER_MS
  switch (event.kind) {
    case 'enqueued':
      return placed(ticket)
    case 'dispatched':
      return { state: 'executing', waitMs }
    case 'rejected':
      return { state: 'rejected', waitMs, reason: event.reason, retryAfter: event.retryAfter, status: 429 }
    case 'finished':
      return {
        state: 'served',
        status: 200,
        runMs: (nowNs - ticket.startedNs) / NS_PER_MS,
        lingerMs: ticket.additionalLatency / NS_PER_MS,
      }
    default:
      return {}
  }
}
