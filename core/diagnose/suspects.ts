import { unixMsOf, type UnixMs } from '../units.ts'
import type { DumpFrame } from '../frame/dump.ts'
import { maxMinShares } from '../frame/flow.ts'
import { median } from '../frame/quantile.ts'
import { clientName, countIn, pressureOf, shareRange, type ClientUse, type Ledger } from '../verdict/ledger.ts'

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
  readonly since: UnixMs | undefined
}

/** A client with less of the excess, or fewer observed requests, or hardly more than the others, is no suspect. */
const LEAST_SHARE = 0.25
const FEWEST_SEEN = 5
const OUT_OF_PROPORTION = 3
const MOST_SUSPECTS = 3

interface Situation {
  readonly level: string
  /** Seats. */
  readonly limit: number
  readonly now: Ledger
  readonly before: Ledger
  /** Oldest first. */
  readonly dumps: readonly DumpFrame[]
}

/** Clients that want more of a level than an equal share and cause most of what is wanted beyond its seats. */
export function suspectsOf({ level, limit, now, before, dumps }: Situation): readonly Suspect[] {
  const users = byUser(now, level)
  const all = users.reduce((sum, { pressure }) => sum + pressure, 0)
  const shares = maxMinShares(
    users.map(({ pressure }) => pressure),
    limit,
  )
  const wanting = users.map((user, i) => ({ ...user, beyond: user.pressure - (shares[i] ?? 0) }))
  const excess = wanting.reduce((sum, { beyond }) => sum + beyond, 0)
  if (excess === 0) return []
  const earlier = new Map(byUser(before, level).map(({ name, pressure }) => [name, pressure]))
  const isOutOfProportion = (pressure: number): boolean =>
    pressure >= OUT_OF_PROPORTION * (median(users.map((one) => one.pressure).filter((one) => one !== pressure)) ?? 0)
  return wanting
    .filter(
      // Few have a large part, so that few are compared with all others.
      ({ pressure, beyond, seen }) =>
        beyond >= LEAST_SHARE * excess && seen >= FEWEST_SEEN && isOutOfProportion(pressure),
    )
    .slice(0, MOST_SUSPECTS)
    .map(({ name, client, pressure, beyond, seen }): Suspect => {
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
        others: all - pressure,
        limit,
        since: sinceOf(dumps, level, name, client),
      }
    })
}

interface UserUse {
  readonly name: string
  /** The flow of it that wants the most. */
  readonly client: ClientUse
  readonly pressure: number
  readonly seen: number
  readonly uses: readonly ClientUse[]
}

/** The clients of a level, the flows of one user together; those that want the most first. */
export function byUser({ clients }: Ledger, level: string): readonly UserUse[] {
  const found = new Map<
    string,
    { name: string; client: ClientUse; pressure: number; seen: number; uses: ClientUse[] }
  >()
  for (const client of clients) {
    if (client.level !== level) continue
    const name = clientName(client)
    const seen = client.seenWaiting + client.seenExecuting + (client.sent?.count ?? 0)
    const known = found.get(name)
    if (known === undefined) found.set(name, { name, client, pressure: pressureOf(client), seen, uses: [client] })
    else {
      known.uses.push(client)
      known.pressure += pressureOf(client)
      known.seen += seen
    }
  }
  return [...found.values()].toSorted((a, b) => b.pressure - a.pressure)
}

/** The first of the dumps from which on it had half of what it has now, or more. */
function sinceOf(
  dumps: readonly DumpFrame[],
  level: string,
  name: string,
  { waiting, executing }: ClientUse,
): UnixMs | undefined {
  let since: UnixMs | undefined
  for (const dump of dumps.toReversed()) {
    const count = countIn(dump, level, name)
    if (count === undefined) continue
    if (count < (waiting + executing) / 2) break
    since = unixMsOf(dump.at)
  }
  return since
}
