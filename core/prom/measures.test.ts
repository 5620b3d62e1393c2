import { describe, expect, test } from 'vitest'
import { MEASURE_IDS, promqlOf, type Place, type Shown } from './measures.ts'
import { equals } from './promql.ts'

const place = (over: Partial<Place> = {}): Place => ({
  version: 'v1.36.3',
  matchers: [equals('cluster', 'prod'), equals('instance', '10.0.0.1:6443')],
  intervalMs: 5_000,
  ...over,
})
const P = 'apiserver_flowcontrol_'
const AT = 'cluster="prod",instance="10.0.0.1:6443"'
const low: Pick<Shown, 'level'> = { level: 'workload-low' }
const LOW = `${AT},priority_level="workload-low"`
const SHARED = `* ignoring (priority_level) group_left () (${P}seat_fair_frac{${AT}} > bool 0)`

describe('the PromQL of what is shown', () => {
  test.each<[string, Shown, string]>([
    ['a limit of a level', { measures: 'limit', ...low }, `${P}current_limit_seats{${LOW}}`],
    [
      'the limits of all levels that have one',
      { measures: 'limit', each: ['priority_level'] },
      `${P}current_limit_seats{${AT},priority_level!="exempt"}`,
    ],
    [
      'a sum over the flow schemas of a level',
      { measures: 'executing', ...low },
      `sum without (flow_schema) (${P}current_executing_seats{${LOW}})`,
    ],
    [
      'each flow schema of a level',
      { measures: 'executing', ...low, each: ['flow_schema'] },
      `${P}current_executing_seats{${LOW}}`,
    ],
    [
      'a sum over the server',
      { measures: 'queued' },
      `sum without (flow_schema, priority_level) (${P}current_inqueue_requests{${AT}})`,
    ],
    ['what has no level', { measures: 'fairFraction', ...low }, `${P}seat_fair_frac{${AT}}`],
    [
      'a rate over at least 10 s, whose window holds one interval more',
      { measures: 'dispatched', ...low },
      `sum without (flow_schema) (rate(${P}dispatched_requests_total{${LOW}}[15s]))`,
    ],
    [
      'a rate for each reason',
      { measures: 'rejected', ...low, each: ['reason'] },
      `sum without (flow_schema) (rate(${P}rejected_requests_total{${LOW}}[15s]))`,
    ],
    [
      'a rate for one reason',
      { measures: 'timeOut', each: ['priority_level'] },
      `sum without (flow_schema) (rate(${P}rejected_requests_total{${AT},reason="time-out"}[15s]))`,
    ],
    [
      'a quantile over about 30 s',
      { measures: 'waitP99', ...low },
      `histogram_quantile(0.99, sum without (flow_schema) (rate(${P}request_wait_duration_seconds_bucket{${LOW},execute="true"}[35s])))`,
    ],
    [
      'the longest quantile of all levels, with its level',
      { measures: 'longestWaitP99' },
      `topk without (priority_level) (1, histogram_quantile(0.99, sum without (flow_schema) (rate(${P}request_wait_duration_seconds_bucket{${AT},execute="true",priority_level!="exempt"}[35s]))))`,
    ],
    [
      'a difference of two limits',
      { measures: 'change', ...low },
      `(${P}current_limit_seats{${LOW}} - ${P}nominal_limit_seats{${LOW}}) ${SHARED}`,
    ],
    [
      'seats lent by all levels',
      { measures: 'lent' },
      `sum without (priority_level) (clamp_min(${P}nominal_limit_seats{${AT},priority_level!="exempt"} - ${P}current_limit_seats{${AT},priority_level!="exempt"}, 0) ${SHARED})`,
    ],
    [
      'a number of an earlier scrape, asked about amid it and the next',
      { measures: 'dispatched', ...low, atMs: 1_700_000_000_500 },
      `sum without (flow_schema) (rate(${P}dispatched_requests_total{${LOW}}[15s] @ 1700000003))`,
    ],
    [
      'the cells of a heat map',
      { measures: 'executions', ...low, schema: 'service-accounts', spanMs: 12_000 },
      `increase(${P}request_execution_seconds_bucket{${LOW},flow_schema="service-accounts",type="regular"}[15s])`,
    ],
    [
      'shares of the time',
      { measures: 'demandShares', ...low },
      `rate(${P}demand_seats_bucket{${LOW}}[60s]) / ignoring (le) group_left rate(${P}demand_seats_count{${LOW}}[60s])`,
    ],
    [
      'a sum over several servers',
      { measures: 'executing', each: ['priority_level'], summed: true },
      `sum by (priority_level) (sum without (flow_schema) (${P}current_executing_seats{${AT}}))`,
    ],
    [
      'the lines of a chart, told apart by a label',
      { measures: ['nominal', 'min'], ...low },
      `label_replace(${P}nominal_limit_seats{${LOW}}, "line", "nominal", "", "")\nor\nlabel_replace(${P}lower_limit_seats{${LOW}}, "line", "min", "", "")`,
    ],
  ])('%s', (_, shown, expected) => {
    expect(promqlOf(shown, place())).toBe(expected)
  })

  test('keeps servers apart where no label is known', () => {
    const unknown = place({ matchers: [], intervalMs: undefined })
    expect(promqlOf({ measures: 'executing' }, unknown)).toBe(
      `sum without (flow_schema, priority_level) (${P}current_executing_seats)`,
    )
    expect(promqlOf({ measures: 'dispatched', ...low }, unknown)).toContain('{priority_level="workload-low"}[60s]')
    expect(promqlOf({ measures: 'fairFraction', atMs: 1_700_000_000_500 }, unknown)).toBe(
      `${P}seat_fair_frac @ 1700000000.5`,
    )
  })

  test.each([
    [1_000, '11s', '31s', '2s'],
    [5_004, '15s', '35s', '10s'],
    [10_000, '20s', '40s', '20s'],
    [15_000, '30s', '45s', '30s'],
    [30_000, '60s', '60s', '60s'],
    [60_000, '120s', '120s', '120s'],
    [500, '10500ms', '30500ms', '1s'],
  ])('with a scrape every %i ms has ranges of %s, %s and %s', (intervalMs, present, quantiles, two) => {
    const range = (measures: Shown['measures']): string | undefined =>
      /\[(.*?)\]/.exec(promqlOf({ measures }, place({ intervalMs })) ?? '')?.[1]
    expect([range('rejected'), range('waitP50'), range('noAccommodation')]).toEqual([present, quantiles, two])
  })

  test('has the names of the version, and nothing that the version lacks', () => {
    const old = place({ version: 'v1.25.4' })
    expect(promqlOf({ measures: 'nominal', ...low }, old)).toBe(`${P}request_concurrency_limit{${LOW}}`)
    expect(promqlOf({ measures: 'executing', ...low }, old)).toBe(
      `sum without (flow_schema) (${P}request_concurrency_in_use{${LOW}})`,
    )
    expect(promqlOf({ measures: 'demand', ...low }, old)).toBeUndefined()
    expect(promqlOf({ measures: 'envelope', ...low }, old)).toBeUndefined()
    expect(promqlOf({ measures: ['demand', 'min'], ...low }, old)).toBeUndefined()
    expect(promqlOf({ measures: ['demand', 'nominal'], ...low }, old)).toMatch(/^label_replace\([^\n]*$/)
    expect(promqlOf({ measures: 'executing', ...low }, place({ version: 'v1.27.0' }))).toBe(
      `sum without (flow_schema) (${P}request_concurrency_in_use{${LOW}})`,
    )
    expect(promqlOf({ measures: 'queuedSeats', ...low }, place({ version: 'v1.28.0' }))).toBeUndefined()
  })

  test('of native histograms has no suffix and no bounds; shares of time cannot be written', () => {
    const native = place({ native: [`${P}request_wait_duration_seconds`, `${P}work_estimated_seats`] })
    expect(promqlOf({ measures: 'waitP99', ...low }, native)).toBe(
      `histogram_quantile(0.99, sum without (flow_schema) (rate(${P}request_wait_duration_seconds{${LOW},execute="true"}[35s])))`,
    )
    expect(promqlOf({ measures: 'waits', ...low }, native)).toBe(
      `sum without (flow_schema) (increase(${P}request_wait_duration_seconds{${LOW},execute="true"}[60s]))`,
    )
    expect(promqlOf({ measures: 'meanSeats', ...low }, native)).toBe(
      `sum without (flow_schema) (histogram_sum(${P}work_estimated_seats{${LOW}})) / sum without (flow_schema) (histogram_count(${P}work_estimated_seats{${LOW}}))`,
    )
    // Families that are not in the list are classic.
    expect(promqlOf({ measures: 'executionP99', ...low }, native)).toContain('_bucket{')
    const utilization = place({ native: [`${P}priority_level_seat_utilization`] })
    expect(promqlOf({ measures: 'utilizationShares', ...low }, utilization)).toBeUndefined()
  })

  test('there is one of every measure in the newest version', () => {
    for (const measures of MEASURE_IDS) expect(promqlOf({ measures }, place()), measures).toContain(P)
  })
})
