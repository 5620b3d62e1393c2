import { CLUSTER_LABELS, INSTANCE_LABELS } from '../../../core/prom/discovery.ts'
import { MS_PER_SECOND, type UnixMs } from '../../../core/units.ts'

/** The result of one scrape of one target: the samples of one instant. */
export interface Scrape {
  /** The values of the target labels that tell the servers apart; empty without. */
  readonly instance: string
  /** Absent for samples without times. */
  readonly at?: UnixMs
  /** A page without times, and without the labels that Prometheus added. */
  readonly text: string
}

/** A whole line: name, labels, value and time. */
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?[ \t]+(\S+)(?:[ \t]+(-?\d+(?:\.\d+)?))?[ \t]*\r?$/
const TARGET_LABELS = [...CLUSTER_LABELS, ...INSTANCE_LABELS]
/** A sample of flow control with a label of its target: such metrics have none of these names themselves. */
const OF_TARGET = new RegExp(
  String.raw`^apiserver_flowcontrol_\w+\{[^\n]*\b(?:exported_)?(?:${TARGET_LABELS.join('|')})="`,
  'm',
)
const valueIn = (label: string): ((labels: string) => string | undefined) => {
  const pattern = new RegExp(String.raw`(?:^|,)\s*${label}="((?:[^"\\]|\\.)*)"`)
  return (labels) => pattern.exec(labels)?.[1]
}
const ADDED = /(?:^|,)\s*(?:(?:exported_)?(?:instance|job)|__name__|prometheus|prometheus_replica)="(?:[^"\\]|\\.)*"/g

/**
 * The scrapes in a text of Prometheus, as federation, `promtool tsdb dump-openmetrics` and copied query results have
 * them, in chronological order; `undefined` for the page of one server.
 */
export function scrapesIn(text: string): readonly Scrape[] | undefined {
  // Pages of servers have neither times nor targets; the first of their samples is enough to detect that.
  const first = /^[^#\s].*$/m.exec(text)?.[0]
  const sample = first === undefined ? null : SAMPLE.exec(first)
  if (sample?.[4] === undefined && !text.includes('instance="') && !OF_TARGET.test(text)) return undefined
  const targetOf = targetIn(text)
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
    // Prometheus notes by such a sample that a series ended, or that a scrape failed.
    if (name === undefined || (time !== undefined && value === 'NaN')) continue
    const instance = targetOf(labels)
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

/**
 * The server of a sample: the values of the label for clusters and of the label for servers, as far as several values
 * occur. Federation keeps labels of the scraped server as `exported_…` where it adds its own.
 */
function targetIn(text: string): (labels: string) => string {
  const ofFlowControl = Array.from(
    text.matchAll(/^apiserver_flowcontrol_\w+\{([^\n]*)\}/gm),
    ([, labels = '']) => labels,
  )
  const reader = (name: string): ((labels: string) => string) => {
    const [exported, own] = [valueIn(`exported_${name}`), valueIn(name)]
    return (labels) => exported(labels) ?? own(labels) ?? ''
  }
  /** The label that tells most targets apart; of several, the usual one. */
  const best = (names: readonly string[]): readonly ((labels: string) => string)[] => {
    const counted = names.map((name) => {
      const read = reader(name)
      return { read, values: new Set(ofFlowControl.map(read)).size }
    })
    const most = Math.max(...counted.map(({ values }) => values))
    return most < 2
      ? []
      : counted
          .filter(({ values }) => values === most)
          .slice(0, 1)
          .map(({ read }) => read)
  }
  const servers = best(INSTANCE_LABELS)
  const readers = [...best(CLUSTER_LABELS), ...(servers.length > 0 ? servers : [reader('instance')])]
  return (labels) =>
    readers
      .map((read) => read(labels))
      .filter((value) => value !== '')
      .join(' ')
}
