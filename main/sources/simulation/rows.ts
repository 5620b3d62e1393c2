import type { LiveState } from '../../../core/contract/live.ts'
import type { EngineEvent } from '../../../core/engine/events.ts'
import type { Ticket } from '../../../core/engine/ticket.ts'
import { type LiveRow, RequestLog } from '../../../core/live/requestLog.ts'
import type { ServerCall } from '../../../core/simulate/server.ts'
import { arrivedRow, changeBy } from '../../live/eventRows.ts'
import { type Nanoseconds, unixMsAfter } from '../../../core/units.ts'
import type { LiveTraffic } from '../../ports/source.ts'
import { createSimulationCandidate, type SimulationCandidateOptions } from './candidate.ts'

const KEPT = 20_000
const UNTOLD = 2_000
/**
 * Requests that become rows in each tenth of a second of this machine: at high speeds more arrive than people could
 * read.
 */
const AT_ONCE = 200
const REFILL_MS = 100

const LIMITS = [
  'At most 2,000 requests a second become rows, fewer than arrive at high speeds; figures of levels, and of a draft beside, count all of them.',
]
/** Limits of a draft that runs alongside. */
const DRAFT_LIMITS = [
  'The draft gets the same requests: clients retry on the responses of the simulated server, not on those of the draft.',
  'The draft starts with the requests that wait and execute now. It has no record of earlier demand, so its limits differ at first.',
  'The draft runs beside the simulated server, so the highest speeds reach less than half as far.',
]

export interface SimulationRowsOptions extends Omit<SimulationCandidateOptions, 'show'> {
  /** Before this time of the engine requests are history and get no rows. */
  readonly fromNs: Nanoseconds
  /** Milliseconds of a clock of this machine. */
  readonly now: () => number
}

/** The individual requests of a simulated server: the last ones are kept whether or not there is a listener. */
export function createSimulationRows(options: SimulationRowsOptions): LiveTraffic {
  const { simulation, version, fromNs, now } = options
  const { startUnixMs } = options.engine
  const { engine } = simulation
  const log = new RequestLog(KEPT, UNTOLD)
  log.telling = false
  const rows = new WeakMap<Ticket<ServerCall>, LiveRow>()
  let budget = AT_ONCE
  let refilledMs = Number.NEGATIVE_INFINITY
  let arrived = 0

  const begin = (ticket: Ticket<ServerCall>): void => {
    if (engine.nowNs < fromNs) return
    arrived += 1
    const nowMs = now()
    // A clock that is set may go back.
    if (Math.abs(nowMs - refilledMs) >= REFILL_MS) {
      budget = AT_ONCE
      refilledMs = nowMs
    }
    if (budget <= 0) return
    budget -= 1
    const row = log.begin(arrivedRow(ticket, unixMsAfter(startUnixMs, engine.nowNs)))
    rows.set(ticket, row)
  }
  const note = (event: EngineEvent<ServerCall>): void => {
    if (event.kind === 'arrived') return begin(event.ticket)
    if (!('ticket' in event)) return
    const row = rows.get(event.ticket)
    if (row === undefined) return
    Object.assign(row, changeBy(event, engine.nowNs))
    log.touch(row)
  }
  const candidate = createSimulationCandidate({
    ...options,
    show(ticket, made) {
      const row = rows.get(ticket)
      if (row === undefined || made === undefined) return
      row.candidate = made
      log.touch(row)
    },
  })
  const hear = (event: EngineEvent<ServerCall>): void => {
    // The row first: the draft writes into it.
    note(event)
    candidate.hear(event)
  }
  engine.subscribe(hear)
  const state = (): LiveState => {
    const { report } = candidate
    return {
      title: 'Simulated cluster',
      mode: 'simulation',
      limits: report === undefined ? LIMITS : [...LIMITS, ...DRAFT_LIMITS],
      arrived,
      ...(arrived > log.count && { withoutRow: arrived - log.count }),
      unreadable: 0,
      agreement: { compared: 0, schemaAndLevel: 0, widthCompared: 0, width: 0, differences: [] },
      ...(report !== undefined && { candidate: report }),
    }
  }
  return {
    log,
    version,
    engine,
    settle: () => candidate.settle(),
    state,
    candidate: (wish) => candidate.wish(wish),
  }
}
