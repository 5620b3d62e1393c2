import type { LevelFrame } from '../frame/frame.ts'
import { isExempt } from '../frame/reading.ts'

/**
 * The limit of a server according to its page: Exempt may borrow all of it, so it is upper − nominal of that level
 * (specification 6.1). `undefined` when the page does not contain these.
 */
export function reportedServerLimit(server: {
  readonly levels: readonly Pick<LevelFrame, 'name' | 'limits'>[]
}): number | undefined {
  const { nominal, upper } = server.levels.find(isExempt)?.limits ?? {}
  return nominal === undefined || upper === undefined ? undefined : upper - nominal
}

/**
 * Seats by which the reported nominal limits exceed what the server has, beyond what rounding each up can add: 0 unless
 * the page contains levels that no longer exist, or mixes two configurations (specification 6.1).
 */
export function nominalSurplus(server: { readonly levels: readonly Pick<LevelFrame, 'name' | 'limits'>[] }): number {
  const serverLimit = reportedServerLimit(server)
  if (serverLimit === undefined) return 0
  const sum = server.levels.reduce((total, { limits: { nominal = 0 } }) => total + nominal, 0)
  return sum - serverLimit >= server.levels.length ? sum - serverLimit : 0
}

/** The nominal limits that a server reports, by level. */
export const nominalLimitsOf = (server: {
  readonly levels: readonly Pick<LevelFrame, 'name' | 'limits'>[]
}): ReadonlyMap<string, number> =>
  new Map(server.levels.flatMap(({ name, limits: { nominal } }) => (nominal === undefined ? [] : [[name, nominal]])))
