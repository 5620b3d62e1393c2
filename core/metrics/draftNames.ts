import { EARLIEST_LIMIT, FAMILY } from './familyNames.ts'

const PREFIX = 'apiserver_flowcontrol_'

/** Names of the draft of KEP-1040, which no release has, by those that replaced them. */
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
    return `${comment}${DRAFT_NAMES.get(name) ?? name}${suffix}${labels}`
  })
