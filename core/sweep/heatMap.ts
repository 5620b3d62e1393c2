import { plain } from '../text/format.ts'
import { MEASURES } from '../scenario/scenario.ts'
import { escapeMarkup } from '../text/markup.ts'
import type { PointResult, SweepHeader } from '../contract/sweep.ts'

/** One result over two parameters. */
export interface HeatMap {
  /** Names of the columns. */
  readonly x: string
  /** Absent for a sweep of one parameter, which is one row. */
  readonly y: string | undefined
  readonly result: string
  /** Unit of the result; empty if it has none. */
  readonly unit: string
  /** Values of the parameters, ascending. */
  readonly columns: readonly number[]
  readonly rows: readonly number[]
  /** By row, then column: the mean over the other parameters; `undefined` where no point was measured. */
  readonly cells: readonly (readonly (number | undefined)[])[]
  readonly least: number
  readonly most: number
}

/** Names of the columns of a heat map. */
export type HeatMapColumns = Pick<HeatMap, 'x' | 'y' | 'result'>

/** The heat map of these columns of a sweep, or a sentence that names the missing column. */
export function heatMapOf(
  header: SweepHeader,
  points: readonly PointResult[],
  { x, y, result }: HeatMapColumns,
): HeatMap | string {
  const [atX, atY, atResult] = [
    header.parameters.indexOf(x),
    y === undefined ? undefined : header.parameters.indexOf(y),
    header.results.indexOf(result),
  ]
  if (atX < 0 || (atY ?? 0) < 0)
    return `There is no parameter ${atX < 0 ? x : y}; the parameters are ${header.parameters.join(', ')}.`
  if (atResult < 0) return `There is no result ${result}; the results are ${header.results.join(', ')}.`
  const measured = points.flatMap(({ values, results }) =>
    results === undefined ? [] : [{ x: values[atX] ?? 0, y: values[atY ?? -1] ?? 0, value: results[atResult] ?? 0 }],
  )
  const sums = new Map<string, { sum: number; count: number }>()
  for (const one of measured) {
    const key = `${one.x} ${one.y}`
    const sum = sums.get(key) ?? { sum: 0, count: 0 }
    sums.set(key, { sum: sum.sum + one.value, count: sum.count + 1 })
  }
  const [columns, rows] = [ascending(measured.map((one) => one.x)), ascending(measured.map((one) => one.y))]
  const cells = rows.map((row) =>
    columns.map((column) => {
      const found = sums.get(`${column} ${row}`)
      return found && found.sum / found.count
    }),
  )
  const all = cells.flat().filter((value) => value !== undefined)
  const [least, most] = [
    all.reduce((a, b) => Math.min(a, b), Infinity),
    all.reduce((a, b) => Math.max(a, b), -Infinity),
  ]
  const unit = Object.entries(MEASURES).find(([name]) => result === name || result.endsWith(`.${name}`))?.[1] ?? ''
  return { x, y, result, unit, columns, rows, cells, least, most }
}

const ascending = (values: readonly number[]): readonly number[] => [...new Set(values)].toSorted((a, b) => a - b)

/** A value with as many digits as fit in a cell. */
export const shortNumber = (value: number): string => plain.amount(value)

/** Where a value lies between the least and the most, 0 to 1. */
export const partOf = ({ least, most }: HeatMap, value: number): number =>
  most > least ? (value - least) / (most - least) : 0

export const titleOf = ({ result, unit, x, y }: HeatMap): string =>
  `${result}${unit === '' ? '' : ` (${unit})`} by ${x} (across)${y === undefined ? '' : ` and ${y} (down)`}`

const SHADES = ['  ', '░░', '▒▒', '▓▓', '██'] as const

/** For a terminal: each cell has a shade and the value, darker for larger values. Every line is one row. */
export function heatMapText(map: HeatMap): readonly string[] {
  if (map.rows.length === 0) return [titleOf(map), 'No point has results.']
  const head = ['', ...map.columns.map((value) => String(value))]
  const body = map.rows.map((row, index) => [
    String(row),
    ...(map.cells[index] ?? []).map((value) =>
      value === undefined
        ? '–'
        : `${SHADES[Math.min(4, Math.floor(partOf(map, value) * 5))] ?? ''} ${shortNumber(value)}`,
    ),
  ])
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((cells) => cells[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')
  return [titleOf(map), '', line(head), ...body.map(line)]
}

/** Dimensions of the drawing, in units of its view box. */
const [CELL_WIDTH, CELL_HEIGHT, LEFT, TOP, BOTTOM] = [56, 28, 90, 44, 30]

/** The same as an SVG file: white for the smallest value, dark blue for the largest, the value in every cell. */
export function heatMapSvg(map: HeatMap): string {
  const { columns, rows, cells } = map
  const [width, height] = [LEFT + columns.length * CELL_WIDTH + 16, TOP + rows.length * CELL_HEIGHT + BOTTOM]
  const text = (x: number, y: number, words: string, more = ''): string =>
    `<text x="${x}" y="${y}"${more}>${escapeMarkup(words)}</text>`
  const drawn = cells.flatMap((row, atRow) =>
    row.flatMap((value, atColumn) => {
      if (value === undefined) return []
      const part = partOf(map, value)
      const [x, y] = [LEFT + atColumn * CELL_WIDTH, TOP + atRow * CELL_HEIGHT]
      const ink = part > 0.55 ? '#fff' : '#111'
      return [
        `<rect x="${x}" y="${y}" width="${CELL_WIDTH}" height="${CELL_HEIGHT}" fill="${shade(part)}"/>`,
        text(x + CELL_WIDTH / 2, y + 18, shortNumber(value), ` text-anchor="middle" fill="${ink}"`),
      ]
    }),
  )
  const across = columns.map((value, at) =>
    text(LEFT + (at + 0.5) * CELL_WIDTH, TOP - 6, String(value), ' text-anchor="middle"'),
  )
  const down = rows.map((value, at) => text(LEFT - 8, TOP + at * CELL_HEIGHT + 18, String(value), ' text-anchor="end"'))
  const title = titleOf(map)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.max(width, 480)} ${height}" role="img" font-family="system-ui, sans-serif" font-size="12" fill="#111">
<title>${escapeMarkup(title)}</title>
<rect width="100%" height="100%" fill="#fff"/>
${[text(8, 18, title, ' font-weight="600"'), ...across, ...down, ...drawn].join('\n')}
</svg>
`
}

/** A linear shade from white to dark blue. */
function shade(part: number): string {
  const channel = (dark: number): number => Math.round(255 + part * (dark - 255))
  return `rgb(${channel(12)},${channel(52)},${channel(110)})`
}
