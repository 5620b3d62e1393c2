import { plain, plural, type Format } from '../text/format.ts'
import { rfc3339 } from '../units.ts'
import {
  RULE_IDS,
  type Alert,
  type AlertChange,
  type AlertsState,
  type Evidence,
  type RuleState,
  type Silence,
} from '../contract/alerts.ts'
import { isCritical, RULES } from './rules.ts'
import { listed } from '../text/text.ts'

/** `smoothed demand 30 seats`. */
export const evidenceText = ({ name, value, unit, range }: Evidence): string => {
  switch (unit) {
    case 'ratio':
      return value > 1 ? `${name} ${plain.amount(value)}` : `${name} ${plain.percent(value)}`
    case 'seconds':
      return `${name} ${plain.quantile(value, range)}`
    case 'seats':
      return `${name} ${plain.counted(value, 'seat')}`
    case 'requests':
      return `${name} ${plain.counted(value, 'request')}`
    case 'requests/s':
      return `${name} ${plain.amount(value)} /s`
  }
}

/** `workload-low of api-1:6443`; what the alert is about. */
export const placeText = ({
  server,
  level,
  subject,
  rule,
}: Pick<Alert, 'server' | 'level' | 'subject' | 'rule'>): string => {
  const about = rule === 'R8' ? subject : level
  return [about, server].filter((part) => part !== undefined).join(' of ')
}

/** A change of an alert in lines: what, where and with which numbers; for one that fires, also cause and remedy. */
export function changeLines({ kind, at, alert }: AlertChange): readonly string[] {
  const numbers = kind === 'fired' && alert.evidence.length > 0 ? `: ${listed(alert.evidence.map(evidenceText))}` : ''
  const silenced = alert.silenced ? ', silenced' : ''
  const head = `${rfc3339(at)} ${kind} ${alert.rule} ${RULES[alert.rule].title} (${alert.severity}${silenced}), ${placeText(alert)}${numbers}`
  return kind === 'resolved' ? [head] : [head, `  ${alert.cause}`, `  ${alert.remedy}`]
}

/** What the rules cannot show, because servers do not answer. */
const silentText = ({ silent }: Pick<AlertsState, 'silent'>, format: Format): string =>
  silent.length === 0
    ? ''
    : `No sample ${listed(silent.map(({ server, since }) => `from ${server} since ${format.time(since)}`))}: the rules stand as they did then.`

/** The state of the rules in one sentence, and the most important alerts in a second one. */
export function alertsSentence(
  state: AlertsState,
  format: Format,
): {
  readonly title: string
  readonly evidence?: string
} {
  const { asOf, rules, alerts } = state
  if (asOf === undefined) return { title: 'No sample has been evaluated yet.' }
  const count = (wanted: RuleState['state']): number => rules.filter((rule) => rule.state === wanted).length
  const [firing, pending, off] = [count('firing'), count('pending'), count('off')]
  const fire =
    firing === 0 ? 'No rule is firing' : `${firing} of ${rules.length} rules ${plural(firing, 'is', 'are')} firing`
  const wait = pending === 0 ? '' : `, ${pending} pending`
  const cannot = off === 0 ? '' : `, ${off} not evaluated`
  const evidence = [silentText(state, format), alerts.length > 0 ? whom(alerts) : ''].filter((text) => text !== '')
  return { title: `${fire}${wait}${cannot}.`, ...(evidence.length > 0 && { evidence: evidence.join(' ') }) }
}

function whom(alerts: readonly Alert[]): string {
  const levels = [...new Set(alerts.flatMap(({ level }) => (isCritical(level) ? [level] : [])))]
  const silenced = alerts.filter((alert) => alert.silenced).length
  const critical =
    levels.length === 0
      ? 'No critical level is affected.'
      : `Critical ${plural(levels.length, 'level', 'levels')} affected: ${levels.join(', ')}.`
  return silenced === 0 ? critical : `${critical} ${silenced} of ${alerts.length} alerts silenced.`
}

/** The state of the rules, in lines: the alerts that fire, what is pending, and the rules that cannot be evaluated. */
export function standingLines(state: Pick<AlertsState, 'silent' | 'rules' | 'alerts'>): readonly string[] {
  const { rules, alerts } = state
  const silent = silentText(state, plain)
  const firing = alerts.flatMap((alert) => changeLines({ kind: 'fired', at: alert.firedAt, alert }))
  return [
    ...(silent === '' ? [] : [silent]),
    ...(firing.length === 0 ? ['No alert fires.'] : firing),
    ...rules.flatMap(({ rule, pending }) =>
      pending === undefined
        ? []
        : [`${rule} is pending for ${placeText({ rule, ...pending })} since ${rfc3339(pending.since)}.`],
    ),
    ...rules.flatMap(({ rule, why }) => (why === undefined ? [] : [`${rule} is off. ${why}`])),
  ]
}

/** `R1` or `R1:workload-low`; `undefined` for any other text. */
export function silenceOf(text: string): Silence | undefined {
  const [id, ...level] = text.split(':')
  const rule = RULE_IDS.find((one) => one === id)
  if (rule === undefined || (level.length > 0 && level.join(':') === '')) return undefined
  return { rule, ...(level.length > 0 && { level: level.join(':') }) }
}
