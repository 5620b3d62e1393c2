import { type ApfEngine } from '../../../core/engine/apfEngine.ts'
import { runTo } from '../../../core/engine/step.ts'
import { createApfEngine } from '../../../core/engine/createEngine.ts'
import { AS_UPSTREAM, profileFor } from '../../../core/engine/profiles.ts'
import type { EngineRequest, Ticket } from '../../../core/engine/ticket.ts'
import type { PriorityLevelConfiguration } from '../../../core/config/objects.ts'
import { Random } from '../../harness/engine/random.ts'
import { DEFAULT_OBJECTS, OBJECT_STATISTICS, requestLines, userNumber } from '../../harness/engine/requests.ts'
import { collectGarbage } from './garbage.ts'

const GAP_NS = 100_000
/** How long every request executes: as many at once as the default objects just about admit at 600 seats. */
const EXECUTION_NS = 14_000_000
/** Room for more than can execute. */
const RING = 1024

type Engine = ApfEngine<undefined>

function engineWith(onDispatch: (ticket: Ticket<undefined>) => void): Engine {
  const engine = createApfEngine<undefined>({
    mode: 'priority-and-fairness',
    maxRequestsInFlight: 400,
    maxMutatingRequestsInFlight: 200,
    profile: profileFor('v1.36.3'),
    corrections: AS_UPSTREAM,
    startUnixMs: 1_700_000_000_000,
    onDispatch,
    onTimeOut: () => undefined,
  })
  for (const [key, count, size] of OBJECT_STATISTICS) engine.objectStatistics.set(key, count, size)
  return engine
}

/** Receives what is read of the requests that are only made. */
let touched = 0

export interface WholeEngine {
  /** Nanoseconds for making a request as its server reads it off the wire, which `run` does too. */
  readonly make: (requests: number) => number
  /** Nanoseconds for everything that happens to one request. */
  readonly run: (requests: number) => number
  /** The shares of the requests that waited, and that were rejected. */
  readonly waited: () => number
  readonly rejected: () => number
}

/**
 * An engine with the default objects under requests of all kinds from `flows` users. Each request is made when it
 * comes, as a server does that reads it: its user's name is another text each time, though the same word.
 */
export function wholeEngine(flows: number): WholeEngine {
  const lines = requestLines.filter(({ info }) => info.verb !== 'watch')
  const requestOf = (i: number): EngineRequest<undefined> => {
    const line = lines[i % lines.length]
    if (line === undefined) throw new Error('there are no request lines')
    // Users 5, 6 and 7 of each 8 are service accounts, so that flows and users are as good as the same.
    const user = userNumber(8 * Math.floor(i / 3) + 5 + (i % 3))
    return { user, info: line.info, query: line.query, payload: undefined }
  }
  // A ring, so that nothing keeps a reference to an ended request.
  const running: (Ticket<undefined> | undefined)[] = Array.from({ length: RING })
  let oldest = 0
  let newest = 0
  let arrived = 0
  let waited = 0
  let rejected = 0
  const begin = (ticket: Ticket<undefined>): void => {
    running[newest & (RING - 1)] = ticket
    newest += 1
  }
  const engine = engineWith(begin)
  engine.configure(DEFAULT_OBJECTS)
  const random = new Random(flows)
  let now = 0

  const step = (): void => {
    now += GAP_NS
    runTo(engine, now)
    const answer = engine.arrive(requestOf(random.below(flows)))
    arrived += 1
    if (answer.kind === 'executing') begin(answer.ticket)
    else if (answer.kind === 'waiting') waited += 1
    else rejected += 1
    for (let ticket = running[oldest & (RING - 1)]; ticket !== undefined; ticket = running[oldest & (RING - 1)]) {
      if (ticket.startedNs + EXECUTION_NS > now) break
      running[oldest & (RING - 1)] = undefined
      oldest += 1
      engine.finish(ticket)
    }
  }
  return {
    make(count) {
      const started = performance.now()
      for (let i = 0; i < count; i++) {
        const { user, info } = requestOf(random.below(flows))
        touched += user.name.charCodeAt(8) + user.groups.length + info.verb.length
      }
      return ((performance.now() - started) * 1e6) / count
    },
    run(count) {
      const started = performance.now()
      for (let i = 0; i < count; i++) step()
      return ((performance.now() - started) * 1e6) / count
    },
    waited: () => waited / arrived,
    rejected: () => rejected / arrived,
  }
}

/** Bytes that the engine holds for each of `count` requests that wait, beyond the caller's own objects. */
export function bytesPerWaiting(count: number): number {
  const engine = engineWith(() => undefined)
  const levels = DEFAULT_OBJECTS.levels.map((level): PriorityLevelConfiguration => {
    const { limited } = level.spec
    if (limited?.limitResponse.queuing === undefined) return level
    const { queuing } = limited.limitResponse
    const limitResponse = { type: 'Queue', queuing: { ...queuing, queueLengthLimit: count } }
    return { ...level, spec: { ...level.spec, limited: { ...limited, limitResponse } } }
  })
  engine.configure({ levels, schemas: DEFAULT_OBJECTS.schemas })
  const [line] = requestLines
  if (line === undefined) throw new Error('there are no request lines')
  const requests = Array.from({ length: 1000 }, (_, i) => ({
    user: userNumber(8 * i + 5),
    info: line.info,
    query: line.query,
    payload: undefined,
  }))
  const fill = (wanted: number): void => {
    for (let i = 0; i < wanted; i++) {
      const request = requests[i % requests.length]
      if (request !== undefined) engine.arrive(request)
    }
  }
  // All seats, and what is made once for each flow.
  fill(2000)
  const before = collectGarbage()
  fill(count)
  const after = collectGarbage()
  const waiting = engine.snapshot().levels.reduce((sum, { waitingRequests }) => sum + waitingRequests, 0)
  if (waiting < count) throw new Error('not all requests wait')
  return (after - before) / count
}
