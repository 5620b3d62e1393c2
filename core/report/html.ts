import { assignSlots, slotLook } from '../text/levelSlots.ts'
import { INDENT_PX, placeFirst, placeMarks, type MarkPlace } from '../text/marks.ts'
import {
  areaPath,
  fits,
  linePath,
  placeLabels,
  plotHeight,
  plotWidth,
  seatPlot,
  xOfTime,
  yOfValue,
} from '../text/plot.ts'
import { timeTicks, valueAxis } from '../text/axis.ts'
import { escapeMarkup } from '../text/markup.ts'
import { plain } from '../text/format.ts'
import type { Report, ReportBlock, ReportChart, ReportSection } from '../contract/report.ts'

/** What the stylesheets of the console give a page that stands alone. */
export interface Look {
  /** renderer/theme/tokens.css, or its two rules as a page has them. */
  readonly tokens: string
  /** The Latin subset of Inter as a data URL; its licence lets documents embed it. */
  readonly font: string
}

/** A report as one self-contained page without scripts, as dark as its reader likes it; it is printed on white. */
export function reportHtml(report: Report, { tokens, font }: Look): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; font-src data:">
<meta name="viewport" content="width=device-width">
<title>${escapeMarkup(report.title)}</title>
<style>@font-face{font-family:Inter;font-weight:100 900;src:url(${font}) format('woff2')}
${tokens.replaceAll(/\/\*[^]*?\*\//g, '').replace(LIGHT, '@media print,(prefers-color-scheme:light){:root{$1}}')}
body{margin:0;background:var(--surface)}${REPORT_STYLE}</style>
</head>
<body>
${reportMarkup(report)}
</body>
</html>
`
}

const LIGHT = /:root\[data-theme=['"]?light['"]?\]\s*\{([^}]*)\}/

/** The style of a sheet of paper in a shadow tree of the console: paper is white in every theme. */
export const sheetStyle = (tokens: string): string => `:host{${LIGHT.exec(tokens)?.[1] ?? ''}}${REPORT_STYLE}`

/** The colour of a level by its name. */
type Hue = (level: string) => string

const chartsOf = ({ sections }: Report): readonly ReportChart[] =>
  sections.flatMap(({ blocks }) => blocks.filter((part) => part.kind === 'chart'))

/** Levels without a colour of their own take one in the order of the charts. */
function ownHue(report: Report): Hue {
  const names = chartsOf(report).map(({ level }) => level)
  const slots = assignSlots({}, names) ?? {}
  return (level) => `var(${slotLook(level, slots).token})`
}

/** The article element of that page, without scripts and style attributes. */
export const reportMarkup = (report: Report, hue = ownHue(report)): string => `<article>
<h1>${escapeMarkup(report.title)}</h1>
<p>${escapeMarkup(report.subtitle)}</p>
${chartsOf(report).length === 0 ? '' : PATTERNS}${report.sections.map((one) => section(one, hue)).join('\n')}
</article>`

const section = ({ title, blocks, newPage }: ReportSection, hue: Hue): string =>
  `<section${newPage === true ? ' class="next"' : ''}>\n<h2>${escapeMarkup(title)}</h2>\n${blocks.map((part) => block(part, hue)).join('\n')}\n</section>`

/** The first sentence is the one to read; what the first page rests on begins on another. Drawings look as on the screens. */
const REPORT_STYLE = `
article{font:10pt/1.4 var(--font-ui);color:var(--text);background:var(--surface);max-width:182mm;margin:0 auto;padding:12mm 4mm}
h1{font-size:18pt;line-height:1.2;margin:0}h1+p{margin:.3em 0 0;color:var(--text-2)}p{margin:.5em 0}ul{margin:.5em 0;padding-left:1.3em}li+li{margin-top:.25em}
h2{font-size:12pt;margin:1.1em 0 .4em;border-top:1.5px solid var(--text);padding-top:.45em;break-after:avoid}
section:first-of-type>h2+p{font-size:13.5pt;font-weight:600;line-height:1.3}
table{border-collapse:collapse;width:100%;font-size:9pt}th{text-align:left;border-bottom:1px solid var(--text);white-space:nowrap;font-weight:500;color:var(--text-3)}
th,td{padding:1.5pt 10pt 1.5pt 0;vertical-align:top}:is(th,td):last-child{padding-right:0}td:not(.n){overflow-wrap:anywhere}td:first-child{min-width:25mm}th:first-child:nth-last-child(2){width:25mm}
.n{text-align:right;font-variant-numeric:tabular-nums}td.n{white-space:nowrap}
tr{break-inside:avoid}tbody tr+tr td{border-top:1px solid var(--line)}figure{margin:.7em 0;break-inside:avoid}
figcaption{font-weight:600;font-size:9.5pt}svg{display:block;width:100%;height:auto}.defs{position:absolute;width:0;height:0}
text{font:11px var(--font-ui);font-variant-numeric:tabular-nums;fill:var(--axis)}
.grid{stroke:var(--grid)}.tick,.first{stroke:var(--text-3)}.first{stroke-dasharray:2 3}.mark{stroke:var(--text-2)}.peak{fill:var(--text-2)}
.executing{fill-opacity:.75}.waiting{fill:url(#apf-stipple)}.edge,.limit,.nominal{fill:none}.edge{stroke:var(--sem-queued)}
.limit{stroke:var(--limit-line);stroke-width:1.75}.nominal{stroke:var(--nominal-line);stroke-width:1.25;stroke-dasharray:6 3}
.gap{fill:url(#apf-missing);stroke:var(--line-strong);stroke-dasharray:3 3}.dot{fill:var(--sem-queued)}.bar{fill:var(--line-strong)}
.said{fill:var(--text);stroke:var(--surface);stroke-width:3px;stroke-linejoin:round;paint-order:stroke}
.of-waiting{fill:var(--sem-queued)}.of-limit{fill:var(--text);font-weight:600}
@page{size:A4;margin:14mm}@media print{body,article{background:none}article{max-width:none;padding:0}.next{break-before:page}}`

/** What waits is stippled, and what was not sampled is hatched. */
const PATTERNS = `<svg class="defs" aria-hidden="true"><defs>
<pattern id="apf-stipple" width="4" height="4" patternUnits="userSpaceOnUse"><rect class="dot" width="1.5" height="1.5"/><rect class="dot" x="2" y="2" width="1.5" height="1.5"/></pattern>
<pattern id="apf-missing" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="bar" width="1" height="6"/></pattern>
</defs></svg>
`

function block(part: ReportBlock, hue: Hue): string {
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
      return chart(part, hue)
  }
}

/** Heights of a drawing with seats and of one without, pixels of a page as wide as A4. */
const [WIDTH, SEATS_HEIGHT, QUEUE_HEIGHT] = [688, 144, 84]
const UTC = { time: plain.time, offsetMs: 0 }
/** Between the labels of lines. */
const LABEL_PX = 13

function chart({ title, unit, level, from, to, lines, gaps, marks, firstRejection }: ReportChart, hue: Hue): string {
  const values = lines.flatMap(({ points }) => points.flatMap(({ value }) => value ?? []))
  const most = values.reduce((sofar, value) => Math.max(sofar, value), 0)
  const executing = lines.find(({ as }) => as === 'executing')
  const plot = seatPlot(WIDTH, executing === undefined ? QUEUE_HEIGHT : SEATS_HEIGHT)
  const place: MarkPlace = { plot, domain: { from, to }, time: plain.time }
  const axis = valueAxis(most, executing === undefined ? 2 : 4)
  const [ground, right] = [plot.height - plot.bottom, plot.width - plot.right]
  const x = (at: number): number => xOfTime(plot, place.domain, at)
  const y = (value: number | undefined): number | undefined =>
    value === undefined ? undefined : yOfValue(plot, axis.max, value)
  const grid = axis.ticks.map((value) => {
    const at = Math.round(yOfValue(plot, axis.max, value)) + 0.5
    return `<path class="grid" d="M${plot.left} ${at}H${right}"/><text x="${plot.left - 6}" y="${at + 4}" text-anchor="end">${plain.amount(value)}</text>`
  })
  const times = timeTicks(place.domain, plotWidth(plot), UTC).map(({ at, label }) => {
    const mark = Math.round(x(at)) + 0.5
    const words = `<text x="${mark}" y="${ground + 14}" text-anchor="middle">${label}</text>`
    return `<path class="tick" d="M${mark} ${ground}v4"/>${fits(plot, mark, label) ? words : ''}`
  })
  const drawn = lines.map(({ as, points }) => {
    const path = points.map(({ at, value }) => ({ x: x(at), y: y(value) }))
    if (as === 'limit' || as === 'nominal') return `<path class="${as}" d="${linePath(path, 'step')}"/>`
    const base = as === 'waiting' ? executing?.points : undefined
    const area = areaPath(path.map((point, i) => ({ ...point, base: y(base?.[i]?.value) ?? ground })))
    return as === 'executing'
      ? `<path class="executing" fill="${hue(level)}" d="${area}"/>`
      : `<path class="waiting" d="${area}"/><path class="edge" d="${linePath(path)}"/>`
  })
  const missing = gaps.map((gap) => {
    const [left, width] = [x(gap.from), Math.max(1, x(gap.to) - x(gap.from))]
    const length = plain.age(gap.to - gap.from)
    const words = [`no samples, ${length}`, length].find((text) => fits({ ...plot, width }, width / 2, text))
    const said = `<text class="said" x="${left + width / 2}" y="${ground - plotHeight(plot) / 2 + 4}" text-anchor="middle">${words}</text>`
    return `<rect class="gap" x="${left}" y="${plot.top}" width="${width}" height="${plotHeight(plot)}"/>${words === undefined ? '' : said}`
  })
  const ends = lines.flatMap(({ name, as, points }) => {
    const value = points.findLast((point) => point.value !== undefined)?.value
    return value === undefined ? [] : [{ as, name, value, y: yOfValue(plot, axis.max, value) }]
  })
  // Of equal ends the last one is named: a limit before what fills it.
  const named = ends.filter(({ value }, i) => ends.findLastIndex((end) => end.value === value) === i)
  const edge = placeLabels(named, LABEL_PX, plot.top + 4, ground).map(
    ({ as, name, value, at }) =>
      `<text class="of-${as}" x="${right + 7}" y="${at + 4}">${escapeMarkup(name)} ${plain.amount(value)}</text>`,
  )
  const happened = marks.filter(({ at }) => at >= from && at <= to).map(({ at, text }) => `${plain.time(at)} ${text}`)
  const key = lines.map(({ name }) => name).join(', ')
  const label = [`${title}: ${key}, at most ${plain.amount(most)} ${unit}`, ...happened].join('; ')
  return `<figure>
<figcaption>${escapeMarkup(title)}</figcaption>
<svg viewBox="0 0 ${plot.width} ${plot.height}" role="img" aria-label="${escapeMarkup(label)}">
${[...grid, ...times, ...drawn, ...missing, ...events(marks, firstRejection, place), ...edge].join('\n')}
</svg>
</figure>`
}

/** A line and its words for each event, as on the screens. */
function events(marks: ReportChart['marks'], firstRejection: number | undefined, place: MarkPlace): readonly string[] {
  const { top } = place.plot
  const line = (name: string, x: number): string => `<path class="${name}" d="M${x} ${top}v${plotHeight(place.plot)}"/>`
  const words = (x: number, row: number, text: string, anchor: string): string =>
    `<text class="said" x="${x}" y="${top + row}" text-anchor="${anchor}">${escapeMarkup(text)}</text>`
  const first = firstRejection === undefined ? undefined : placeFirst(firstRejection, placeMarks(marks, place), place)
  return [
    ...(first === undefined ? [] : [line('first', first.x)]),
    ...(first?.words === undefined ? [] : [words(first.words.x, 11, first.words.text, first.words.anchor)]),
    ...placeMarks(marks, place).map(
      ({ x, label }) =>
        `${line('mark', x)}<path class="peak" d="M${x - 4} ${top}h8l-4 6z"/>${label === undefined ? '' : words(x + INDENT_PX, 25, label, 'start')}`,
    ),
  ]
}
