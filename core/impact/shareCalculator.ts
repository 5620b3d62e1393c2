import { type ObjectSet, defaultLevel } from '../config/objects.ts'
import { classifyingConfiguration } from '../classify/configuration.ts'
import { type SeatShares, configuredLimits } from '../engine/allocation.ts'
import type { Seats } from '../units.ts'

export type SharesAnswer =
  | {
      readonly possible: true
      readonly sharesBefore: number
      readonly sharesAfter: number
      readonly nominalAfter: Seats
      /** Nominal seats that all other levels gain together; below 0 they lose. */
      readonly othersGain: Seats
    }
  /** `why` is one sentence. */
  | { readonly possible: false; readonly why: string }

/** Most shares that the API admits for a level. */
const MOST_SHARES = 2 ** 31 - 1

/**
 * The smallest shares that give a level at least `nominal` seats of one server (0 or more) while all other levels keep
 * their shares (specification 6.1). A level that does not exist yet is added. Every level counts, regardless of its
 * origin. The seats of exempt are bookkeeping only: nothing limits it.
 */
export function sharesForSeats(objects: ObjectSet, serverLimit: Seats, level: string, nominal: Seats): SharesAnswer {
  if (nominal > serverLimit) {
    return { possible: false, why: `${level} cannot have ${nominal} nominal seats: the server has ${serverLimit}.` }
  }
  const levels = levelsOf(objects)
  const own = levels.find(({ name }) => name === level) ?? newLevel(level)
  const others = levels.filter(({ name }) => name !== level)
  const othersShares = others.reduce((sum, { shares }) => sum + shares, 0)
  // N seats take shares above (N − 1) · T / S, T being all shares and S the server limit.
  const shares = nominal <= 0 ? 0 : Math.floor(((nominal - 1) * othersShares) / (serverLimit - nominal + 1)) + 1
  if (shares > MOST_SHARES) {
    return {
      possible: false,
      why: `It would take ${shares} shares for one level, and a level has at most ${MOST_SHARES}; request fewer seats or reduce the shares of the other levels.`,
    }
  }
  const [, othersBefore] = nominalSeats(serverLimit, own, others)
  const [nominalAfter, othersAfter] = nominalSeats(serverLimit, { ...own, shares }, others)
  return {
    possible: true,
    sharesBefore: own.shares,
    sharesAfter: shares,
    nominalAfter,
    othersGain: othersAfter - othersBefore,
  }
}

const levelsOf = ({ levels }: ObjectSet): readonly SeatShares[] =>
  [...classifyingConfiguration({ levels: levels.map(defaultLevel), schemas: [] }).levels.values()].map(
    ({ plan }) => plan,
  )

const newLevel = (name: string): SeatShares => ({
  name,
  exempt: false,
  shares: 0,
  lendablePercent: undefined,
  borrowingLimitPercent: undefined,
})

/** Of a level, and of all others together. */
function nominalSeats(serverLimit: Seats, level: SeatShares, others: readonly SeatShares[]): readonly [Seats, Seats] {
  const [own, ...rest] = configuredLimits(serverLimit, [level, ...others])
  return [own?.nominal ?? 0, rest.reduce((sum, { nominal }) => sum + nominal, 0)]
}
