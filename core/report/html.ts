import { timeTicks, valueAxis } from '../text/axis.ts'
import { escapeMarkup } from '../text/markup.ts'
import { plain, rounded } from '../text/format.ts'
import type { Report, ReportBlock, ReportChart, ReportLine, ReportSection } from '../contract/report.ts'

/** A report as one self-contained page without scripts, on white. */
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
${sections.map(section).join('\n')}
</article>`

const section = ({ title, blocks, newPage }: ReportSection): string =>
  `<section${newPage === true ? ' class="next"' : ''}>\n<h2>${escapeMarkup(title)}</h2>\n${blocks.map(block).join('\n')}\n</section>`

/** That of the console; a saved page loads nothing and has it where it is installed. */
const FONT = "Inter,'Inter Variable','Segoe UI',system-ui,sans-serif"

/** The first sentence is the one to read; charts stand in pairs; what the first page rests on begins on another. */
export const REPORT_STYLE = `
article{font:10.5pt/1.45 ${FONT};color:#191d1e;background:#fff;max-width:182mm;margin:0 auto;padding:12mm 4mm}
h1{font-size:18pt;line-height:1.2;margin:0}h1+p{margin:.3em 0 0;color:#444b4d}p{margin:.5em 0}ul{margin:.5em 0;padding-left:1.3em}
h2{font-size:12pt;margin:1.5em 0 .5em;border-top:1.5px solid #191d1e;padding-top:.45em;break-after:avoid}
section:first-of-type>h2+p{font-size:13.5pt;font-weight:600;line-height:1.3}
section:has(figure){display:grid;grid-template-columns:repeat(2,minmax(0,1fr));column-gap:8mm}section>:not(figure){grid-column:1/-1}
table{border-collapse:collapse;width:100%;font-size:9.5pt}th{text-align:left;border-bottom:1px solid #191d1e;white-space:nowrap;font-weight:500;color:#5b6264}
th,td{padding:2.5pt 10pt 2.5pt 0;vertical-align:top}:is(th,td):last-child{padding-right:0}td:not(.n){overflow-wrap:anywhere}td:first-child{min-width:25mm}
.n{text-align:right;font-variant-numeric:tabular-nums}td.n{white-space:nowrap}
tr{break-inside:avoid}tbody tr+tr td{border-top:1px solid #ddd}figure{margin:.5em 0;break-inside:avoid}
figcaption{font-weight:600;font-size:9.5pt}svg{display:block;width:100%;height:auto;font:9px ${FONT};fill:#444b4d}
@page{size:A4;margin:14mm}@media print{article{max-width:none;padding:0}.next{break-before:page}}`

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
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [330, 130, 34, 72, 6, 18]
const LINE = 11
const DASHES: Readonly<Record<ReportLine['dash'], string>> = {
  solid: '',
  dashed: ' stroke-dasharray="6 3"',
}
/** The console's own on white: what waits has its colour wherever it is drawn. */
const INKS = {
  waits: { area: '#f0deb0', stroke: '#7d5600' },
  other: { area: '#dfe4e5', stroke: '#191d1e' },
} as const
const inkOf = ({ waits }: ReportLine) => INKS[waits === true ? 'waits' : 'other']
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
      `<line x1="${LEFT}" x2="${right}" y1="${short(y(value))}" y2="${short(y(value))}" stroke="${value === 0 ? '#191d1e' : '#ddd'}"/><text x="${LEFT - 5}" y="${short(y(value) + 3)}" text-anchor="end">${plain.amount(value)}</text>`,
  )
  const times = timeTicks({ from, to }, right - LEFT, UTC).map(
    ({ at, label }) =>
      `<line x1="${short(x(at))}" x2="${short(x(at))}" y1="${floor}" y2="${floor + 3}" stroke="#191d1e"/><text x="${short(x(at))}" y="${HEIGHT - 5}" text-anchor="middle">${label}</text>`,
  )
  const areas = lines
    .filter(({ dash }) => dash === 'solid')
    .map((line) => `<path d="${areaOf(line.points, x, y)}" fill="${inkOf(line).area}"/>`)
  const drawn = lines.map(
    (line) =>
      `<path d="${pathOf(line.points, x, y)}" fill="none" stroke="${inkOf(line).stroke}" stroke-width="1.2" stroke-linejoin="round"${DASHES[line.dash]}/>`,
  )
  const key = lines.map(({ name, dash }) => `${name} (${dash})`).join(', ')
  return `<figure>
<figcaption>${escapeMarkup(title)}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeMarkup(`${title}: ${key}, at most ${plain.amount(most)} ${unit}`)}">
${[...areas, ...grid, ...times, ...drawn, ...lineNames(lines, y)].join('\n')}
</svg>
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
