import { EXEMPT } from '../config/objects.ts'
import { median } from '../frame/quantile.ts'
import { plain } from '../text/format.ts'
import { executionPairs, longFlow, mostlyOf, widestFlow, withExempt } from './clues.ts'
import { secondsOf, type LevelFacts, type ServerFacts } from './facts.ts'
import { clientName, type ClientUse, type Ledger } from '../verdict/ledger.ts'
import { byUser } from './suspects.ts'

/** What a cause does to one level. */
export interface Lever {
  /** Seats that its requests need. */
  readonly needs?: number
  /** Seats that it takes from the level. */
  readonly takes?: number
  /** How many times longer it lets the usual requests execute. */
  readonly factor?: number
}

/** A level as it would be without any cause: what its usual requests need, and the seats that it would have. */
export interface Well {
  readonly needs: number
  readonly seats: number
}

/** Seats that are needed and missing while these causes act. */
function missing({ needs, seats }: Well, acting: readonly Lever[]): number {
  const factor = acting.reduce((product, lever) => product * (lever.factor ?? 1), 1)
  const more = acting.reduce((sum, lever) => sum + (lever.needs ?? 0), 0)
  const taken = acting.reduce((sum, lever) => sum + (lever.takes ?? 0), 0)
  return Math.max(0, needs * factor + more - Math.max(0, seats - taken))
}

/** The part of the missing seats that each cause explains. */
export const explainedBy = (well: Well, levers: readonly Lever[]): readonly number[] =>
  harmParts(levers, (acting) => missing(well, acting))

/**
 * The part of a harm that each cause explains, 0 to 1: how much less there would be without it, averaged over all orders
 * in which the causes could have come (Shapley values), since of two that each suffice none is needed.
 */
export function harmParts<T>(causes: readonly T[], harmOf: (acting: readonly T[]) => number): readonly number[] {
  const sets = Array.from({ length: 2 ** causes.length }, (_, set) =>
    harmOf(causes.filter((_cause, i) => (set & (1 << i)) !== 0)),
  )
  const all = sets.at(-1) ?? 0
  if (all === 0) return causes.map(() => 0)
  const orders = weightsOf(causes.length)
  return causes.map((_, i) =>
    sets.reduce((sum, without, set) => {
      if ((set & (1 << i)) !== 0) return sum
      const gain = (sets[set | (1 << i)] ?? 0) - without
      return sum + (gain * (orders[bitsOf(set)] ?? 0)) / all
    }, 0),
  )
}

const bitsOf = (set: number): number => (set === 0 ? 0 : (set & 1) + bitsOf(set >> 1))

/** The part of all orders of `count` causes in which those of a set of each size come first, and then a certain one. */
function weightsOf(count: number): readonly number[] {
  const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1))
  return Array.from({ length: count }, (_, size) => (factorial(size) * factorial(count - size - 1)) / factorial(count))
}

/** A level without what is to be explained. */
export function wellOf({ now, before, last, suspects }: LevelFacts, taken: number): Well {
  const seats = now.quantities.current ?? last.limits.current ?? 0
  const used = before?.quantities.seats ?? Math.min(seats, suspects[0]?.others ?? now.quantities.seats ?? 0)
  return { needs: used, seats: seats + taken }
}

/** Fewer new clients are no crowd; less than this part of the seats is not what fills a level. */
const FEWEST_IN_CROWD = 5
const LEAST_OF_CROWD = 0.15

/** Seats that the requests of many new clients need together, none of which stands out. */
export function crowdIn(
  level: LevelFacts,
  server: ServerFacts,
): { readonly needs: number; readonly text: string } | undefined {
  const { name, now, before, dispatched, suspects } = level
  if (before === undefined || server.earlier.dumps === 0 || dispatched === 0) return undefined
  const known = new Set(byUser(server.earlier, name).map((one) => one.name))
  const standing = new Set(suspects.map((one) => one.name))
  const fresh = byUser(server.ledger, name).filter((one) => !known.has(one.name) && !standing.has(one.name))
  const [seats, limit] = [now.quantities.seats ?? 0, now.quantities.current ?? 0]
  const held = suspects.reduce((sum, one) => sum + one.seats, 0)
  // Seat-seconds of a request of the others, times how many arrive.
  const offered = now.quantities.arrivalsPerSecond * ((Math.max(0, seats - held) * secondsOf(server)) / dispatched)
  const pressure = fresh.reduce((sum, one) => sum + one.pressure, 0)
  const needs = Math.min(pressure, offered - (before.quantities.seats ?? 0))
  if (fresh.length < FEWEST_IN_CROWD || needs < LEAST_OF_CROWD * limit) return undefined
  return {
    needs,
    text: `${plain.counted(fresh.length, 'client')} of ${name} came since, and need ${plain.counted(Math.round(needs), 'seat')}; it has ${plain.amount(limit)}.`,
  }
}

/** How many times longer than before requests execute: of the flow schemas that can be compared, the middle one. */
export function slowFactor(server: ServerFacts): number {
  const ratios = executionPairs(withExempt(server)).flatMap(({ is, was }) => (was === 0 ? [] : [is / was]))
  return Math.max(1, median(ratios) ?? 1)
}

/** The client that uses so much more of a server than before that requests of all others take longer. */
export interface Grown {
  readonly name: string
  /** Seats that its requests have at once, now and before, and those of one of them. */
  readonly seats: number
  readonly before: number
  readonly width: number
  readonly widthBefore: number
  /** What most of them ask for. */
  readonly call: ClientUse['calls'][number] | undefined
}

/** Whoever holds this part of the seats that are limited, and so many times more than before. */
const MUCH_OF_SERVER = 0.3
const FAR_MORE = 3
const FEWEST_OBSERVED = 5

/** Requests that only take longer hold as many times more seats as all others. */
export function grownIn(server: ServerFacts): Grown | undefined {
  const { ledger, earlier } = server
  if (ledger.dumps === 0 || earlier.dumps === 0) return undefined
  const [now, before] = [usedBy(ledger), usedBy(earlier)]
  const all = [...now.values()].reduce((sum, { seats }) => sum + seats, 0)
  const [[name, use] = []] = [...now].toSorted(([, a], [, b]) => b.seats - a.seats)
  if (name === undefined || use === undefined || use.seats < MUCH_OF_SERVER * all || use.seen < FEWEST_OBSERVED) return
  const was = before.get(name)
  // One observation is the least that dumps show.
  const least = Math.max(was?.seats ?? 0, 1 / earlier.dumps)
  if (use.seats < FAR_MORE * slowFactor(server) * least) return
  const holds = (level: LevelFacts): boolean => {
    const widest = widestFlow(level)
    return widest !== undefined && mostlyOf(widest) === name && longFlow(level, server).holds === true
  }
  // Who holds seats for long without asking for much keeps seats busy, not the machine.
  if (use.call?.digest.info.verb !== 'list' && server.levels.some(holds)) return undefined
  const widthOf = (of: typeof was): number => (of === undefined || of.requests === 0 ? 1 : of.seats / of.requests)
  return {
    name,
    seats: use.seats,
    before: was?.seats ?? 0,
    width: widthOf(use),
    widthBefore: widthOf(was),
    call: use.call,
  }
}

/** What each client has of all limited levels, in an average dump. */
function usedBy({ clients }: Ledger) {
  const found = new Map<string, { seats: number; requests: number; seen: number; call: Grown['call'] }>()
  for (const client of clients) {
    if (client.level === EXEMPT) continue
    const name = clientName(client)
    const one = found.get(name)
    found.set(name, {
      seats: client.seats + (one?.seats ?? 0),
      requests: client.executing + (one?.requests ?? 0),
      seen: client.seenExecuting + (one?.seen ?? 0),
      call: one?.call ?? client.calls[0],
    })
  }
  return found
}
