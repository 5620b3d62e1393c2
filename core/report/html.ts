import { timeTicks, valueAxis } from '../text/axis.ts'
import { escapeMarkup } from '../text/markup.ts'
import { plain, rounded } from '../text/format.ts'
import type { Report, ReportBlock, ReportChart, ReportLine } from '../contract/report.ts'

/** A report as one self-contained page without scripts, in black on white. */
export function reportHtml(report: Report): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escapeMarkup(report.title)}</title>
<style>body{margin:0;background:#fff}${REPORT_STYLE}</style>
</head>
<body>
${reportMarkup(report)}
</body>
</html>
`
}

/** The article element of that page, without scripts and style attributes; `REPORT_STYLE` is its style. */
export const reportMarkup = ({ title, subtitle, sections }: Report): string => `<article>
<h1>${escapeMarkup(title)}</h1>
<p>${escapeMarkup(subtitle)}</p>
${sections.map((section) => `<h2>${escapeMarkup(section.title)}</h2>\n${section.blocks.map(block).join('\n')}`).join('\n')}
</article>`

/** That of the console; a saved page loads nothing and has it where it is installed. */
const FONT = "Inter,'Inter Variable','Segoe UI',system-ui,sans-serif"

export const REPORT_STYLE = `
article{font:11.5pt/1.45 ${FONT};color:#111;background:#fff;max-width:190mm;margin:0 auto;padding:12mm 4mm}
h1{font-size:18pt;margin:0}h2{font-size:13pt;margin:1.4em 0 .4em;border-bottom:1px solid #111}
table{border-collapse:collapse;width:100%;font-size:10pt}th{text-align:left;border-bottom:1px solid #111;white-space:nowrap}
th,td{padding:2pt 8pt 2pt 0;vertical-align:top}td:not(.n){overflow-wrap:anywhere}.n{text-align:right;font-variant-numeric:tabular-nums}
tr{break-inside:avoid}tbody tr+tr td{border-top:1px solid #ccc}figure{margin:1em 0;break-inside:avoid}
figcaption{font-weight:600}svg{display:block;width:100%;height:auto;font:9px ${FONT}}h2{break-after:avoid}
@page{size:A4;margin:14mm}@media print{article{max-width:none;padding:0}}`

function block(part: ReportBlock): string {
  switch (part.kind) {
    case 'text':
      return `<p>${escapeMarkup(part.text)}</p>`
    case 'list':
      return `<ul>\n${part.items.map((item) => `<li>${escapeMarkup(item)}</li>`).join('\n')}\n</ul>`
    case 'table': {
      const cell = (tag: 'td' | 'th', text: string, at: number): string =>
        `<${tag}${part.head[at]?.number === true ? ' class="n"' : ''}>${escapeMarkup(text)}</${tag}>`
      const head = part.head.map(({ text }, at) => cell('th', text, at)).join('')
      const rows = part.rows.map((row) => `<tr>${row.map((text, at) => cell('td', text, at)).join('')}</tr>`)
      return `<table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table>`
    }
    case 'chart':
      return chart(part)
  }
}

/** Dimensions of the drawing, in units of its view box; the names of lines are right of the plot. */
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 160, 40, 92, 6, 18]
const LINE = 11
const DASHES: Readonly<Record<ReportLine['dash'], string>> = {
  solid: '',
  dashed: ' stroke-dasharray="6 3"',
}
const UTC = { time: plain.time, offsetMs: 0 }

function chart({ title, unit, from, to, lines }: ReportChart): string {
  const values = lines.flatMap(({ points }) => points.flatMap(({ value }) => value ?? []))
  const most = values.reduce((sofar, value) => Math.max(sofar, value), 0)
  const axis = valueAxis(most)
  const [right, floor] = [WIDTH - RIGHT, HEIGHT - BOTTOM]
  const x = (at: number): number => LEFT + ((at - from) / Math.max(1, to - from)) * (right - LEFT)
  const y = (value: number): number => floor - (value / axis.max) * (floor - TOP)
  const grid = axis.ticks.map(
    (value) =>
      `<line x1="${LEFT}" x2="${right}" y1="${short(y(value))}" y2="${short(y(value))}" stroke="${value === 0 ? '#111' : '#ddd'}"/><text x="${LEFT - 5}" y="${short(y(value) + 3)}" text-anchor="end">${plain.amount(value)}</text>`,
  )
  const times = timeTicks({ from, to }, right - LEFT, UTC).map(
    ({ at, label }) =>
      `<line x1="${short(x(at))}" x2="${short(x(at))}" y1="${floor}" y2="${floor + 3}" stroke="#111"/><text x="${short(x(at))}" y="${HEIGHT - 5}" text-anchor="middle">${label}</text>`,
  )
  const areas = lines
    .filter(({ dash }) => dash === 'solid')
    .map(({ points }) => `<path d="${areaOf(points, x, y)}" fill="#e6e6e6"/>`)
  const drawn = lines.map(
    ({ points, dash }) =>
      `<path d="${pathOf(points, x, y)}" fill="none" stroke="#111" stroke-width="1.2" stroke-linejoin="round"${DASHES[dash]}/>`,
  )
  const key = lines.map(({ name, dash }) => `${name} (${dash})`).join(', ')
  return `<figure>
<figcaption>${escapeMarkup(title)}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeMarkup(`${title}: ${key}, at most ${plain.amount(most)} ${unit}`)}">
${[...areas, ...grid, ...times, ...drawn, ...lineNames(lines, y)].join('\n')}
</svg>
<p>${escapeMarkup(`In ${unit}: ${key}. UTC.`)}</p>
</figure>`
}

/** The name and last value of each line, next to its end, from the top down; close ends leave room for each name. */
function lineNames(lines: readonly ReportLine[], y: (value: number) => number): readonly string[] {
  const ends = lines.flatMap(({ name, points }) => {
    const value = points.findLast((point) => point.value !== undefined)?.value
    return value === undefined ? [] : [{ text: `${name} ${plain.amount(value)}`, y: y(value) }]
  })
  let least = TOP
  return ends
    .toSorted((a, b) => a.y - b.y)
    .map((end) => {
      const at = Math.max(end.y, least)
      least = at + LINE
      return `<text x="${WIDTH - RIGHT + 6}" y="${short(at + 3)}">${escapeMarkup(end.text)}</text>`
    })
}

/** Fills down to zero, for each run of known values. */
function areaOf(points: ReportLine['points'], x: (at: number) => number, y: (value: number) => number): string {
  let run: string[] = []
  let last: number | undefined
  const areas: string[] = []
  const end = (): void => {
    if (run.length > 0 && last !== undefined) areas.push(`M${run.join('L')}V${short(y(0))}H${run[0]?.split(' ')[0]}Z`)
    run = []
  }
  for (const { at, value } of points) {
    if (value === undefined) end()
    else run.push(`${short(x(at))} ${short(y(value))}`)
    last = at
  }
  end()
  return areas.join('')
}

/** One stroke for each run of known values. */
function pathOf(points: ReportLine['points'], x: (at: number) => number, y: (value: number) => number): string {
  let pen = 'M'
  return points
    .map(({ at, value }) => {
      if (value === undefined) {
        pen = 'M'
        return ''
      }
      const step = `${pen}${short(x(at))} ${short(y(value))}`
      pen = 'L'
      return step
    })
    .join('')
}

/** Coordinates in a drawing. */
const short = (value: number): number => rounded(value, 1)
