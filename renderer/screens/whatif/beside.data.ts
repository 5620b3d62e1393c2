import { plural } from '../../../core/text/format.ts'
import type { FirstDifference } from '../../../core/contract/whatif.ts'
import type { DumpFrame } from '../../../core/frame/dump.ts'
import type { LevelFrame, ServerFrame } from '../../../core/frame/frame.ts'
import type { TermId } from '../../../core/glossary/glossary.ts'
import { allRejected } from '../../../core/frame/recent.ts'
import { type BesideRow, requestsBeside } from '../../../core/run/beside.ts'
import { byCodeUnits } from '../../../core/text/text.ts'
import type { UnixMs } from '../../../core/units.ts'
import { format } from '../../theme/format.ts'

/** The available data about a server of one run at an instant. */
export interface Side {
  readonly server: ServerFrame | undefined
  readonly dump: DumpFrame | undefined
}

/** A level in two runs at the same instant; a side is absent where the run has no such level. */
export interface BesideLevel {
  readonly level: string
  readonly a: LevelFrame | undefined
  readonly b: LevelFrame | undefined
  /** Its requests, those that differ first. */
  readonly requests: readonly BesideRow[]
  readonly differing: number
}

/** Every level of either run, by name. */
export function besideLevels(a: Side, b: Side, start: UnixMs): readonly BesideLevel[] {
  const [inA, inB] = [a, b].map(({ server }) => new Map(server?.levels.map((level) => [level.name, level])))
  const names = new Set([...(inA?.keys() ?? []), ...(inB?.keys() ?? [])])
  return [...names].toSorted(byCodeUnits).map((level) => {
    const requests = requestsBeside(a.dump ?? {}, b.dump ?? {}, level, start)
    const differing = requests.filter(({ differs }) => differs).length
    return { level, a: inA?.get(level), b: inB?.get(level), requests, differing }
  })
}

/** The initial level: the one with the most requests that differ, else with the most requests. */
export const mostDiffering = (levels: readonly BesideLevel[]): string | undefined =>
  levels.toSorted((x, y) => y.differing - x.differing || y.requests.length - x.requests.length)[0]?.level

/** Dumps hold instants as milliseconds since 1970, which leaves this much of an arrival uncertain. Seconds. */
const SAME_SECONDS = 1e-5

/** The row of a request, by its user and its arrival. */
export const markedRow = (
  rows: readonly BesideRow[],
  { user, arrivedSeconds }: FirstDifference['request'],
): BesideRow | undefined =>
  rows.find((row) => row.user === user && Math.abs(row.arrivedSeconds - arrivedSeconds) < SAME_SECONDS)

/** The differences in a level, in one sentence. */
export function besideTitle({ level, requests, differing }: BesideLevel): string {
  const { length } = requests
  if (length === 0) return `No request waits or executes in ${level}.`
  const inBoth = requests.filter(({ a, b }) => a.kind !== 'absent' && b.kind !== 'absent').length
  if (inBoth === 0 && length > 1) return `A and B share none of the ${format.fixed(length)} requests in ${level}.`
  if (differing === 0) {
    return plural(
      length,
      `The request in ${level} is in the same place in A and B.`,
      `All ${format.fixed(length)} requests in ${level} are in the same place in A and B.`,
    )
  }
  return `${format.fixed(differing)} of ${format.counted(length, 'request')} in ${level} ${plural(differing, 'differs', 'differ')} between A and B.`
}

/** Numbers of a level that are compared between the two runs. */
export const BESIDE_NUMBERS: readonly {
  readonly id: string
  readonly header: string
  readonly term?: TermId
  /** Set where no term explains the header. */
  readonly title?: string
  readonly of: (level: LevelFrame) => number | undefined
}[] = [
  {
    id: 'limit',
    header: 'Limit',
    term: 'current-limit',
    of: ({ limits }) => limits.current,
  },
  { id: 'seats', header: 'Seats', title: 'Executing seats', of: ({ seats }) => seats.executing },
  { id: 'waiting', header: 'Waiting', title: 'Waiting requests', of: ({ requests }) => requests.queued },
  {
    id: 'dispatched',
    header: 'Dispatched',
    term: 'dispatched',
    of: ({ dispatched }) => dispatched,
  },
  {
    id: 'rejected',
    header: 'Rejected',
    term: 'rejected',
    of: ({ rejected }) => rejected && allRejected(rejected),
  },
]
