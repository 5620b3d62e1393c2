import { exact, plain } from '../../core/text/format.ts'
import { REJECT_REASONS } from '../../core/frame/reading.ts'
import type { LevelResult, Outcomes } from '../../core/contract/whatif.ts'
import type { DecisionDifferences } from '../../core/whatif/compare.ts'
import { failed, type FlowResult, type VariantResult } from '../../core/whatif/results.ts'
import type { WhatIfCandidate, WhatIfResult } from '../../core/whatif/whatif.ts'
import { textTable } from './print/terminal.ts'

/**
 * The comparison as text: each variant, what changes by level, flow schema and flow, and the first decision that
 * differs.
 */
export function whatIfText(result: WhatIfResult, mostFlows: number): readonly string[] {
  const { baseline, candidates } = result
  const variants = [baseline, ...candidates.map((candidate) => candidate.result)]
  const clients =
    result.clients === 'open'
      ? `${result.requests ?? 0} requests, the same for every variant (open loop)`
      : 'Simulated clients that react to each variant (closed loop)'
  return [
    `${clients}; ${exact(baseline.seconds)} s. Waits are those of dispatched requests.`,
    '',
    ...outcomeTable(
      'VARIANT',
      variants.map((one) => [one.name, one.total] as const),
    ),
    ...section(
      'Levels',
      'LEVEL',
      variants,
      ({ levels }) => levels,
      ({ level }) => level,
    ),
    ...limitLines(variants),
    ...section(
      'Flow schemas',
      'FLOW SCHEMA',
      variants,
      ({ schemas }) => schemas,
      ({ level, schema }) => join(level, schema),
    ),
    ...flowSection(variants, mostFlows),
    ...candidates.flatMap((candidate) => candidateLines(baseline, candidate)),
  ]
}

const HEAD = [
  'OFFERED',
  'SERVED',
  'EXPIRED',
  'QUEUE-FULL',
  'CONC.-LIMIT',
  'TIME-OUT',
  'WAIT P50',
  'P90',
  'P99',
  'MAX',
  'SEATS',
  'JAIN',
]

const outcomeTable = (title: string, rows: readonly (readonly [string, Outcomes])[]): readonly string[] =>
  textTable([[title, ...HEAD], ...rows.map(([name, outcomes]) => [name, ...outcomeCells(outcomes)])], ['left', 'right'])

function outcomeCells({ offered, served, expired, rejected, waitMs, seats, jain }: Outcomes): readonly string[] {
  const waits = [waitMs.p50, waitMs.p90, waitMs.p99, waitMs.max].map(plain.ms)
  const counts = [offered, served, expired, ...REJECT_REASONS.map((reason) => rejected[reason])]
  return [
    ...counts.map(plain.seats),
    ...waits,
    plain.seatsAverage(seats),
    jain === undefined ? '' : plain.fixed(jain, 3),
  ]
}

/** The same rows of every variant below each other; a variant that lacks a name has no row for it. */
function section<T extends Outcomes>(
  title: string,
  head: string,
  variants: readonly VariantResult[],
  rowsOf: (variant: VariantResult) => readonly T[],
  nameOf: (row: T) => string,
): readonly string[] {
  const names = [...new Set(variants.flatMap((variant) => rowsOf(variant).filter(hasTraffic).map(nameOf)))].toSorted()
  const rows = names.flatMap((name) =>
    variants.flatMap((variant) => {
      const row = rowsOf(variant).find((one) => nameOf(one) === name)
      return row === undefined ? [] : [[`${name}  ${variant.name}`, row] as const]
    }),
  )
  return rows.length === 0 ? [] : ['', `${title}:`, ...outcomeTable(head, rows)]
}

const hasTraffic = ({ offered, seats }: Outcomes): boolean => offered > 0 || seats > 0

function flowSection(variants: readonly VariantResult[], most: number): readonly string[] {
  const nameOf = ({ level, schema, flow }: FlowResult): string => join(level, schema, flow)
  const [baseline] = variants
  if (most === 0 || baseline === undefined) return []
  const shown = new Set(baseline.flows.slice(0, most).map(nameOf))
  const kept = (variant: VariantResult): readonly FlowResult[] =>
    variant.flows.filter((flow) => shown.has(nameOf(flow)))
  const more = baseline.flows.length + baseline.moreFlows - shown.size
  const lines = section('Flows with the most requests', 'FLOW', variants, kept, nameOf)
  return more > 0 && lines.length > 0
    ? [...lines, `and ${more} more flows of the baseline; --flows N shows more.`]
    : lines
}

const join = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' / ')

function limitLines(variants: readonly VariantResult[]): readonly string[] {
  const rows = variants.flatMap(({ name, levels }) =>
    levels.flatMap(({ level, limits }: LevelResult) =>
      limits === undefined
        ? []
        : [
            {
              key: `${level}  ${name}`,
              cells: [limits.nominal, limits.current, limits.borrowed, limits.lent].map(plain.seatsAverage),
            },
          ],
    ),
  )
  if (rows.length === 0) return []
  const sorted = rows.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  return [
    '',
    'Limits in seats, means over the period:',
    ...textTable(
      [['LEVEL', 'NOMINAL', 'CURRENT', 'BORROWED', 'LENT'], ...sorted.map(({ key, cells }) => [key, ...cells])],
      ['left', 'right'],
    ),
  ]
}

function candidateLines(baseline: VariantResult, { result, decisions }: WhatIfCandidate): readonly string[] {
  return [
    '',
    `${result.name} compared with ${baseline.name}:`,
    ...differenceLines(baseline.total, result.total),
    ...(decisions === undefined ? [] : decisionLines(decisions)),
  ]
}

function differenceLines(before: Outcomes, after: Outcomes): readonly string[] {
  const measures = [
    ['served', before.served, after.served, plain.seats],
    ['rejected or expired', failed(before), failed(after), plain.seats],
    ['wait p50', before.waitMs.p50, after.waitMs.p50, plain.ms],
    ['wait p99', before.waitMs.p99, after.waitMs.p99, plain.ms],
    ['seats in use', before.seats, after.seats, plain.seatsAverage],
  ] as const
  return textTable(
    measures.map(([name, a, b, text]) => [`  ${name}`, text(a), '→', text(b), differenceText(b - a, a, text)]),
    ['left', 'right', 'left', 'right'],
  )
}

function decisionLines({ placed, rejected, letRun, longer, shorter, first }: DecisionDifferences): readonly string[] {
  if (first === undefined) return ['  All decisions and their times are the same.']
  const counts = [
    [placed, 'classified differently'],
    [rejected, 'rejected by the candidate alone'],
    [letRun, 'rejected by the baseline alone'],
    [longer, 'dispatched later'],
    [shorter, 'dispatched earlier'],
  ] as const
  const told = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  return [`  Requests: ${told.join(', ')}.`, ...first.explanation.map((sentence) => `  ${sentence}`)]
}

/** `+12 (+3.4 %)`. */
function differenceText(difference: number, base: number, text: typeof plain.ms): string {
  const part =
    difference === 0 || base === 0 ? '' : ` (${plain.signed((share) => plain.percent(share, 1))(difference / base)})`
  return `${plain.signed(text)(difference)}${part}`
}
