import { unixMsOf, type UnixMs } from '../units.ts'
import type { DumpFrame } from '../frame/dump.ts'
import { maxMinShares } from '../frame/flow.ts'
import { median } from '../frame/quantile.ts'
import { PAUSE_MS } from './onset.ts'
import { isSlower, sameClients } from './slower.ts'
import {
  clientName,
  countIn,
  pressureOf,
  shareRange,
  watchPart,
  type ClientUse,
  type Ledger,
} from '../verdict/ledger.ts'

/** A client whose requests take or want far more seats of a level than those of the others. */
export interface Suspect {
  readonly client: ClientUse
  readonly name: string
  /** Seats that it takes and waits for at once, now and before; `undefined` without data from before. */
  readonly pressure: number
  readonly before: number | undefined
  /** Its part of what all clients want beyond an equal share, and the range that so many observed requests allow. */
  readonly share: { readonly part: number; readonly low: number; readonly high: number }
  /** Seats that the others take and wait for, and what the level has: without the suspect they fit or do not. */
  readonly others: number
  readonly limit: number
  /** The first dump with much of it, and the one before that. */
  readonly since: UnixMs | undefined
  readonly notBefore: UnixMs | undefined
  /** What its requests do: most of them wait for seats, or they hold them by their length, their width or as watches. */
  readonly cause: 'one-flow' | 'slow-reader' | 'wide-requests' | 'watch-storm'
  /** Seats that its executing requests have, how long these had executed, and how wide its requests are; means. */
  readonly seats: number
  readonly seconds: number
  readonly seatsPerRequest: number
}

/** A client with less of the excess, or fewer observed requests, or hardly more than the others, is no suspect. */
const LEAST_SHARE = 0.15
const FEWEST_SEEN = 5
const OUT_OF_PROPORTION = 3
/** The same for one that was not there when the dumps began: those who wait for it want more than before, too. */
const MORE_THAN_OLD = 1.5
const NEW_AFTER_MS = 15_000
const FEWEST_AT_ONCE = 5
/** Fewer clients that were there before do not show how much more everybody wants in a jam. */
const FEWEST_OLD = 3
const MOST_SUSPECTS = 3
/** Whoever holds this part of the seats with requests that take so much longer than others, or are watches, or so wide. */
const HOLDS = 0.3
const LONG_SECONDS = 4
const LONGER = 3
const MUCH_WATCHES = 0.25
export const WIDE = 2.5

interface Situation {
  readonly level: string
  /** Seats. */
  readonly limit: number
  /** How many times longer than before its requests execute. */
  readonly factor: number
  /** Far fewer requests come than before. */
  readonly areFewer: boolean
  readonly now: Ledger
  readonly before: Ledger
  /** Oldest first. */
  readonly dumps: readonly DumpFrame[]
}

/** Clients that want more of a level than an equal share and cause most of what is wanted beyond its seats. */
export function suspectsOf({ level, limit, factor, areFewer, now, before, dumps }: Situation): readonly Suspect[] {
  const all = byUser(now, level)
  const moved = movedTo(level, now, before)
  const former = byUser(before, level)
  const earlier = new Map([...moved, ...former.map(({ name, pressure }) => [name, pressure] as const)])
  // In a jam the requests of everybody pile up: whoever was there before wants as many times more than before as usual.
  const grown = all.flatMap(({ name, pressure }) => {
    const was = earlier.get(name) ?? 0
    return was === 0 ? [] : [pressure / was]
  })
  const jam = grown.length < FEWEST_OLD ? 1 : Math.max(1, (median(grown) ?? 1) / factor)
  const users = all
    .map((user) => (earlier.has(user.name) ? { ...user, pressure: user.pressure / jam } : user))
    .toSorted((a, b) => b.pressure - a.pressure)
  const shares = maxMinShares(
    users.map(({ pressure }) => pressure),
    limit,
  )
  const wanting = users.map((user, i) => ({ ...user, beyond: user.pressure - (shares[i] ?? 0) }))
  const excess = wanting.reduce((sum, { beyond }) => sum + beyond, 0)
  if (excess === 0) return []
  const wanted = users.reduce((sum, { pressure }) => sum + pressure, 0)
  // Few have a large part, so that few are compared with all others.
  const large = wanting.filter(
    ({ beyond, seats, seen }) =>
      seen >= FEWEST_SEEN && (beyond >= LEAST_SHARE * excess || (limit > 0 && seats >= HOLDS * limit)),
  )
  const fresh = new Set(
    large
      .filter(({ name }) => !moved.has(name) && isNew({ dumps, level, name, known: earlier }))
      .map(({ name }) => name),
  )
  const old = users.filter(({ name }) => !fresh.has(name))
  const others = (among: typeof users, of: string): readonly number[] =>
    among.flatMap(({ name, pressure }) => (name === of ? [] : [pressure]))
  const usual = (of: string): number => median(others(old.length > 1 ? old : users, of)) ?? 0
  // Of a crowd that came at once, each is compared with the others.
  const most = (of: string): number =>
    Math.max(0, ...others(old.length > 0 || users.length <= MOST_SUSPECTS ? old : users, of))
  return (
    large
      // A small client that no earlier dump happens to show has many requests in a jam, too, and few of the seats.
      .filter(({ name, seats }) => jam === 1 || earlier.has(name) || fresh.has(name) || seats >= HOLDS * limit)
      .filter(
        ({ name, pressure, seats }) =>
          pressure >= OUT_OF_PROPORTION * usual(name) ||
          (fresh.has(name) &&
            (pressure >= MORE_THAN_OLD * most(name) ||
              (seats >= HOLDS * limit && pressure >= MORE_THAN_OLD * usual(name)))),
      )
      // Requests pile up where those of all others take longer, or where they were sent: that is no more than before.
      .filter(({ name, pressure }) => {
        const was = earlier.get(name) ?? 0
        const same = sameClients(all, former, new Set([name]))
        const longer = same !== undefined && isSlower(same) ? same.is / same.was : 1
        return pressure >= (longer > 1 || moved.has(name) ? OUT_OF_PROPORTION : MORE_THAN_OLD) * was * longer
      })
      .map(({ name, client, pressure, beyond, seen, uses }): Suspect => {
        const part = beyond / excess
        // Requests that wait for long are in several dumps.
        const independent = Math.max(1, Math.round(seen / Math.max(1, now.dumps / 2)))
        const { low, high } = shareRange(part * independent, independent)
        return {
          client,
          name,
          pressure,
          before: before.dumps + before.requests === 0 ? undefined : (earlier.get(name) ?? 0),
          share: { part, low, high },
          others: wanted - pressure,
          limit,
          ...sinceOf(dumps, level, name, client),
          ...natureOf(
            uses,
            users.filter((other) => other.name !== name),
          ),
        }
      })
      // Whoever was there and takes no more than its requests became longer floods nothing while fewer come.
      .filter(
        ({ cause, pressure, before: was = 0 }) =>
          cause !== 'one-flow' || !areFewer || was === 0 || pressure > was * factor,
      )
      .slice(0, MOST_SUSPECTS)
  )
}

function natureOf(
  uses: readonly ClientUse[],
  others: readonly UserUse[],
): Pick<Suspect, 'cause' | 'seats' | 'seconds' | 'seatsPerRequest'> {
  const sum = (of: (use: ClientUse) => number, all = uses): number => all.reduce((total, use) => total + of(use), 0)
  const secondsOf = (all: readonly ClientUse[]): number =>
    sum((use) => (use.seconds ?? 0) * use.seenExecuting, all) /
    Math.max(
      1,
      sum((use) => use.seenExecuting, all),
    )
  const [seats, seconds] = [sum((use) => use.seats), secondsOf(uses)]
  const seatsPerRequest =
    sum(pressureOf) /
    Math.max(
      1e-6,
      sum((use) => use.waiting + use.executing),
    )
  const isLong = seconds >= LONG_SECONDS && seconds >= LONGER * secondsOf(others.flatMap((other) => other.uses))
  const watches = sum((use) => use.seats * watchPart(use))
  const cause =
    seats > 0 && watches >= MUCH_WATCHES * seats
      ? 'watch-storm'
      : seats > 0 && seatsPerRequest >= WIDE
        ? 'wide-requests'
        : isLong
          ? 'slow-reader'
          : 'one-flow'
  return { cause, seats, seconds, seatsPerRequest }
}

/** What its clients wanted of other levels before and do not want there now: a good part of what they want of this one. */
function movedTo(level: string, now: Ledger, before: Ledger): ReadonlyMap<string, number> {
  const [were, are] = [before, now].map(({ clients }) => {
    const wanted = new Map<string, number>()
    for (const one of clients) {
      if (one.level !== level) wanted.set(clientName(one), (wanted.get(clientName(one)) ?? 0) + pressureOf(one))
    }
    return wanted
  })
  return new Map(
    byUser(now, level).flatMap(({ name, pressure }) => {
      const came = (were?.get(name) ?? 0) - (are?.get(name) ?? 0)
      return came >= LEAST_MOVED * pressure ? [[name, came] as const] : []
    }),
  )
}
const LEAST_MOVED = 0.25

/** Whether a client that the first dumps do not show stood out at once from those that were there before. */
function isNew({ dumps, level, name, known }: Appearance): boolean {
  const [begin, at] = [dumps[0], dumps.find((dump) => (countIn(dump, level, name) ?? 0) > 0)]
  if (begin === undefined || at === undefined || unixMsOf(at.at) - unixMsOf(begin.at) < NEW_AFTER_MS) return false
  const others = Math.max(0, ...[...known.keys()].map((other) => countIn(at, level, other) ?? 0))
  return (countIn(at, level, name) ?? 0) >= Math.max(FEWEST_AT_ONCE, STOOD_OUT * others)
}
const STOOD_OUT = 2

interface Appearance extends Pick<Situation, 'dumps' | 'level'> {
  readonly name: string
  /** Clients that were there before. */
  readonly known: ReadonlyMap<string, unknown>
}

interface UserUse {
  readonly name: string
  /** The flow of it that wants the most. */
  readonly client: ClientUse
  readonly pressure: number
  /** Those that its executing requests have. */
  readonly seats: number
  readonly seen: number
  readonly uses: readonly ClientUse[]
}

/** The clients of a level, the flows of one user together; those that want the most first. */
export function byUser({ clients }: Ledger, level: string): readonly UserUse[] {
  const found = new Map<
    string,
    { name: string; client: ClientUse; pressure: number; seats: number; seen: number; uses: ClientUse[] }
  >()
  for (const client of clients) {
    if (client.level !== level) continue
    const name = clientName(client)
    const seen = client.seenWaiting + client.seenExecuting + (client.sent?.count ?? 0)
    const known = found.get(name)
    if (known === undefined)
      found.set(name, { name, client, pressure: pressureOf(client), seats: client.seats, seen, uses: [client] })
    else {
      known.uses.push(client)
      known.pressure += pressureOf(client)
      known.seats += client.seats
      known.seen += seen
    }
  }
  return [...found.values()].toSorted((a, b) => b.pressure - a.pressure)
}

/** The first of the dumps from which on it had half of what it has on average, or more, but for pauses. */
function sinceOf(
  dumps: readonly DumpFrame[],
  level: string,
  name: string,
  { waiting, executing }: ClientUse,
): Pick<Suspect, 'since' | 'notBefore'> {
  let [since, notBefore]: [UnixMs | undefined, UnixMs | undefined] = [undefined, undefined]
  for (const dump of dumps.toReversed()) {
    const count = countIn(dump, level, name)
    if (count === undefined) continue
    const at = unixMsOf(dump.at)
    if (count >= (waiting + executing) / 2) [since, notBefore] = [at, undefined]
    else if (since !== undefined && since - at > PAUSE_MS) break
    else notBefore ??= at
  }
  return { since, notBefore }
}
