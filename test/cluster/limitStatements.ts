import type { ServerFrame } from '../../core/frame/frame.ts'
import { number, tidy, windowStarts, type TrueLevel, type TruePage } from './truePages.ts'

/** What the Level screen shows about one level, read in one turn of the page. */
export interface SaidLevel {
  readonly name: string
  /** `queueing`, `borrowing 12` */
  readonly states: readonly string[]
  /** Facts of the header by their term. */
  readonly facts: Readonly<Record<string, string>>
  /** `Explain 42 seats` */
  readonly actions: readonly string[]
}

/** The false statements of the reading, if it is of this page; empty: every statement holds. */
export function falseOfLevel(said: SaidLevel, pages: readonly TruePage[], at: number): readonly string[] {
  const page = pages[at]
  const level = page?.levels.find(({ name }) => name === said.name)
  if (page === undefined || level === undefined) return [`no level ${said.name}`]
  const { nominal, limit } = level
  const found: string[] = []
  const claim = (what: string, shown: unknown, isTrue: unknown): void => {
    if (shown !== isTrue) found.push(`${what}: shows ${String(shown)}, is ${String(isTrue)}`)
  }
  // The chain of limits: what the shares give, how far it may shrink and grow, and where it is now.
  claim('nominal', number(said.facts['nominal']), nominal)
  claim('min', number(said.facts['min']), level.min)
  claim('max', number(said.facts['max']), level.max)
  claim('explained', said.actions.map(tidy).includes(`Explain ${limit} ${limit === 1 ? 'seat' : 'seats'}`), true)
  const states = said.states.map(tidy)
  const moved = [
    ...(limit > nominal ? [`borrowing ${limit - nominal}`] : []),
    ...(limit < nominal ? [`lending ${nominal - limit}`] : []),
  ]
  claim('moved', states.filter((state) => /^(?:borrow|lend)ing/.test(state)).join(), moved.join())
  claim('queueing', states.includes('queueing'), level.queued > 0)
  const starts = windowStarts(pages, at)
  const rejected = starts.map((start) => level.rejected > (levelOn(start, said.name)?.rejected ?? 0))
  const single = starts.length === 1 && starts[0] === page
  if (!single && !rejected.includes(states.includes('rejecting'))) found.push(`rejecting: shows ${states.join()}`)
  return found
}

const levelOn = (page: TruePage, name: string): TrueLevel | undefined => page.levels.find((one) => one.name === name)

/** Rows of the newest reallocation on Allocation: cells by header. */
export type SaidSteps = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The false statements of the reading, if the page is the first one after the reallocation. */
export function falseOfSteps(
  rows: SaidSteps,
  page: TruePage | undefined,
  gone: ReadonlySet<string>,
): readonly string[] {
  if (page === undefined) return ['no page']
  const found: string[] = []
  const names = page.levels.map(({ name }) => name).filter((name) => name in rows || !gone.has(name))
  const shown = Object.keys(rows).toSorted().join(' ')
  if (shown !== names.toSorted().join(' ')) found.push(`levels: shows ${shown}, are ${names.join(' ')}`)
  for (const level of page.levels) {
    const row = rows[level.name]
    if (row === undefined || level.name === 'exempt') continue
    const change = level.limit - level.nominal
    for (const [header, isTrue] of [
      ['High water', level.highWatermark],
      ['Min', level.min],
      ['Limit', level.limit],
      ['vs nominal', Math.abs(change)],
    ] as const) {
      const cell = (row[header] ?? '').replace(/^[^\d]+/, '')
      if (number(cell === '' ? '0' : cell) !== isTrue)
        found.push(`${level.name} ${header}: shows ${row[header]}, is ${isTrue}`)
    }
  }
  return found
}

/** One line a level of what `snapshot` prints, and the same of a page. */
export const linesOfFrame = ({ levels }: Pick<ServerFrame, 'levels'>): readonly string[] =>
  levels.map(({ name, seats, limits, requests, rejected }) =>
    lineOf(name, [
      seats.executing,
      seats.queued,
      requests.queued,
      limits.nominal,
      ...(name === 'exempt' ? [] : [limits.lower, limits.upper, limits.current]),
      Object.values(rejected ?? {}).reduce((sum, count) => sum + count, 0),
    ]),
  )

export const linesOfPage = ({ levels }: TruePage): readonly string[] =>
  levels.map((level) =>
    lineOf(level.name, [
      level.executing,
      level.queuedSeats,
      level.queued,
      level.nominal,
      ...(level.name === 'exempt' ? [] : [level.min, level.max, level.limit]),
      level.rejected,
    ]),
  )

const lineOf = (name: string, numbers: readonly (number | undefined)[]): string => [name, ...numbers].join(' ')
