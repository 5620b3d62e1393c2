import type { PriorityLevelConfiguration } from '../config/objects.ts'
import type { Histogram, LevelFrame, ServerFrame } from '../frame/frame.ts'
import { isLevelChange } from './changes.ts'
import { type GuardFinding, type GuardSeverity, levelRef } from './finding.ts'
import type { Rail, RailInput } from './rail.ts'

/**
 * Levels that lose queues while requests run. When two mutating requests of one queue are over and their seats linger
 * for the watches, releasing them removes a wrong queue: requests are lost, or the API server panics (trap T29).
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
  const what = is === 0 ? `${name} is switched from Queue to Reject` : `${name} loses ${was - is} of its ${was} queues`
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
    message: `${what}: on a server with traffic that can lose waiting requests or end the API server with a panic, when writes that many watches hear of are just over.`,
    remedy: {
      sentence: `Make a second level with the new queues, lead the schemas of ${name} to it, and delete ${name} once it is idle.`,
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
    message: `${name} is emptied: it takes no new requests, and its shares count until the last one is served.`,
    evidence: servers.length === 0 ? [] : [`${held} requests in it now`],
  }
}

/** As far as the present traffic tells; without any it is not known. */
function riskOf(
  name: string,
  { servers = [] }: Context,
): { readonly severity: GuardSeverity; readonly evidence: readonly string[] } {
  const levels = levelsNamed(name, servers)
  if (levels.length === 0) return { severity: 'warns', evidence: ['the present traffic is not known'] }
  const heard = levels.flatMap(({ schemas }) => schemas).filter(({ watchCount }) => watchCount && lingers(watchCount))
  if (heard.length > 0) {
    const names = [...new Set(heard.map((schema) => schema.name))].join(', ')
    return {
      severity: 'blocks',
      evidence: [`writes that more than ten watches heard of since the server started: ${names}`],
    }
  }
  const busy = levels.some(({ requests }) => (requests.executing ?? 0) + (requests.queued ?? 0) > 0)
  return {
    severity: busy ? 'warns' : 'expected',
    evidence: [
      busy ? 'it holds requests now' : 'it holds no requests now',
      'no write that more than ten watches heard of since the server started',
    ],
  }
}

const levelsNamed = (name: string, servers: readonly ServerFrame[]): readonly LevelFrame[] =>
  servers.flatMap(({ levels }) => levels.filter((level) => level.name === name))

/** Fewer watches than this cost a write nothing (specification 5.5). */
const LINGERS_FROM = 10

/** Whether more watches than that heard of some write; exactly as many are in one bucket with fewer. */
function lingers({ bounds, counts, count }: Histogram): boolean {
  const bucket = bounds.findIndex((bound) => bound >= LINGERS_FROM)
  return bucket >= 0 && count > (counts[bucket] ?? count)
}
