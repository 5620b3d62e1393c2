import { levelOf } from '../classify/configuration.ts'
import type { RequestDigest } from '../request/match.ts'
import { CATCH_ALL, type FlowSchema } from '../config/objects.ts'
import type { ServerFrame } from '../frame/frame.ts'
import type { Side } from './rail.ts'

/** Where a request goes, and what is wrong with that place for one that must be served. */
export interface Landing {
  readonly schema: FlowSchema
  readonly level: string
  readonly exempt: boolean
  /** Seats. */
  readonly nominal: number
  /** The end of a sentence that begins with the level: `has no seats of its own`. */
  readonly problem: string | undefined
}

export function landingOf({ configuration }: Side, digest: RequestDigest, full: ReadonlyMap<string, string>): Landing {
  const schema = configuration.schemaOf(digest)
  const { plan, limits } = levelOf(configuration, schema)
  const place = { schema, level: plan.name, exempt: plan.exempt, nominal: limits.nominal }
  if (plan.exempt) return { ...place, problem: undefined }
  if (plan.name === CATCH_ALL)
    return { ...place, problem: 'is for what no schema expects, and rejects what does not fit' }
  if (limits.nominal === 0) return { ...place, problem: 'has no seats of its own' }
  if (plan.queuing.queues <= 0) return { ...place, problem: 'rejects what does not fit at once' }
  return { ...place, problem: full.get(plan.name) }
}

/** Levels that are full at this moment on at least one server, each with the end of a sentence that says so. */
export function fullLevels(servers: readonly ServerFrame[] = []): ReadonlyMap<string, string> {
  const full = new Map<string, string>()
  for (const server of servers) {
    for (const { name, limits, seats, requests } of server.levels) {
      const { current } = limits
      const { executing } = seats
      const { queued } = requests
      if (current === undefined || executing === undefined || queued === undefined) continue
      if (executing < current || queued === 0 || full.has(name)) continue
      const where = servers.length > 1 ? ` on ${server.id}` : ''
      full.set(name, `is full${where}: ${executing} of ${current} seats are taken and ${queued} requests wait`)
    }
  }
  return full
}
