import { promqlOf, USUAL_INTERVAL_MS, type MeasureId, type Place } from './measures.ts'
import { durationText } from './promql.ts'

/** A rule that makes an expression over long ranges cheap. */
export interface RecordingRule {
  readonly record: string
  readonly expr: string
  /** One sentence: which queries read fewer series with it. */
  readonly saves: string
}

const PREFIX = 'priority_level:apiserver_flowcontrol_'

/** Recorded for each level: sums over its flow schemas, which account for most of the series. */
const RULES = [
  ['current_executing_seats:sum', 'executing', 'executing seats: one series per level instead of one per flow schema.'],
  ['current_inqueue_requests:sum', 'queued', 'queued requests: one series per level instead of one per flow schema.'],
  [
    'dispatched_requests:rate',
    'dispatched',
    'dispatched requests: one series per level instead of one per flow schema, and one sample instead of a window of them.',
  ],
  [
    'rejected_requests:rate',
    'rejected',
    'rejected requests: one series per level instead of one per flow schema and reason.',
  ],
  ['request_wait_duration_seconds:p50', 'waitP50', 'median waits: one series per level instead of 14 per flow schema.'],
  ['request_wait_duration_seconds:p99', 'waitP99', 'waits: one series per level instead of 14 per flow schema.'],
  ['request_execution_seconds:p99', 'executionP99', 'executions: one series per level instead of 14 per flow schema.'],
] as const satisfies readonly (readonly [string, MeasureId, string])[]

/** Rules for the families of this server's version, valid for every server that Prometheus scrapes as often. */
export function recordingRules(place: Omit<Place, 'matchers'>): readonly RecordingRule[] {
  return RULES.flatMap(([name, measures, saves]) => {
    const expr = promqlOf({ measures, each: ['priority_level'] }, { ...place, matchers: [] })
    return expr === undefined ? [] : [{ record: `${PREFIX}${name}`, expr, saves: `Saves on ${saves}` }]
  })
}

/** The file that Prometheus loads. Rules are evaluated once per scrape; more often would yield nothing new. */
export const rulesYaml = (rules: readonly RecordingRule[], intervalMs = USUAL_INTERVAL_MS): string =>
  [
    'groups:',
    '  - name: apf-console',
    `    interval: ${durationText(intervalMs)}`,
    '    rules:',
    ...rules.flatMap(({ record, expr, saves }) => [
      `      # ${saves}`,
      `      - record: ${record}`,
      // Single quotes preserve everything except themselves, and no expression contains one.
      `        expr: '${expr.replaceAll("'", "''")}'`,
    ]),
    '',
  ].join('\n')
