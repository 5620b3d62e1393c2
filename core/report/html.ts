import { clock } from './words.ts'
import type { Report, ReportBlock, ReportChart, ReportLine } from '../contract/report.ts'

/** A report as one page without scripts, in black on white: everything that it shows is in it. */
export function reportHtml({ title, subtitle, sections }: Report): string {
  const body = sections.map((section) => `<h2>${escaped(section.title)}</h2>\n${section.blocks.map(block).join('\n')}`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>${escaped(subtitle)}</p>
${body.join('\n')}
</body>
</html>
`
}

const STYLE = `
body{font:11.5pt/1.45 system-ui,sans-serif;color:#111;background:#fff;max-width:190mm;margin:12mm auto;padding:0 4mm}
h1{font-size:18pt;margin:0}h2{font-size:13pt;margin:1.4em 0 .4em;border-bottom:1px solid #111}
table{border-collapse:collapse;width:100%;font-size:10pt}th{text-align:left;border-bottom:1px solid #111;white-space:nowrap}
th,td{padding:2pt 8pt 2pt 0;vertical-align:top}td:not(.n){overflow-wrap:anywhere}.n{text-align:right;font-variant-numeric:tabular-nums}
tr{break-inside:avoid}tbody tr+tr td{border-top:1px solid #ccc}figure{margin:1em 0;break-inside:avoid}
figcaption{font-weight:600}svg{width:100%;height:auto;font:9px system-ui,sans-serif}@page{size:A4;margin:14mm}`

function block(part: ReportBlock): string {
  switch (part.kind) {
    case 'text':
      return `<p>${escaped(part.text)}</p>`
    case 'list':
      return `<ul>\n${part.items.map((item) => `<li>${escaped(item)}</li>`).join('\n')}\n</ul>`
    case 'table': {
      const cell = (tag: 'td' | 'th', text: string, at: number): string =>
        `<${tag}${part.head[at]?.number === true ? ' class="n"' : ''}>${escaped(text)}</${tag}>`
      const head = part.head.map(({ text }, at) => cell('th', text, at)).join('')
      const rows = part.rows.map((row) => `<tr>${row.map((text, at) => cell('td', text, at)).join('')}</tr>`)
      return `<table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table>`
    }
    case 'chart':
      return chart(part)
  }
}

/** Of the drawing, in units of its view box. */
const [WIDTH, HEIGHT, LEFT, BOTTOM] = [640, 150, 44, 16]
const DASHES: Readonly<Record<ReportLine['dash'], string>> = {
  solid: '',
  dashed: ' stroke-dasharray="6 3"',
}

function chart({ title, unit, from, to, lines }: ReportChart): string {
  const values = lines.flatMap(({ points }) => points.flatMap(({ value }) => value ?? []))
  const top = values.reduce((most, value) => Math.max(most, value), 1)
  const x = (at: number): number => LEFT + ((at - from) / Math.max(1, to - from)) * (WIDTH - LEFT - 4)
  const y = (value: number): number => HEIGHT - BOTTOM - (value / top) * (HEIGHT - BOTTOM - 6)
  const grid = [0, top / 2, top].map(
    (value) =>
      `<line x1="${LEFT}" x2="${WIDTH}" y1="${short(y(value))}" y2="${short(y(value))}" stroke="#ccc"/><text x="${LEFT - 4}" y="${short(y(value) + 3)}" text-anchor="end">${short(value)}</text>`,
  )
  const times = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const at = from + part * (to - from)
    const anchor = part === 0 ? 'start' : part === 1 ? 'end' : 'middle'
    return `<text x="${short(x(at))}" y="${HEIGHT - 3}" text-anchor="${anchor}">${clock(at)}</text>`
  })
  const drawn = lines.map(
    ({ points, dash }) =>
      `<path d="${pathOf(points, x, y)}" fill="none" stroke="#111" stroke-width="1.4"${DASHES[dash]}/>`,
  )
  const key = lines.map(({ name, dash }) => `${name} (${dash})`).join(', ')
  return `<figure>
<figcaption>${escaped(title)}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(`${title}: ${key}, at most ${short(top)} ${unit}`)}">
${[...grid, ...times, ...drawn].join('\n')}
</svg>
<p>${escaped(`In ${unit}: ${key}.`)}</p>
</figure>`
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

const short = (value: number): string => String(Math.round(value * 10) / 10)

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
