import { format } from '../../theme/format.ts'
import { plural } from '../../../core/text/format.ts'
import { isCritical } from '../../../core/alerts/rules.ts'
import type { Alert, AlertsState } from '../../../core/contract/alerts.ts'

/** The state of the rules in one sentence, and the most important alerts in a second one. */
export function alertsSentence({ asOf, rules, alerts }: AlertsState): {
  readonly title: string
  readonly evidence?: string
} {
  if (asOf === undefined) return { title: 'No sample has been evaluated yet.' }
  const count = (state: string): number => rules.filter((rule) => rule.state === state).length
  const [firing, pending, off] = [count('firing'), count('pending'), count('off')]
  const fire = firing === 0 ? 'No rule fires' : `${firing} of ${rules.length} rules ${plural(firing, 'fires', 'fire')}`
  const wait = pending === 0 ? '' : `, ${format.counted(pending, 'is', 'are')} pending`
  const cannot = off === 0 ? '' : `, ${off} cannot be evaluated`
  return { title: `${fire}${wait}${cannot}.`, ...(alerts.length > 0 && { evidence: whom(alerts) }) }
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
