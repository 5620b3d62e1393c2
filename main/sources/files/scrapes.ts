import { MS_PER_SECOND, type UnixMs } from '../../../core/units.ts'

/** The result of one scrape of one target: the samples of one instant. */
export interface Scrape {
  /** The target label that Prometheus adds; empty without. */
  readonly instance: string
  /** Absent for samples without times. */
  readonly at?: UnixMs
  /** A page without times, and without the labels that Prometheus added. */
  readonly text: string
}

/** A whole line: name, labels, value and time. */
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?[ \t]+(\S+)(?:[ \t]+(-?\d+(?:\.\d+)?))?[ \t]*\r?$/
/** Federation keeps the label of the scraped server as `exported_instance` where it adds one of its own. */
const INSTANCES = ['exported_instance', 'instance'].map(
  (label) => new RegExp(String.raw`(?:^|,)\s*${label}="((?:[^"\\]|\\.)*)"`),
)
const ADDED = /(?:^|,)\s*(?:(?:exported_)?(?:instance|job)|__name__|prometheus|prometheus_replica)="(?:[^"\\]|\\.)*"/g

/**
 * The scrapes in a text of Prometheus, as federation, `promtool tsdb dump-openmetrics` and copied query results have
 * them, in chronological order; `undefined` for the page of one server.
 */
export function scrapesIn(text: string): readonly Scrape[] | undefined {
  // Pages of servers have neither times nor targets; the first of their samples is enough to detect that.
  const first = /^[^#\s].*$/m.exec(text)?.[0]
  const sample = first === undefined ? null : SAMPLE.exec(first)
  if (sample?.[4] === undefined && !text.includes('instance="')) return undefined
  // OpenMetrics uses seconds, the older format milliseconds; both as Unix times.
  const unit = /^# EOF\s*$/m.test(text.slice(-16)) ? MS_PER_SECOND : 1
  const scrapes = new Map<
    string,
    { readonly instance: string; readonly at: UnixMs | undefined; readonly lines: string[] }
  >()
  const types: string[] = []
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) {
      if (line.startsWith('# TYPE ')) types.push(`${line}\n`)
      continue
    }
    const [, name, labels = '', value = '', time] = SAMPLE.exec(line) ?? []
    if (name === undefined) continue
    const instance = INSTANCES.map((label) => label.exec(labels)?.[1]).find((found) => found !== undefined) ?? ''
    const at = time === undefined ? undefined : Math.round(Number(time) * unit)
    // Not a valid date.
    if (at !== undefined && Number.isNaN(new Date(at).valueOf())) continue
    const key = `${at ?? ''} ${instance}`
    const scrape = scrapes.get(key) ?? { instance, at, lines: new Array<string>() }
    scrapes.set(key, scrape)
    const own = labels.replaceAll(ADDED, '').replace(/^,/, '')
    scrape.lines.push(own === '' ? `${name} ${value}` : `${name}{${own}} ${value}`)
  }
  if (scrapes.size < 2) return undefined
  const head = types.join('')
  return [...scrapes.values()]
    .toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))
    .map(({ instance, at, lines }) => ({
      instance,
      ...(at !== undefined && { at }),
      text: `${head}${lines.join('\n')}\n`,
    }))
}
