import { stringify } from 'yaml'
import { recordingRules, rulesYaml } from '../prom/recordingRules.ts'
import { dashboard } from './dashboard.ts'
import { alertExpressions, type RulesPlace } from './expressions.ts'
import { RULES } from './rules.ts'

/** Files for other tools. */
export const EXPORTS = ['rules', 'prometheusrule', 'recording-rules', 'alertmanager', 'dashboard', 'mixin'] as const
export type ExportKind = (typeof EXPORTS)[number]

type Labels = Readonly<Record<string, string>>

/** Files that labels can be put on. */
export const LABELLED: readonly ExportKind[] = ['rules', 'prometheusrule', 'mixin']

/**
 * The text of a file; the same for the same place. `labels`: of the object, by which an operator of Prometheus selects
 * it, or of each alert where there is no object.
 */
export function exportText(kind: ExportKind, place: RulesPlace, labels: Labels = {}): string {
  switch (kind) {
    case 'rules':
      return yaml({ groups: [alertGroup(place, labels)] }, RULES_NOTE)
    case 'prometheusrule':
      return yaml(
        {
          apiVersion: 'monitoring.coreos.com/v1',
          kind: 'PrometheusRule',
          metadata: { name: 'apf-console', ...(Object.keys(labels).length > 0 && { labels }) },
          spec: { groups: [alertGroup(place), recordingGroup(place)] },
        },
        RULES_NOTE,
      )
    case 'recording-rules':
      return rulesYaml(recordingRules(place), place.intervalMs)
    case 'alertmanager':
      return yaml(alertmanager(place), ' Routes of the alerts of apf-console; set the addresses of the receivers.')
    case 'dashboard':
      return json(dashboard(place))
    case 'mixin':
      return [
        '{',
        `  prometheusAlerts+:: { groups+: [${json(alertGroup(place, labels)).trimEnd()}] },`,
        `  prometheusRules+:: { groups+: [${json(recordingGroup(place)).trimEnd()}] },`,
        `  grafanaDashboards+:: { 'apf-console.json': ${json(dashboard(place)).trimEnd()} },`,
        '}',
        '',
      ].join('\n')
  }
}

const RULES_NOTE = ` R8 (${RULES.R8.title}) needs the flow-control objects, which Prometheus does not scrape.`

/** Expressions stay on one line, so that a rule can be searched for. */
const yaml = (value: unknown, comment: string): string =>
  `#${comment}\n${stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })}`
const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

const alertGroup = (place: RulesPlace, labels: Labels = {}) => ({
  name: 'apf-console-alerts',
  rules: alertExpressions(place).map((rule) => ({ ...rule, labels: { ...rule.labels, ...labels } })),
})
const recordingGroup = (place: RulesPlace) => ({
  name: 'apf-console',
  rules: recordingRules(place).map(({ record, expr }) => ({ record, expr })),
})

/**
 * Critical alerts are sent at once, the others in groups. An exhausted error budget stands for the rejections that
 * exhaust it.
 */
function alertmanager({ clusterLabel, instanceLabel = 'instance' }: RulesPlace): object {
  const cluster = clusterLabel === undefined ? [] : [clusterLabel]
  return {
    route: {
      receiver: 'default',
      routes: [
        {
          matchers: ['apf_rule=~"R.+"'],
          receiver: 'apf-warning',
          group_by: [...cluster, 'alertname', 'priority_level'],
          group_wait: '30s',
          group_interval: '5m',
          repeat_interval: '4h',
          routes: [
            { matchers: ['severity="critical"'], receiver: 'apf-critical', group_wait: '0s', repeat_interval: '1h' },
            { matchers: ['severity="info"'], receiver: 'apf-info', repeat_interval: '7d' },
          ],
        },
      ],
    },
    inhibit_rules: [
      {
        source_matchers: [`alertname="${RULES.R12.name}"`],
        target_matchers: [`alertname="${RULES.R1.name}"`, 'severity="warning"'],
        equal: [...cluster, instanceLabel, 'priority_level'],
      },
    ],
    receivers: ['default', 'apf-critical', 'apf-warning', 'apf-info'].map((name) => ({ name })),
  }
}
