import { MS_PER_SECOND, type UnixMs } from '../../../core/units.ts'

/** The result of one scrape of one target: the samples of one instant. */
export interface Scrape {
  /** The target label that Prometheus adds; empty without. */
  readonly instance: string
  readonly at: UnixMs
  /** A page without times, and without the labels that Prometheus added. */
  readonly text: string
}

/** A whole line: name, labels, value and time. */
const TIMED = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?[ \t]+(\S+)[ \t]+(-?\d+(?:\.\d+)?)\r?$/
const INSTANCE = /(?:^|,)instance="((?:[^"\\]|\\.)*)"/
const ADDED = /(?:^|,)(?:instance|job|__name__)="(?:[^"\\]|\\.)*"/g

/**
 * The scrapes in a text whose samples have times, as `promtool tsdb dump-openmetrics` and federation write them, in
 * chronological order; `undefined` for a text whose samples have no times or all the same.
 */
export function scrapesIn(text: string): readonly Scrape[] | undefined {
  // Most pages have no times; their first sample is enough to detect that.
  const first = /^[^#\s].*$/m.exec(text)?.[0]
  if (first === undefined || !TIMED.test(first)) return undefined
  // OpenMetrics uses seconds, the older format milliseconds; both as Unix times.
  const unit = /^# EOF\s*$/m.test(text.slice(-16)) ? MS_PER_SECOND : 1
  const scrapes = new Map<string, { readonly instance: string; readonly at: UnixMs; readonly lines: string[] }>()
  const types: string[] = []
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) {
      if (line.startsWith('# TYPE ')) types.push(`${line}\n`)
      continue
    }
    const [, name, labels = '', value = '', time] = TIMED.exec(line) ?? []
    if (name === undefined) continue
    const instance = INSTANCE.exec(labels)?.[1] ?? ''
    const at = Math.round(Number(time) * unit)
    const key = `${at} ${instance}`
    // Not a valid date.
    if (Number.isNaN(new Date(at).valueOf())) continue
    const scrape = scrapes.get(key) ?? { instance, at, lines: new Array<string>() }
    scrapes.set(key, scrape)
    const own = labels.replaceAll(ADDED, '').replace(/^,/, '')
    scrape.lines.push(own === '' ? `${name} ${value}` : `${name}{${own}} ${value}`)
  }
  const instants = new Set([...scrapes.values()].map(({ at }) => at))
  if (instants.size < 2) return undefined
  const head = types.join('')
  return [...scrapes.values()]
    .toSorted((a, b) => a.at - b.at)
    .map(({ instance, at, lines }) => ({ instance, at, text: `${head}${lines.join('\n')}\n` }))
}
