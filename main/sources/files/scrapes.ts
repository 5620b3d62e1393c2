import { isPageLabel } from '../../../core/prom/asked.ts'
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

/** Of one file: a day of three servers, every 15 s. More would take minutes, and gigabytes. */
export const MOST_PAGES = 20_000
/** A fleet has hundreds. */
const MOST_SERVERS = 1_000

/** All labels of a sample. */
const MOST_LABEL_CHARACTERS = 10_000

/** Whether a file holds more than can be shown. */
export const isTooMuch = (scrapes: readonly Partial<Scrape>[]): boolean =>
  scrapes.length > MOST_PAGES || new Set(scrapes.map(({ instance }) => instance)).size > MOST_SERVERS

/** A whole line: name, labels, value and time. */
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?[ \t]+(\S+)(?:[ \t]+(-?\d+(?:\.\d+)?(?:e\+?\d+)?))?[ \t]*\r?$/
/** Labels of flow control in releases before 1.20 and in the draft of KEP-1040. */
const EARLIER_LABEL = /^(?:priorityLevel|flow_?[sS]chema|FlowSchema|priority|when)$/
/** Labels of the scrape, which two scrapes of one server may have too. */
const OF_SCRAPE = /^(?:job|monitor|replica|prometheus(?:_replica)?)$/
const valueIn = (label: string): ((labels: string) => string | undefined) => {
  const pattern = new RegExp(String.raw`(?:^|,)\s*${label}="((?:[^"\\]|\\.)*)"`)
  return (labels) => pattern.exec(labels)?.[1]
}
const ADDED = /(?:^|,)\s*(?:(?:exported_)?(?:instance|job)|__name__|prometheus|prometheus_replica)="(?:[^"\\]|\\.)*"/g

/**
 * Whether a page or a dump ends in a sample or in a row with all its cells, without the end of the line: as pasted, or cut
 * within the last value.
 */
export function endsOpen(text: string): boolean {
  const last = text.slice(text.lastIndexOf('\n') + 1)
  const [header] = /^PriorityLevelName,.*$/m.exec(text) ?? []
  if (header === undefined) return SAMPLE.test(last)
  return last.trim() !== '' && last !== header && last.split(',').length === header.split(',').length
}

/**
 * The scrapes in a text of Prometheus, as federation, `promtool tsdb dump-openmetrics` and copied query results have
 * them, in chronological order; `undefined` for the page of one server.
 */
export function scrapesIn(text: string): readonly Scrape[] | undefined {
  // Pages of servers have neither times nor targets; the first of their samples is enough to detect that.
  const first = /^[^#\s].*$/m.exec(text)?.[0]
  const sample = first === undefined ? null : SAMPLE.exec(first)
  const targets = targetLabels(text)
  if (sample?.[4] === undefined && !text.includes('instance="') && targets.size === 0) return undefined
  const targetOf = targetIn(text, targets)
  // OpenMetrics uses seconds, the older format milliseconds; both as Unix times. Its last line may be cut off.
  const unit = /^# EOF\s*$/m.test(text.slice(-16)) || isInSeconds(Number(sample?.[4])) ? MS_PER_SECOND : 1
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
    const at = time === undefined ? undefined : Math.trunc(Number(time) * unit)
    // Not a valid date.
    if (at !== undefined && Number.isNaN(new Date(at).valueOf())) continue
    const key = `${at ?? ''} ${instance}`
    const scrape = scrapes.get(key) ?? { instance, at, lines: new Array<string>() }
    scrapes.set(key, scrape)
    const own = labels.replaceAll(ADDED, '').replace(/^,/, '')
    scrape.lines.push(own === '' ? `${name} ${value}` : `${name}{${own}} ${value}`)
    if (scrapes.size > MOST_PAGES) break
  }
  const last = text.slice(text.lastIndexOf('\n') + 1)
  if (last.trim() !== '' && !last.startsWith('#') && !SAMPLE.test(last)) [...scrapes.values()].at(-1)?.lines.push(last)
  if (scrapes.size < (sample?.[4] === undefined ? 2 : 1)) return undefined
  const head = types.join('')
  return [...scrapes.values()]
    .toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))
    .map(({ instance, at, lines }) => ({
      instance,
      ...(at !== undefined && { at }),
      text: `${head}${lines.join('\n')}\n`,
    }))
}

/** Seconds from 2001 on; as milliseconds they would be in the first years after 1970. */
const isInSeconds = (time: number): boolean => time >= 1e9 && time < 1e11

const labelsOf = (text: string): readonly string[] =>
  Array.from(text.matchAll(/^apiserver_flowcontrol_\w+\{([^\n]*)\}/gm), ([, labels = '']) => labels)

/** The labels that all samples of flow control have and that are not their own, without the `exported_` of federation. */
function targetLabels(text: string): ReadonlySet<string> {
  const [first = '', ...others] = labelsOf(text)
  if (first.length > MOST_LABEL_CHARACTERS) return new Set()
  const names = Array.from(first.matchAll(/(?:^|,)\s*(\w+)="/g), ([, name = '']) => name)
  const added = names.filter(
    (name) => !isPageLabel(name) && !EARLIER_LABEL.test(name) && others.every((labels) => labels.includes(`${name}="`)),
  )
  return new Set(added.map((name) => name.replace(/^exported_/, '')))
}

/**
 * The server of a sample: the values of the label for clusters and of the label for servers, as far as several values
 * occur. Federation keeps labels of the scraped server as `exported_…` where it adds its own.
 */
function targetIn(text: string, targets: ReadonlySet<string>): (labels: string) => string {
  const ofFlowControl = labelsOf(text)
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
  const unusual = [...targets].filter((name) => !CLUSTER_LABELS.includes(name) && !OF_SCRAPE.test(name))
  // Two jobs may scrape one server, which its instance would tell.
  const jobs = INSTANCE_LABELS.some((name) => targets.has(name)) ? [] : ['job']
  const ways = [INSTANCE_LABELS, unusual, jobs].map(best)
  const servers = ways.find((found) => found.length > 0) ?? [reader('instance')]
  const readers = [...best(CLUSTER_LABELS), ...servers]
  return (labels) =>
    readers
      .map((read) => read(labels))
      .filter((value) => value !== '')
      .join(' ')
}
