import { microsecondsToSeconds } from '../units.ts'
import { EARLIEST_LIMIT, FAMILY, PREFIX } from './familyNames.ts'

/** Names of the draft of KEP-1040, which no release has, and of releases before it, with those that replaced them. */
const DRAFT_NAMES: ReadonlyMap<string, string> = new Map([
  ['apiserver_rejected_requests', FAMILY.rejected],
  ['apiserver_current_inqueue_requests', FAMILY.queuedRequests],
  ['apiserver_request_queue_length', FAMILY.queueLength],
  ['apiserver_current_executing_requests', FAMILY.executingRequests],
  ['apiserver_dispatched_requests', FAMILY.dispatched],
  ['apiserver_wait_duration', FAMILY.wait],
  ['apiserver_service_duration', FAMILY.execution],
  [`${PREFIX}request_min_concurrency_limit`, FAMILY.lower],
  [`${PREFIX}request_max_concurrency_limit`, FAMILY.upper],
  [`${PREFIX}request_current_concurrency_limit`, FAMILY.current],
  [`${PREFIX}demand_seats_high_water_mark`, FAMILY.highWatermark],
  [`${PREFIX}smoothed_demand_seats`, FAMILY.smoothed],
  // Before the draft, up to 1.16.
  ['apiserver_longrunning_gauge', 'apiserver_longrunning_requests'],
  ['apiserver_request_count', 'apiserver_request_total'],
  ['apiserver_request_latencies', 'apiserver_request_duration_seconds'],
  // The same names, with the labels of the draft.
  ...[EARLIEST_LIMIT, FAMILY.average, FAMILY.stdev, FAMILY.target, FAMILY.demandRatio].map(
    (name) => [name, name] as const,
  ),
])

/** By label: its present name, and the present names of its values. */
const DRAFT_LABELS: Readonly<Record<string, readonly [name: string, values?: Readonly<Record<string, string>>]>> = {
  priority: ['priority_level'],
  FlowSchema: ['flow_schema'],
  flowschema: ['flow_schema'],
  when: ['reason', { arrival: 'queue-full', timeout: 'time-out' }],
}

const NAME = new RegExp(
  `^(# (?:TYPE|HELP) )?(${[...DRAFT_NAMES.keys()].join('|')})(_bucket|_sum|_count)?(?=[{ ])(.*)$`,
  'gm',
)
/** The histogram whose values are in microseconds. */
const IN_MICROSECONDS = 'apiserver_request_latencies'
const LE = /([{,]le=")([\d.e+]+)"/
const VALUE = /(?<=\}\s+)[\d.e+]+/
const seconds = (microseconds: string): string => String(microsecondsToSeconds(Number(microseconds)))
const LABEL = /([{,]\s*)(priority|FlowSchema|flowschema|when)="((?:[^"\\]|\\.)*)"/g

/** A page with the names of the draft under their present names; any other page unchanged. */
export const withPresentNames = (page: string): string =>
  page.replaceAll(NAME, (line, comment = '', name: string, suffix = '', rest: string) => {
    // A server's own family of this name counts requests by kind.
    if (rest.includes('request_kind=')) return line
    const labels = rest.replaceAll(LABEL, (_whole, before: string, label: string, value: string) => {
      const [present = label, values = {}] = DRAFT_LABELS[label] ?? []
      return `${before}${present}="${values[value] ?? value}"`
    })
    const bounds =
      name === IN_MICROSECONDS
        ? labels.replace(LE, (_whole, le: string, bound: string) => `${le}${seconds(bound)}"`)
        : labels
    const values = name === IN_MICROSECONDS && suffix === '_sum' ? bounds.replace(VALUE, seconds) : bounds
    return `${comment}${DRAFT_NAMES.get(name) ?? name}${suffix}${values}`
  })
