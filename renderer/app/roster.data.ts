import type { DerivedServer } from '../../core/frame/derived.ts'
import { isExempt, type LevelFrame, type ServerFrame } from '../../core/frame/frame.ts'
import { levelStates, troubleOf } from '../../core/frame/recent.ts'

export interface RosterRow {
  readonly name: string
  readonly executing: number | undefined
  /** Absent for exempt, and when the server does not tell. */
  readonly limit: number | undefined
  /** Executing over limit, 0 to 1. */
  readonly share: number
  readonly trouble: 'rejecting' | 'queueing' | undefined
}

export function rosterRows(
  server: ServerFrame | undefined,
  derived: DerivedServer | undefined,
  order: (a: string, b: string) => number,
): readonly RosterRow[] {
  return (server?.levels ?? []).toSorted((a, b) => order(a.name, b.name)).map((level) => rosterRow(level, derived))
}

function rosterRow(level: LevelFrame, derived: DerivedServer | undefined): RosterRow {
  const { name, seats } = level
  const limit = isExempt(level) ? undefined : level.limits.current
  const own = derived?.levels.find((entry) => entry.name === name)
  const share =
    limit === undefined || seats.executing === undefined ? 0 : Math.min(1, seats.executing / Math.max(1, limit))
  return {
    name,
    executing: seats.executing,
    limit,
    share,
    trouble: troubleOf(levelStates(level, own)),
  }
}

export interface Sums {
  readonly executing: number
  /** Sum of nominal limits: what the server has to share out. */
  readonly seats: number
  readonly lent: number
  readonly borrowed: number
}

/** The server in four numbers; unknown when limits or occupancy are not told. */
export function sums(server: ServerFrame | undefined): Sums | undefined {
  const limited = server?.levels.filter((level) => !isExempt(level)) ?? []
  if (
    server === undefined ||
    limited.some(({ limits }) => limits.nominal === undefined || limits.current === undefined)
  ) {
    return undefined
  }
  let executing = 0
  for (const { seats } of server.levels) executing += seats.executing ?? 0
  let [seats, lent, borrowed] = [0, 0, 0]
  for (const { limits } of limited) {
    const [nominal, current] = [limits.nominal ?? 0, limits.current ?? 0]
    seats += nominal
    lent += Math.max(0, nominal - current)
    borrowed += Math.max(0, current - nominal)
  }
  return { executing, seats, lent, borrowed }
}
