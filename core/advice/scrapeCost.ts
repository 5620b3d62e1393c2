import type { LevelFrame, ServerFrame } from '../frame/frame.ts'
import { isExempt } from '../frame/reading.ts'
import { dashboard } from '../alerts/dashboard.ts'
import { alertExpressions } from '../alerts/expressions.ts'
import { CATALOGUE, familiesOf } from '../metrics/catalogue.ts'
import { FAMILY } from '../metrics/familyNames.ts'
import { recordingRules } from '../prom/recordingRules.ts'

/** What Prometheus stores for one flow-control family of one server. */
interface FamilyCost {
  readonly family: string
  readonly series: number
  /**
   * Why the console, its alert rules and its dashboard lose nothing without it; absent where they would lose something.
   */
  readonly droppable?: string
}

/** Series of each flow-control family of a page, according to its frame, the largest first. */
export function scrapeCost(server: ServerFrame): readonly FamilyCost[] {
  const known = new Set(familiesOf(server.version).map(({ name }) => name))
  const counted = new Map<string, number>()
  const add = (family: string, series: number): void => {
    if (series > 0) counted.set(family, (counted.get(family) ?? 0) + series)
  }
  for (const level of server.levels) countLevel(level, add)
  const queried = queriedText(server.version)
  return [...counted]
    .filter(([family]) => known.has(family))
    .map(([family, series]) => {
      const droppable = whyDroppable(family, queried)
      return { family, series, ...(droppable !== undefined && { droppable }) }
    })
    .toSorted((a, b) => b.series - a.series || (a.family < b.family ? -1 : 1))
}

/** A histogram has a series for each bucket, +Inf included, its sum and its count. */
const seriesOf = (histogram: { readonly counts: readonly number[] } | undefined): number =>
  histogram === undefined ? 0 : histogram.counts.length + 2

function countLevel(level: LevelFrame, add: (family: string, series: number) => void): void {
  const { limits, demand, virtualTime: time } = level
  const gauges = [
    [FAMILY.nominal, limits.nominal],
    [FAMILY.lower, limits.lower],
    [FAMILY.upper, limits.upper],
    [FAMILY.current, limits.current],
    [FAMILY.highWatermark, demand.highWatermark],
    [FAMILY.average, demand.average],
    [FAMILY.stdev, demand.stdev],
    [FAMILY.smoothed, demand.smoothed],
    [FAMILY.target, demand.target],
    [FAMILY.currentR, time?.currentR],
  ] as const
  for (const [family, value] of gauges) add(family, value === undefined ? 0 : 1)
  // They appear with the first request that was dispatched from a queue; exempt has none.
  if (time !== undefined && !isExempt(level) && (time.dispatchR ?? 0) > 0) {
    add(FAMILY.dispatchR, 1)
    add(FAMILY.latestS, 1)
    add(FAMILY.nextS, 2)
    add(FAMILY.nextDiscountedS, 2)
  }
  add(FAMILY.seatUtilization, seriesOf(level.seatUtilization))
  add(FAMILY.demandRatio, seriesOf(level.demandRatio))
  for (const schema of level.schemas) {
    add(FAMILY.wait, seriesOf(schema.wait) + seriesOf(schema.waitRejected))
    add(FAMILY.execution, seriesOf(schema.execution) + seriesOf(schema.executionWatch))
    add(FAMILY.queueLength, seriesOf(schema.queueLength))
    add(FAMILY.estimatedSeats, seriesOf(schema.estimatedSeats))
    add(FAMILY.watchCount, seriesOf(schema.watchCount))
    for (const [family, value] of [
      [FAMILY.dispatched, schema.dispatched],
      [FAMILY.executingRequests, schema.requests.executing],
      [FAMILY.executingSeats, schema.seats.executing],
      [FAMILY.queuedRequests, schema.requests.queued],
      [FAMILY.queuedSeats, schema.seats.queued],
    ] as const)
      add(family, value === undefined ? 0 : 1)
  }
}

const VIRTUAL_TIME: ReadonlySet<string> = new Set([
  FAMILY.currentR,
  FAMILY.dispatchR,
  FAMILY.latestS,
  FAMILY.nextS,
  FAMILY.nextDiscountedS,
])
/** Droppable although a few views read them. */
const SHOWN_ALONE: ReadonlyMap<string, string> = new Map([
  [FAMILY.queueLength, 'Only the pane Widths and queues, advice on queue lengths and forecasts use it.'],
  [
    FAMILY.watchCount,
    'Only the pane Widths and queues, the check of lingering seats and the diagnosis of writes use it.',
  ],
])

/** Everything that the console writes for Prometheus and Grafana: a family that occurs in it is queried. */
const queriedText = (version: string | undefined): string =>
  JSON.stringify([
    alertExpressions({ version, matchers: [], intervalMs: undefined }),
    recordingRules({ version, intervalMs: undefined }),
    dashboard({ version, matchers: [], intervalMs: undefined }),
  ])

function whyDroppable(family: string, queried: string): string | undefined {
  if (new RegExp(`${family}(?![a-z_])|${family}_(?:bucket|sum|count)`).test(queried)) return undefined
  if (VIRTUAL_TIME.has(family)) return 'Only the pane Virtual time shows it; a direct scrape has it when it is needed.'
  return SHOWN_ALONE.get(family) ?? (CATALOGUE.get(family)?.needed === false ? 'Nothing is drawn from it.' : undefined)
}

/** Families of the catalogue that no screen and no rule reads, but that a page contains. */
const UNREAD = [...CATALOGUE.values()].flatMap(({ name, needed, removedIn }) =>
  name.startsWith('apiserver_flowcontrol_') && (!needed || removedIn !== undefined) ? [name] : [],
)

/** Settings of a Prometheus scrape job that drop these families and the unused ones. */
export function dropSettings(costs: readonly FamilyCost[]): string {
  const dropped = costs.flatMap(({ family, droppable }) => (droppable === undefined ? [] : [family]))
  const names = [...new Set([...dropped, ...UNREAD])].toSorted()
  return [
    'metric_relabel_configs:',
    '  - source_labels: [__name__]',
    `    regex: (${names.join('|')})(_bucket|_sum|_count)?`,
    '    action: drop',
    '',
  ].join('\n')
}
