/**
 * Random requests under random configurations through the engine's interface, with everything that must always hold checked
 * on the way and everything that must be zero when all is over counted at the end.
 */
import type { FlowSchema, PriorityLevelConfiguration } from '../../../core/config/objects.ts'
import { type ApfEngine, type Answer, type EngineConfiguration } from '../../../core/engine/apfEngine.ts'
import { runTo } from '../../../core/engine/step.ts'
import { createApfEngine } from '../../../core/engine/createEngine.ts'
import { AS_UPSTREAM, profileFor } from '../../../core/engine/profiles.ts'
import type { EngineEvent } from '../../../core/engine/events.ts'
import type { Ticket } from '../../../core/engine/ticket.ts'
import { EventHeap } from '../../../core/conformance/queueSet.ts'
import { checkLevels, leftoversOf } from './invariants.ts'
import { Random } from './random.ts'
import { DEFAULT_OBJECTS, OBJECT_STATISTICS, requestsOf } from './requests.ts'

export interface SoakOptions {
  readonly requests: number
  readonly seed: number
  /** Requests between two configurations, and between two checks of all levels. */
  readonly reconfigureEvery: number
  readonly checkEvery: number
  /** Called now and then, for measurements. */
  readonly onProgress?: (arrived: number) => void
}

export interface SoakResult {
  readonly arrived: number
  readonly dispatched: number
  readonly rejected: number
  readonly timedOut: number
  readonly bypassed: number
  readonly configurations: number
  readonly staleRemovalsGuarded: number
  /** Values that must be zero and are not. */
  readonly leftovers: readonly string[]
}

type Payload = undefined

export function soak(options: SoakOptions): SoakResult {
  const random = new Random(options.seed)
  const agenda = new EventHeap<number>()
  const fates = new Map<Ticket<Payload>, 'waiting' | 'executing'>()
  const counts = { arrived: 0, dispatched: 0, rejected: 0, timedOut: 0, bypassed: 0, configurations: 0, stale: 0 }

  const begin = (ticket: Ticket<Payload>): void => {
    counts.dispatched += 1
    fates.set(ticket, 'executing')
    const watch = ticket.payload.info.verb === 'watch'
    const execNs = random.exponential(watch ? 2e6 : 8e6)
    if (!watch) {
      agenda.put(engine.nowNs + execNs, () => {
        fates.delete(ticket)
        engine.finish(ticket)
      })
      return
    }
    if (random.chance(0.9)) agenda.put(engine.nowNs + execNs, () => engine.watchInitialised(ticket))
    agenda.put(engine.nowNs + execNs + random.exponential(5e9), () => {
      fates.delete(ticket)
      engine.endWatch(ticket)
    })
  }
  const engine: ApfEngine<Payload> = createApfEngine<Payload>({
    mode: 'priority-and-fairness',
    maxRequestsInFlight: 60,
    maxMutatingRequestsInFlight: 30,
    profile: profileFor('v1.36.3'),
    // Or the widths that trap T12 leaves behind would not be zero at the end.
    corrections: { ...AS_UPSTREAM, clampDrift: true },
    startUnixMs: 1_700_000_000_000,
    keepAdjustments: 10,
    rememberedFlows: 1000,
    onDispatch(ticket) {
      if (fates.get(ticket) !== 'waiting') throw new Error('a request was dispatched that did not wait')
      begin(ticket)
    },
    onTimeOut(ticket) {
      if (fates.get(ticket) !== 'waiting') throw new Error('the wait of a request ended that did not wait')
      counts.timedOut += 1
      fates.delete(ticket)
    },
  })
  engine.subscribe((event) => {
    if (event.kind === 'dispatched') checkDispatch(event)
    else if (event.kind === 'stale-removal-guarded') counts.stale += 1
  })

  const settle = (answer: Answer<Payload>): void => {
    switch (answer.kind) {
      case 'bypassed':
        counts.bypassed += 1
        return
      case 'executing':
        return begin(answer.ticket)
      case 'rejected':
        counts.rejected += 1
        return
      case 'waiting': {
        const { ticket } = answer
        fates.set(ticket, 'waiting')
        if (random.chance(0.02)) agenda.put(engine.nowNs + random.exponential(50e6), () => void engine.cancel(ticket))
      }
    }
  }
  const advance = (ns: number): void => {
    for (let at = agenda.next; at !== undefined && at <= ns; at = agenda.next) {
      runTo(engine, at)
      agenda.take()?.()
    }
    runTo(engine, ns)
  }

  const requests = requestsOf(500)
  const reconfigure = (): void => {
    counts.configurations += 1
    engine.configure(randomConfiguration(random))
  }
  engine.configure(DEFAULT_OBJECTS)
  let now = 0
  let meanGapNs = 200_000
  while (counts.arrived < options.requests) {
    now += random.exponential(meanGapNs)
    advance(now)
    if (counts.arrived % 1000 === 0) {
      meanGapNs = random.pick([60_000, 120_000, 250_000, 1_000_000])
      for (const [key, count, size] of OBJECT_STATISTICS) engine.objectStatistics.set(key, count, size)
    }
    counts.arrived += 1
    settle(engine.arrive(random.pick(requests)))
    if (counts.arrived % options.reconfigureEvery === 0) reconfigure()
    if (counts.arrived % options.checkEvery === 0) {
      checkLevels(engine)
      options.onProgress?.(counts.arrived)
    }
  }
  for (let at = agenda.next; at !== undefined; at = agenda.next) advance(at)
  // The longest wait there is, and then the longest that seats linger.
  advance(engine.nowNs + 100e9)
  for (let at = agenda.next; at !== undefined; at = agenda.next) advance(at)
  advance(engine.nowNs + 100e9)

  const settled = counts.dispatched + counts.rejected + counts.timedOut + counts.bypassed
  const leftovers = [...leftoversOf(engine)]
  if (fates.size > 0) leftovers.push(`${fates.size} requests neither ran nor were refused`)
  if (settled !== counts.arrived) leftovers.push(`${counts.arrived - settled} requests lost`)
  const { stale, ...rest } = counts
  return { ...rest, staleRemovalsGuarded: stale, leftovers }
}

/**
 * Never above the limit, except for a request that is wider than the limit: it runs when nothing else executes,
 * whatever seats still linger, and may have been made just as wide as the limit since (specification 4.6, 4.7).
 */
function checkDispatch({ ticket }: Extract<EngineEvent<Payload>, { kind: 'dispatched' }>): void {
  const { plan, queueSet } = ticket.lane.level
  if (plan.exempt || queueSet.seatsInUse <= queueSet.limit) return
  if (ticket.maxSeats >= queueSet.limit && queueSet.executingCount === 1) return
  throw new Error(`${plan.name} uses ${queueSet.seatsInUse} of ${queueSet.limit} seats`)
}

/** The default objects, some of them missing, resized, or answering otherwise when they are full. */
function randomConfiguration(random: Random): EngineConfiguration {
  const levels = DEFAULT_OBJECTS.levels.flatMap((level): PriorityLevelConfiguration[] => {
    const { limited } = level.spec
    if (limited === undefined || level.metadata.name === 'catch-all') return [level]
    if (random.chance(0.15)) return []
    const queues = random.pick([1, 2, 8, 64, 128])
    const queuing = {
      queues,
      handSize: Math.min(queues, random.pick([1, 3, 6])),
      queueLengthLimit: random.pick([1, 10, 50]),
    }
    const reject = random.chance(0.15)
    return [
      {
        ...level,
        spec: {
          type: 'Limited',
          limited: {
            nominalConcurrencyShares: random.below(100),
            lendablePercent: random.below(101),
            ...(random.chance(0.5) && { borrowingLimitPercent: random.below(300) }),
            limitResponse: reject ? { type: 'Reject' } : { type: 'Queue', queuing },
          },
        },
      },
    ]
  })
  const schemas = DEFAULT_OBJECTS.schemas.filter((schema: FlowSchema) => {
    const mandatory = schema.metadata.name === 'exempt' || schema.metadata.name === 'catch-all'
    return mandatory || !random.chance(0.1)
  })
  return { levels, schemas }
}
