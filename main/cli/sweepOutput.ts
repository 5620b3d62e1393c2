import { ProblemError } from '../../core/errors.ts'
import {
  heatMapOf,
  heatMapSvg,
  heatMapText,
  type HeatMap,
  type HeatMapColumns,
  shortNumber,
} from '../../core/sweep/heatMap.ts'
import type { PointResult, SweepHeader } from '../../core/contract/sweep.ts'
import { toCsv } from '../../core/text/csv.ts'
import { writeAtomically } from '../files/files.ts'
import type { Console } from './console.ts'
import { texts } from './options.ts'
import { textTable } from './print/terminal.ts'
import { type Given, OUTPUT_OPTIONS, readOutput, refuseOptions, UsageError } from './usage.ts'

/** Options for how the results of a sweep are shown. */
export const SHOWN_OPTIONS = {
  ...OUTPUT_OPTIONS,
  ...texts('heat-map', 'x', 'y', 'svg'),
} as const

export interface ShownSweep {
  readonly header: SweepHeader
  readonly rows: readonly PointResult[]
}

export interface Shown {
  readonly output: 'text' | 'json' | 'csv'
  /** The first two parameters if the options do not name them. */
  readonly heatMap:
    (Pick<HeatMapColumns, 'result'> & { readonly x: string | undefined; readonly y: string | undefined }) | undefined
  /** File of the heat map. */
  readonly svg: string | undefined
}

export function readShown(given: Given): Shown {
  const output = readOutput(given, ['csv'])
  const result = given.value('heat-map')
  const [x, y, svg] = [given.value('x'), given.value('y'), given.value('svg')]
  if (result === undefined) refuseOptions(given, ['x', 'y', 'svg'], 'goes with --heat-map RESULT.')
  return { output, heatMap: result === undefined ? undefined : { x, y, result }, svg }
}

/** Points shown in the text output. */
const MOST_ROWS = 50

export async function printSweep(sweep: ShownSweep, { output, heatMap, svg }: Shown, console: Console): Promise<void> {
  const { header, rows } = sweep
  const map = heatMap && mapFrom(sweep, heatMap)
  if (map !== undefined && svg !== undefined) await writeAtomically(svg, heatMapSvg(map))
  if (output === 'json') return console.printJson({ ...header, rows }, 2)
  if (output === 'csv') return console.print(csvOf(sweep).trimEnd().split('\r\n'))
  if (map !== undefined) return console.print(heatMapText(map))
  return console.print(tableOf(sweep))
}

function mapFrom({ header, rows }: ShownSweep, { x, y, result }: NonNullable<Shown['heatMap']>): HeatMap {
  const others = (not: string | undefined): readonly string[] => header.parameters.filter((name) => name !== not)
  const across = x ?? others(y)[0]
  const down = y ?? others(across)[0]
  if (across === undefined || down === undefined) throw new UsageError('--heat-map needs a sweep of two parameters.')
  const map = heatMapOf(header, rows, { x: across, y: down, result })
  if (typeof map === 'string') throw new ProblemError('not-found', map)
  return map
}

const csvOf = ({ header, rows }: ShownSweep): string =>
  toCsv(
    ['point', ...header.parameters, ...header.results, 'problem'],
    rows.map(({ point, values, results, problem }) => [
      point,
      ...values,
      ...(results ?? header.results.map(() => undefined)),
      problem,
    ]),
  )

function tableOf({ header, rows }: ShownSweep): readonly string[] {
  const head = ['POINT', ...header.parameters, ...header.results]
  const cells = rows
    .slice(0, MOST_ROWS)
    .map(({ point, values, results, problem }) => [
      String(point),
      ...values.map(String),
      ...(results?.map(shortNumber) ?? [problem ?? '']),
    ])
  const more = rows.length - cells.length
  return [
    ...textTable([head, ...cells], ['right']),
    ...(more > 0 ? [`${more} more points: -o csv prints all of them.`] : []),
  ]
}
