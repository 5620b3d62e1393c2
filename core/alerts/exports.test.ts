import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { CATALOGUE } from '../metrics/catalogue.ts'
import { equals } from '../prom/promql.ts'
import { RULE_IDS } from '../contract/alerts.ts'
import { EXPORTS, exportText } from './exports.ts'
import { alertExpressions, type RulesPlace } from './expressions.ts'

const place: RulesPlace = { version: 'v1.36.3', matchers: [], intervalMs: 30_000 }
const RulesFileSchema = z.object({
  groups: z.array(z.object({ name: z.string(), rules: z.array(z.object({ expr: z.string() }).loose()) })),
})
const DashboardSchema = z.object({
  panels: z.array(z.object({ id: z.number(), title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
})

it('has an expression for every rule that metrics can evaluate', () => {
  const alerts = alertExpressions(place)
  const rules = new Set(alerts.map(({ labels }) => labels['apf_rule']))
  expect(RULE_IDS.filter((id) => !rules.has(id))).toEqual(['R8'])
  expect(alerts.find(({ labels }) => labels['apf_rule'] === 'R4')).toMatchObject({
    alert: 'APFAtMaximumStillShort',
    expr:
      'apiserver_flowcontrol_current_limit_seats{priority_level!="exempt"} >= 0.98 * apiserver_flowcontrol_upper_limit_seats{priority_level!="exempt"}' +
      ' and apiserver_flowcontrol_demand_seats_smoothed{priority_level!="exempt"} > apiserver_flowcontrol_current_limit_seats{priority_level!="exempt"}' +
      ' and (sum without (flow_schema) (apiserver_flowcontrol_current_executing_seats{priority_level!="exempt"}) > 0' +
      ' or sum without (flow_schema) (rate(apiserver_flowcontrol_dispatched_requests_total{priority_level!="exempt"}[90s])) > 0' +
      ' or sum without (flow_schema, reason) (rate(apiserver_flowcontrol_rejected_requests_total{priority_level!="exempt"}[90s])) > 0)',
    for: '300s',
    labels: { severity: 'warning' },
  })
})

it('lets critical levels reject at no time, and others for two minutes', () => {
  const rejections = alertExpressions(place).filter(({ labels }) => labels['apf_rule'] === 'R1')
  expect(rejections).toHaveLength(6)
  for (const { expr, labels, for: hold } of rejections) {
    expect(hold).toBe(expr.includes('!~') ? '120s' : undefined)
    expect(labels['severity']).toBe(expr.includes('!~') ? 'warning' : 'critical')
  }
})

it('leaves out what the version lacks', () => {
  const rules = new Set(alertExpressions({ ...place, version: 'v1.25.0' }).map(({ labels }) => labels['apf_rule']))
  expect(['R4', 'R5', 'R11'].filter((id) => rules.has(id))).toEqual([])
  expect(rules).toContain('R1')
})

it.each(['v1.29.0', 'v1.37.0'])('%s: names only metrics that this version has and shows', (version) => {
  const minor = Number(version.split('.')[1])
  const text = EXPORTS.map((kind) => exportText(kind, { ...place, version })).join('\n')
  const names = new Set(text.match(/apiserver_flowcontrol_[a-z_]+/g))
  const known = [...CATALOGUE.values()].filter(
    ({ hiddenFrom = 99, removedIn = 99 }) => minor < hiddenFrom && minor < removedIn,
  )
  const sampled = new Set(known.flatMap(({ name }) => [name, `${name}_bucket`, `${name}_count`]))
  // Recording rules create names of their own, which begin with their level.
  const own = new Set([...text.matchAll(/priority_level:(apiserver_flowcontrol_[a-z_]+)/g)].map(([, name]) => name))
  expect([...names].filter((name) => !sampled.has(name) && !own.has(name))).toEqual([])
})

it('asks of the servers and clusters that labels name', () => {
  const named = { ...place, matchers: [equals('job', 'api')], clusterLabel: 'cluster_id', instanceLabel: 'node' }
  for (const { expr } of alertExpressions(named)) expect(expr).toContain('job="api"')
  expect(exportText('rules', named)).toContain('> on (cluster_id) group_left () 2 * avg by (cluster_id)')
  expect(exportText('dashboard', named)).toContain(String.raw`cluster_id=~\"$cluster\",node=~\"$instance\"`)
  expect(exportText('alertmanager', named)).toContain('- node')
})

it('writes files that can be read again, the same every time', () => {
  for (const kind of EXPORTS) expect(exportText(kind, place)).toBe(exportText(kind, place))
  const { groups } = RulesFileSchema.parse(parse(exportText('rules', place)))
  expect(groups[0]?.rules).toHaveLength(alertExpressions(place).length)
  const { panels } = DashboardSchema.parse(JSON.parse(exportText('dashboard', place)))
  expect(panels).toHaveLength(9)
  expect(new Set(panels.map(({ id }) => id)).size).toBe(9)
})

it('shows the utilisation of seats as a heat map of the histogram', () => {
  const dashboard: unknown = JSON.parse(exportText('dashboard', place))
  expect(dashboard).toMatchObject({
    panels: expect.arrayContaining([
      expect.objectContaining({
        type: 'heatmap',
        targets: [
          expect.objectContaining({
            format: 'heatmap',
            legendFormat: '{{le}}',
            expr: expect.stringMatching(/^sum by \(le\) .*priority_level_seat_utilization_bucket/s),
          }),
        ],
      }),
    ]),
  })
})

it("has what Grafana's schema requires of a dashboard and of its charts", () => {
  const required = z.looseObject({
    annotations: z.object({ list: z.array(z.unknown()) }),
    panels: z.array(
      z.looseObject({
        options: z.object({
          legend: z.looseObject({ showLegend: z.boolean() }),
          tooltip: z.object({ mode: z.string(), sort: z.string() }),
        }),
      }),
    ),
  })
  expect(required.safeParse(JSON.parse(exportText('dashboard', place))).error).toBeUndefined()
})

const labels = { release: 'prom' }
const AlertsSchema = RulesFileSchema.extend({
  groups: z.array(z.object({ rules: z.array(z.object({ labels: z.record(z.string(), z.string()) })) })),
})

it('puts labels on the object that an operator selects by them', () => {
  expect(parse(exportText('prometheusrule', place, labels))).toMatchObject({
    metadata: { name: 'apf-console', labels },
  })
  expect(parse(exportText('prometheusrule', place)).metadata).toEqual({ name: 'apf-console' })
})

it('puts labels on each alert of rules and mixin, next to its own', () => {
  const alerts = (given?: typeof labels) =>
    AlertsSchema.parse(parse(exportText('rules', place, given))).groups.flatMap((group) => group.rules)
  expect(alerts(labels).map((rule) => rule.labels)).toEqual(alerts().map((rule) => ({ ...rule.labels, ...labels })))
  const count = (text: string, part: string): number => text.split(part).length - 1
  expect(count(exportText('mixin', place, labels), '"release": "prom"')).toBe(alerts().length)
})
