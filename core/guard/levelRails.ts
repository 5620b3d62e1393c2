import { plain } from '../text/format.ts'
import { type PriorityLevelConfiguration, type Queuing, EXEMPT } from '../config/objects.ts'
import type { Histogram, LevelFrame, ServerFrame } from '../frame/frame.ts'
import { coveredOdds, bestHand } from '../sharding/collision.ts'
import { isLegalShape } from '../config/shape.ts'
import type { LevelSeats } from '../impact/effectiveLevels.ts'
import type { ImpactRow } from '../impact/seatImpact.ts'
import { type GuardFinding, type GuardSeverity, levelRef } from './finding.ts'
import { isLevelChange, type Rail, type RailInput } from './changes.ts'

/**
 * Levels that lose queues while requests run. When two mutating requests of one queue have ended and their final seats
 * are still held, releasing them removes a wrong queue: requests are lost, or the API server panics (trap T29).
 */
export const queuesRail: Rail = ({ changes, context }) =>
  changes.filter(isLevelChange).flatMap(({ name, from, to }): readonly GuardFinding[] => {
    if (from === null) return []
    if (to === null) return [removal(name, context)]
    const [was, is] = [queuesOf(from), queuesOf(to)]
    return is >= was ? [] : [shrinking(name, was, is, context)]
  })

const queuesOf = ({ spec }: PriorityLevelConfiguration): number => spec.limited?.limitResponse.queuing?.queues ?? 0

type Context = RailInput['context']

function shrinking(name: string, was: number, is: number, context: Context): GuardFinding {
  const what = is === 0 ? `${name} changes from Queue to Reject` : `${name} loses ${was - is} of its ${was} queues`
  const base = { code: 'queues/shrinking', objects: [levelRef(name)] } as const
  if (context.origin === 'simulation' || context.origin === 'proxy') {
    return {
      ...base,
      severity: 'passes',
      message: `${what}; the console’s own engine removes only idle queues.`,
      evidence: [],
    }
  }
  const { severity, evidence } = riskOf(name, context)
  return {
    ...base,
    severity,
    message: `${what}: on a server with traffic, this can lose queued requests or crash the API server when writes that many watchers receive have just finished.`,
    remedy: {
      sentence: `Create a second level with the new queues, point the schemas of ${name} to it, and delete ${name} once it is idle.`,
    },
    evidence,
  }
}

function removal(name: string, { servers = [] }: Context): GuardFinding {
  const held = levelsNamed(name, servers).reduce(
    (sum, { requests }) => sum + (requests.executing ?? 0) + (requests.queued ?? 0),
    0,
  )
  return {
    code: 'queues/removal',
    severity: 'expected',
    objects: [levelRef(name)],
    message: `${name} drains: it accepts no new requests, and its shares count until its last request finishes.`,
    evidence: servers.length === 0 ? [] : [`${held} requests in it now`],
  }
}

/** According to the present traffic; without any it is unknown. */
function riskOf(
  name: string,
  { servers = [] }: Context,
): { readonly severity: GuardSeverity; readonly evidence: readonly string[] } {
  const levels = levelsNamed(name, servers)
  if (levels.length === 0) return { severity: 'warns', evidence: ['current traffic is unknown'] }
  const heard = levels.flatMap(({ schemas }) => schemas).filter(({ watchCount }) => watchCount && lingers(watchCount))
  if (heard.length > 0) {
    const names = [...new Set(heard.map((schema) => schema.name))].join(', ')
    return {
      severity: 'blocks',
      evidence: [`writes that more than ten watchers received since the server started: ${names}`],
    }
  }
  const busy = levels.some(({ requests }) => (requests.executing ?? 0) + (requests.queued ?? 0) > 0)
  const served = levels.some(({ dispatched }) => dispatched !== 0)
  return {
    // A page is a moment: a level that serves requests holds some of them after the edit, and a server has crashed then.
    severity: busy ? 'blocks' : served ? 'warns' : 'expected',
    evidence: [
      busy ? 'it holds requests now' : served ? 'it holds no requests in this page' : 'it has served no request',
      'no write that more than ten watchers received since the server started',
    ],
  }
}

const levelsNamed = (name: string, servers: readonly ServerFrame[]): readonly LevelFrame[] =>
  servers.flatMap(({ levels }) => levels.filter((level) => level.name === name))

/** With fewer watches than this, a write costs nothing extra (specification 5.5). */
const LINGERS_FROM = 10

/** Whether some write had more watchers than that; writes with exactly that many are in one bucket with fewer. */
function lingers({ bounds, counts, count }: Histogram): boolean {
  const bucket = bounds.findIndex((bound) => bound >= LINGERS_FROM)
  return bucket >= 0 && count > (counts[bucket] ?? count)
}

/** The chance from which a small flow is stuck behind others too often: 1 in 1000 by one elephant, 1 in 5 by four. */
const TOO_OFTEN = [
  { elephants: 1, odds: 0.001 },
  { elephants: 4, odds: 0.2 },
] as const

/** How well the hands of changed levels isolate flows (specification 3). An invalid shape is reported elsewhere. */
export const shardingRail: Rail = ({ changes }) =>
  changes.filter(isLevelChange).flatMap(({ name, from, to }): readonly GuardFinding[] => {
    const [was, is] = [from, to].map((level) => level?.spec.limited?.limitResponse.queuing)
    if (is === undefined || !isLegalShape(is) || (was?.queues === is.queues && was.handSize === is.handSize)) return []
    return [...collisions(name, is), ...dealtAgain(name, was, is)]
  })

function collisions(name: string, { queues, handSize }: Queuing): readonly GuardFinding[] {
  if (queues === 1) {
    return [
      {
        code: 'sharding/one-queue',
        severity: 'expected',
        objects: [levelRef(name)],
        message: `${name} has one queue, so its flows are not isolated: the flow that sends most gets most of the seats.`,
        evidence: [],
      },
    ]
  }
  const odds = TOO_OFTEN.map((limit) => ({ ...limit, found: coveredOdds({ queues, handSize }, limit.elephants) }))
  const [worst] = odds.filter(({ found, odds: limit }) => found >= limit)
  if (worst === undefined) return []
  const best = bestHand(queues, worst.elephants)
  const better = best !== undefined && best.covered < worst.odds && best.handSize !== handSize ? best : undefined
  return [
    {
      code: 'sharding/collisions',
      severity: 'warns',
      // By one busy flow, and of equal ones by all of them.
      risk: odds.reduce((sum, { found }) => sum + found, 0),
      objects: [levelRef(name)],
      message: `In ${name} ${plain.counted(worst.elephants, 'busy flow occupies', 'busy flows occupy')} all queues of another flow with a probability of ${plain.probability(worst.found)}.`,
      remedy:
        better === undefined
          ? { sentence: `Give ${name} more queues.` }
          : {
              sentence: `Set the hand size to ${better.handSize} of ${queues} queues: ${plain.probability(better.covered)}.`,
              fix: {
                action: 'set',
                object: levelRef(name),
                path: ['spec', 'limited', 'limitResponse', 'queuing', 'handSize'],
                value: better.handSize,
              },
            },
      evidence: odds.map(
        ({ elephants, found }) => `${plain.counted(elephants, 'busy flow')}: ${plain.probability(found)}`,
      ),
    },
  ]
}

/** Trap T30: waiting requests stay where they are, new ones go elsewhere. */
function dealtAgain(name: string, was: Queuing | undefined, is: Queuing): readonly GuardFinding[] {
  if (was === undefined) return []
  return [
    {
      code: 'sharding/dealt-again',
      severity: 'expected',
      objects: [levelRef(name)],
      message: `Every flow of ${name} gets other queues; requests that already wait stay in theirs.`,
      evidence: [`${was.handSize} of ${was.queues} → ${is.handSize} of ${is.queues}`],
    },
  ]
}

/** Levels for which the edit leaves almost no seats. */
export const seatsRail: Rail = (input) =>
  input.impact.rows.flatMap((row): readonly GuardFinding[] => {
    const { name, before, after } = row
    if (after === null || name === EXEMPT) return []
    return [...starved(row, after), ...oneSeatRequests(name, before, after), ...belowDemand(name, before, after, input)]
  })

const sharesPath = ['spec', 'limited', 'nominalConcurrencyShares'] as const

/** No nominal seat, or one. */
function starved({ name, before }: ImpactRow, after: LevelSeats): readonly GuardFinding[] {
  if (after.nominal > 1 || before?.nominal === after.nominal) return []
  const evidence =
    before === null ? ['a new level'] : [`before the edit: ${plain.counted(before.nominal, 'nominal seat')}`]
  if (after.nominal === 1) {
    return [
      {
        code: 'seats/one',
        severity: 'warns',
        risk: 1,
        objects: [levelRef(name)],
        message: `${name} is left with one nominal seat: it runs one request at a time unless it borrows.`,
        remedy: { sentence: `Give ${name} more shares.` },
        evidence,
      },
    ]
  }
  return [
    {
      code: 'seats/none',
      severity: 'warns',
      risk: 2,
      objects: [levelRef(name)],
      message: `${name} has no nominal seats: ${withoutSeats(after)}.`,
      remedy: {
        sentence: `Give ${name} at least one share, unless its requests are meant to ${after.type === 'Reject' ? 'be rejected' : 'wait'}.`,
        fix: { action: 'set', object: levelRef(name), path: [...sharesPath], value: 1 },
      },
      evidence,
    },
  ]
}

/** The effect of a limit of 0 (specification 4.6, 4.11, trap T17). */
function withoutSeats({ type, upper }: LevelSeats): string {
  if (upper > 0) return 'its requests run only on borrowed seats'
  return type === 'Reject'
    ? 'it runs one request at a time and rejects all others'
    : 'it cannot borrow either, so its requests wait until they time out'
}

/** Specification 5.2. With one nominal seat or none it is self-evident. */
function oneSeatRequests(name: string, before: LevelSeats | null, after: LevelSeats): readonly GuardFinding[] {
  const { queues, nominal } = after
  if (nominal < 2 || after.maxSeatsPerRequest !== 1 || before?.maxSeatsPerRequest === 1) return []
  const byHand = queues !== undefined && nominal < 2 * queues.handSize
  return [
    {
      code: 'seats/one-per-request',
      severity: 'warns',
      objects: [levelRef(name)],
      message: `A request in ${name} counts as one seat at most: a list worth ten seats counts as one, so the level runs more work than its seats suggest.`,
      remedy: {
        sentence:
          byHand && nominal > 6
            ? `Reduce the hand size: at ${Math.trunc(nominal / 2)} or less, a request may count as two seats.`
            : `Give ${name} more shares: a request may count as 15 % of the nominal seats, and as the nominal seats divided by the hand size, whichever is less.`,
      },
      evidence: [
        before === null || before.maxSeatsPerRequest === 0
          ? 'no cap before the edit'
          : `before the edit: ${before.maxSeatsPerRequest} seats`,
        `nominal seats ${nominal}${queues === undefined ? '' : `, hand size ${queues.handSize}`}`,
      ],
    },
  ]
}

/** The maximum that the level may get compared with its recent demand. */
function belowDemand(
  name: string,
  before: LevelSeats | null,
  { upper }: LevelSeats,
  { context }: RailInput,
): readonly GuardFinding[] {
  if (before === null || upper >= before.upper) return []
  return (context.servers ?? []).flatMap(({ id, levels }): readonly GuardFinding[] => {
    const demand = levels.find((level) => level.name === name)?.demand.highWatermark
    if (demand === undefined || demand <= upper || demand > before.upper) return []
    return [
      {
        code: 'seats/below-demand',
        severity: 'warns',
        objects: [levelRef(name)],
        message: `${name} may have at most ${plain.counted(upper, 'seat')} after the edit, and its demand was ${demand} on ${id} in the last period.`,
        remedy: { sentence: `Give ${name} more shares or a higher borrowing limit.` },
        evidence: [`upper limit before the edit: ${before.upper}`],
      },
    ]
  })
}
