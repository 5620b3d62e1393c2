import {
  amount,
  counted,
  numberColumns,
  phrase,
  textColumns,
  type Amount,
  type Answer,
  type Cell,
  type Column,
  type Quantity,
  type Sentence,
  type Table,
} from '../answer/answer.ts'
import type { DecisionDifferences, LevelLimits, Outcomes, VariantReport, WhatIfReport } from '../contract/whatif.ts'
import { REJECT_REASONS } from '../frame/reading.ts'
import { plain } from '../text/format.ts'
import { type FlowResult, rejectedOf, type VariantResult } from './results.ts'
import type { WhatIfResult } from './whatif.ts'

type Candidate = WhatIfReport['candidates'][number]

/** The letter of a variant in headings; the baseline, number 0, is A. */
export const letterOf = (index: number): string => String.fromCharCode(65 + index)

/** The requests that the variants were compared on. */
export const comparedOn = ({ clients, requests, baseline: { seconds }, candidates }: WhatIfReport): Sentence =>
  clients === 'open'
    ? phrase`${counted(requests, 'request')} of ${{ value: seconds, as: 'span' }}, the same for every variant (open loop)${fewer(candidates)}.`
    : phrase`The clients reacted to each variant for ${{ value: seconds, as: 'span' }} (closed loop).`

/** Which variants send only a part of them. */
const fewer = (candidates: readonly Candidate[]): Sentence =>
  candidates.flatMap(({ result: { name, requestFactor = 1 } }) =>
    requestFactor === 1 ? [] : phrase`; ${name} sends ${{ value: requestFactor, as: 'percent' }} of them`,
  )

/** What became of the requests of every variant: all together, and by level, flow schema and flow. */
export function presentOutcomes(result: WhatIfResult, mostFlows: number): Answer {
  const { baseline, candidates } = result
  const variants = [baseline, ...candidates.map((candidate) => candidate.result)]
  const shown = new Set(baseline.flows.slice(0, mostFlows).map(flowName))
  const note = `the ${shown.size} of ${baseline.flows.length + baseline.moreFlows} with the most requests`
  return {
    title: comparedOn(result),
    evidence: [['Waits are those of dispatched requests.']],
    tables: [
      outcomesOf('Outcomes', 'all requests', variants, ({ total }) => [['all', total]]),
      outcomesOf('Levels', 'per variant', variants, ({ levels }) => levels.map((one) => [one.level, one])),
      outcomesOf('Flow schemas', 'per variant', variants, ({ schemas }) =>
        schemas.map((one) => [join(one.level, one.schema), one]),
      ),
      outcomesOf('Flows', note, variants, ({ flows }) =>
        flows.map((one) => [flowName(one), one] as const).filter(([name]) => shown.has(name)),
      ),
    ].filter(({ rows }) => rows.length > 0),
  }
}

const join = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' / ')
const flowName = ({ level, schema, flow }: FlowResult): string => join(level, schema, flow)

/** The same rows of every variant below each other; a variant that lacks a name has no row for it. */
function outcomesOf(
  title: string,
  note: string,
  variants: readonly VariantResult[],
  rowsOf: (variant: VariantResult) => readonly (readonly [string, Outcomes])[],
): Table {
  const named = variants.map((variant) => ({ variant: variant.name, rows: new Map(rowsOf(variant)) }))
  const names = new Set(
    named.flatMap(({ rows }) => [...rows].filter(([, row]) => row.offered > 0 || row.seats > 0).map(([name]) => name)),
  )
  return {
    title,
    note,
    columns: [{ id: 'name', label: 'Requests' }, { id: 'variant', label: 'Variant' }, ...OUTCOMES],
    rows: [...names].toSorted().flatMap((name) =>
      named.flatMap(({ variant, rows }) => {
        const row = rows.get(name)
        return row === undefined ? [] : [[name, variant, ...outcomeCells(row)]]
      }),
    ),
  }
}

const OUTCOMES = numberColumns(
  'Offered',
  'Served',
  'Expired',
  'Queue-full',
  'Conc.-limit',
  'Time-out',
  'Wait p50',
  'p90',
  'p99',
  'Max',
  'Seats',
  'Jain',
)

const outcomeCells = ({ offered, served, expired, rejected, waitMs, seats, jain }: Outcomes): readonly Cell[] => [
  ...[offered, served, expired, ...REJECT_REASONS.map((reason) => rejected[reason])].map(amount('fixed')),
  ...[waitMs.p50, waitMs.p90, waitMs.p99, waitMs.max].map(amount('ms')),
  { value: seats, as: 'seatsAverage' },
  { value: jain, as: 'fixed', decimals: 3 },
]

/** A candidate beside the baseline: its effect, and each level. Its place among the candidates gives its letter. */
export function presentCandidate(report: WhatIfReport, candidate: Candidate): Answer {
  const { baseline } = report
  const { result } = candidate
  const letter = letterOf(report.candidates.indexOf(candidate) + 1)
  return {
    title: effectOf(report, candidate),
    evidence: [],
    tables: [
      {
        title: 'Difference by level',
        note: `A ${baseline.name}, ${letter} ${result.name}`,
        columns: levelColumns(letter),
        rows: levelPairs(baseline, result).map(levelCells),
      },
    ],
  }
}

/** What the candidate does to rejections, and to the longest waits. */
function effectOf({ baseline, candidates }: WhatIfReport, candidate: Candidate): Sentence {
  const { result, decisions } = candidate
  const [a, b] = [`A (${baseline.name})`, `${letterOf(candidates.indexOf(candidate) + 1)} (${result.name})`]
  if (decisions !== undefined && decisions.first === undefined) return [`${b} decides about every request as ${a}.`]
  const more = rejectedOf(result.total) - rejectedOf(baseline.total)
  const [where] = changedBy(baseline, result, rejectedIn)
  const part =
    where === undefined
      ? ''
      : `, ${Math.abs(change(where, rejectedIn) ?? 0) === Math.abs(more) ? 'all' : 'most'} in ${where.level}`
  const rejections =
    more === 0
      ? phrase`${b} rejects as many requests as ${a}: ${{ value: rejectedOf(baseline.total), as: 'fixed' }}`
      : phrase`${b} rejects ${counted(Math.abs(more), 'request')} ${more > 0 ? 'more' : 'fewer'} than ${a}${part}`
  const late = openOf(result.total) - openOf(baseline.total)
  if (Math.abs(late) >= OPEN_PART * baseline.total.offered)
    return phrase`${rejections}; ${counted(Math.abs(late), `${late > 0 ? 'more' : 'fewer'} request`)} wait or execute at the end.`
  const [slower] = changedBy(baseline, result, p99In)
  if (slower === undefined) return phrase`${rejections}; waits hardly change.`
  const [from, to] = sides(slower, p99In, 'ms')
  return phrase`${rejections}; wait p99 of ${slower.level ?? ''} goes from ${from} to ${to}.`
}

/** Requests that are not done when the run ends: waits of the others do not tell of them. */
const openOf = ({ offered, served, expired, ...outcomes }: Outcomes): number =>
  offered - served - expired - rejectedOf(outcomes)
/** From this part of all requests on, they are worth a sentence. */
const OPEN_PART = 0.1

/** A change of fewer requests, or of fewer milliseconds, is none. */
const WORTH = 1

/** The levels in which a number changes, the largest change first. */
const changedBy = (a: VariantReport, b: VariantReport, of: Measure): readonly LevelPair[] =>
  levelPairs(a, b)
    .filter((pair) => pair.level !== undefined && sizeOf(pair, of) >= WORTH)
    .toSorted((one, other) => sizeOf(other, of) - sizeOf(one, of))

/** The levels that change: those whose rejections do, then those whose waits do. */
export const changedLevels = (baseline: VariantReport, candidate: VariantReport): readonly string[] => [
  ...new Set(
    [rejectedIn, p99In].flatMap((of) => changedBy(baseline, candidate, of).flatMap(({ level }) => level ?? [])),
  ),
]

type Side = (Outcomes & { readonly limits?: LevelLimits }) | undefined
type Measure = (side: Side) => number | undefined

/** The outcomes of a level's requests in two variants; a side is absent where the variant has no such level. */
interface LevelPair {
  /** Absent for all levels together. */
  readonly level?: string
  readonly a: Side
  readonly b: Side
}

/** All levels together, then level by level in the order of the baseline, then those that only the candidate has. */
function levelPairs(a: VariantReport, b: VariantReport): readonly LevelPair[] {
  const [inA, inB] = [a, b].map(({ levels }) => new Map(levels.map((one) => [one.level, one])))
  const names = new Set([a, b].flatMap(({ levels }) => levels.map(({ level }) => level)))
  return [{ a: a.total, b: b.total }, ...[...names].map((level) => ({ level, a: inA?.get(level), b: inB?.get(level) }))]
}

const rejectedIn: Measure = (side) => side && rejectedOf(side)

/** A quantile of the waits, milliseconds; unknown where nothing was dispatched. */
const waitIn =
  (quantile: 'p50' | 'p90' | 'p99'): Measure =>
  (side) =>
    side === undefined || (side.served + side.expired === 0 && side.waitMs.max === 0)
      ? undefined
      : side.waitMs[quantile]
const p99In = waitIn('p99')

/** B minus A; unknown where either is. */
function change({ a, b }: LevelPair, of: Measure): number | undefined {
  const [inA, inB] = [of(a), of(b)]
  return inA === undefined || inB === undefined ? undefined : inB - inA
}
const sizeOf = (pair: LevelPair, of: Measure): number => Math.abs(change(pair, of) ?? 0)

const sides = ({ a, b }: LevelPair, of: Measure, as: Quantity): readonly [Amount, Amount] => [
  { value: of(a), as },
  { value: of(b), as },
]

function levelColumns(letter: string): readonly Column[] {
  const both = (name: string, title: string): readonly Column[] =>
    ['A', letter].map((side) => ({
      id: `${name} ${side}`,
      label: `${name} ${side}`,
      title: `${title}, ${side}`,
      align: 'right',
    }))
  const changeOf = (what: string): Column => ({
    id: what,
    label: 'Change',
    title: `${what}, ${letter} minus A`,
    align: 'right',
  })
  const waits = (quantile: string): readonly Column[] => both(quantile, `Wait ${quantile} of dispatched requests`)
  return [
    { id: 'level', label: 'Level' },
    ...both('Rejected', 'Rejected requests'),
    changeOf('Rejected requests'),
    ...waits('p50'),
    ...waits('p90'),
    ...waits('p99'),
    changeOf('Wait p99'),
    ...both('Limit', 'Current limit in seats, mean'),
  ]
}

function levelCells(pair: LevelPair): readonly Cell[] {
  const changeOf = (of: Measure, as: Quantity): Amount => {
    const value = change(pair, of)
    return { value, as, signed: true, ...(sizeOf(pair, of) >= 1 && { tone: (value ?? 0) > 0 ? 'worse' : 'better' }) }
  }
  return [
    pair.level ?? 'All levels',
    ...sides(pair, rejectedIn, 'fixed'),
    changeOf(rejectedIn, 'fixed'),
    ...sides(pair, waitIn('p50'), 'ms'),
    ...sides(pair, waitIn('p90'), 'ms'),
    ...sides(pair, p99In, 'ms'),
    changeOf(p99In, 'ms'),
    ...sides(pair, (side) => side?.limits?.current, 'seatsAverage'),
  ]
}

/** Which decisions differ, and the first one that does. */
export const presentDecisions = (decisions: DecisionDifferences | undefined, letter: string): Answer => ({
  title: ['First different decision'],
  evidence: explanationOf(decisions).map((sentence) => [sentence]),
  tables:
    decisions === undefined
      ? []
      : [
          decisionsTable(decisions, letter),
          ...(decisions.changed.length === 0 ? [] : [changedTable(decisions, letter)]),
        ],
})

function explanationOf(decisions: DecisionDifferences | undefined): readonly string[] {
  if (decisions === undefined) return ['The clients sent different requests to each variant, so none is compared.']
  return decisions.first?.explanation ?? ['No decision differs.']
}

const decisionsTable = ({ placed, rejected, letRun, longer, shorter }: DecisionDifferences, letter: string): Table => ({
  title: 'Different decisions',
  note: 'requests',
  columns: [{ id: 'what', label: 'Difference' }, ...numberColumns('Requests')],
  rows: [
    ['another flow schema or level', amount('fixed')(placed)],
    [`rejected by ${letter} only`, amount('fixed')(rejected)],
    ['rejected by A only', amount('fixed')(letRun)],
    [`dispatched later by ${letter}`, amount('fixed')(longer)],
    [`dispatched earlier by ${letter}`, amount('fixed')(shorter)],
  ],
})

const MOST_SHOWN = 10

/** Turning flow control on or changing it rejects requests that were served before, and the other way round. */
const changedTable = ({ changed, rejected, letRun }: DecisionDifferences, letter: string): Table => ({
  title: 'Requests rejected by one of the two',
  note: `the first ${Math.min(MOST_SHOWN, changed.length)} of ${plain.counted(rejected + letRun, 'request')}`,
  columns: [...numberColumns('Arrived'), ...textColumns('User', 'Request', 'A', letter)],
  rows: changed
    .slice(0, MOST_SHOWN)
    .map(({ seconds, user, verb, path, baseline, candidate }) => [
      amount('seconds')(seconds),
      user,
      `${verb} ${path}`,
      baseline,
      candidate,
    ]),
})
