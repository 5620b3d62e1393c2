import type { LiveRequest } from '../contract/live.ts'
import { bounded, type Counted, counting } from './tally.ts'

/** For further users of a level, and further addresses of a user, only the requests are counted. */
const MOST_USERS = 1_000
const MOST_ADDRESSES = 256

/** Requests of a level whose flow is their user, and whose client address is known. */
export interface LevelCallers extends Counted {
  readonly level: string
  /** Requests by address, for each user. */
  readonly users: ReadonlyMap<string, ReadonlyMap<string, number>>
}

interface Level {
  counted: Counted | undefined
  readonly users: Map<string, Map<string, number>>
}

/** Counts the addresses that each user sends from, in memory that does not grow with time. Takes each request once. */
export class CallerTally {
  private readonly levels = new Map<string, Level>()

  take({ at, user, address, flow, level }: LiveRequest): void {
    if (address === undefined || user === '' || flow !== user) return
    const known = this.levels.get(level) ?? { counted: undefined, users: new Map() }
    this.levels.set(level, known)
    known.counted = counting(known.counted, at)
    const addresses = bounded(known.users, user, MOST_USERS, () => new Map<string, number>())
    if (addresses === undefined) return
    const before = bounded(addresses, address, MOST_ADDRESSES, () => 0)
    if (before !== undefined) addresses.set(address, before + 1)
  }

  read(): readonly LevelCallers[] {
    return [...this.levels].flatMap(([level, { counted: of, users }]) =>
      of === undefined ? [] : { level, ...of, users },
    )
  }
}
