import { familyFor } from '../metrics/catalogue.ts'
import { MEASURE_IDS, promqlOf, type Each, type MeasureId } from '../prom/measures.ts'
import type { Matcher } from '../prom/promql.ts'
import type { RulesPlace } from './expressions.ts'

/** One chart; its lines are measures, each named if there are several. */
interface Panel {
  readonly title: string
  /** Grafana’s name of the unit; `none` shows plain numbers. */
  readonly unit: 'none' | 's' | 'reqps' | 'percentunit'
  readonly description: string
  readonly each: readonly Each[]
  readonly lines: Readonly<Partial<Record<MeasureId, string>>>
  /** A heat map of a histogram, all chosen levels and servers together. */
  readonly heat?: true
}

const PANELS: readonly Panel[] = [
  {
    title: 'Seats',
    unit: 'none',
    description: 'Executing seats and their limits. Select one server and one level.',
    each: ['priority_level'],
    lines: { executing: 'executing', limit: 'current limit', nominal: 'nominal limit' },
  },
  {
    title: 'Demand',
    unit: 'none',
    description: 'Seat demand, executing and queued; the server moves limits towards the target every 10 s.',
    each: ['priority_level'],
    lines: { demand: 'smoothed', highWatermark: 'high watermark', target: 'target' },
  },
  {
    title: 'Rejections by reason',
    unit: 'reqps',
    description: 'Requests answered with 429.',
    each: ['priority_level', 'reason'],
    lines: { rejected: '{{reason}}' },
  },
  {
    title: 'Queued requests',
    unit: 'none',
    description: 'Requests that wait for seats.',
    each: ['priority_level'],
    lines: { queued: 'queued' },
  },
  {
    title: 'Wait, p99',
    unit: 's',
    description: 'Time in the queue of requests that executed or timed out.',
    each: ['priority_level'],
    lines: { waitP99: 'wait' },
  },
  {
    title: 'Execution, p99',
    unit: 's',
    description: 'Execution of ordinary requests, without watches.',
    each: ['priority_level'],
    lines: { executionP99: 'execution' },
  },
  {
    title: 'Dispatched requests',
    unit: 'reqps',
    description: 'Requests that began to execute.',
    each: ['priority_level'],
    lines: { dispatched: 'dispatched' },
  },
  {
    title: 'Lent and borrowed',
    unit: 'none',
    description: 'Current limit minus nominal limit: above 0 seats are borrowed, below 0 they are lent.',
    each: ['priority_level'],
    lines: { change: 'change' },
  },
  {
    title: 'Seat utilisation',
    unit: 'percentunit',
    description: 'Part of the time at each ratio of seats in use to the current limit. Select one level.',
    each: ['le'],
    lines: { utilizationShares: '' },
    heat: true,
  },
]

const COLUMNS = 2
const [WIDTH, HEIGHT] = [24 / COLUMNS, 8]
const SOURCE = { type: 'prometheus', uid: '${datasource}' }

/** A Grafana dashboard of the metrics that the version of the server has. */
export function dashboard(place: RulesPlace): object {
  const { version, intervalMs, clusterLabel, instanceLabel = 'instance' } = place
  const name = familyFor(version, 'nominal')?.name ?? ''
  const chosen: readonly (readonly [variable: string, label: string])[] = [
    ...(clusterLabel === undefined ? [] : [['cluster', clusterLabel] as const]),
    ['instance', instanceLabel],
    ['level', 'priority_level'],
  ]
  const matchers: readonly Matcher[] = [
    ...place.matchers,
    ...chosen.map(([variable, label]) => ({ label, is: '=~' as const, value: `$${variable}` })),
  ]

  const panels = PANELS.flatMap(({ title, unit, description, each, lines, heat = false }) => {
    const targets = MEASURE_IDS.flatMap((id) => (lines[id] === undefined ? [] : [[id, lines[id]] as const])).flatMap(
      ([id, line], index) => {
        const expr = promqlOf({ measures: id, each, summed: heat }, { version, intervalMs, matchers })
        const how = heat
          ? { legendFormat: '{{le}}', format: 'heatmap' }
          : { legendFormat: `{{priority_level}} ${line}, {{${instanceLabel}}}` }
        return expr === undefined ? [] : [{ refId: 'ABCDEF'.charAt(index), datasource: SOURCE, expr, ...how }]
      },
    )
    return targets.length === 0 ? [] : [{ title, unit, description, heat, targets }]
  })
  return {
    uid: 'apf-console',
    title: 'API Priority and Fairness',
    tags: ['apf-console', 'kubernetes'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    annotations: { list: [] },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus' },
        ...chosen.map(([variable, label]) => ({
          name: variable,
          type: 'query',
          datasource: SOURCE,
          query: `label_values(${name}, ${label})`,
          refresh: 2,
          multi: true,
          includeAll: true,
          current: { text: 'All', value: '$__all' },
          sort: 1,
        })),
      ],
    },
    panels: panels.map(({ title, unit, description, heat, targets }, index) => ({
      id: index + 1,
      type: heat ? 'heatmap' : 'timeseries',
      title,
      description,
      datasource: SOURCE,
      gridPos: { x: (index % COLUMNS) * WIDTH, y: Math.floor(index / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT },
      fieldConfig: { defaults: { unit, min: title === 'Lent and borrowed' ? null : 0 }, overrides: [] },
      options: {
        legend: { showLegend: true, displayMode: 'table', placement: 'right', calcs: ['min', 'max', 'lastNotNull'] },
        tooltip: { mode: 'multi', sort: 'desc' },
        ...(heat && { calculate: false, yAxis: { unit }, color: { scheme: 'Blues' } }),
      },
      targets,
    })),
  }
}
