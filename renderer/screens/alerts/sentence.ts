import { format } from '../../theme/format.ts'
import { plural } from '../../../core/text/format.ts'
import { isCritical } from '../../../core/alerts/rules.ts'
import { silentText } from '../../../core/alerts/words.ts'
import type { Alert, AlertsState, RuleState } from '../../../core/contract/alerts.ts'

/** The state of the rules in one sentence, and the most important alerts in a second one. */
export function alertsSentence(state: AlertsState): {
  readonly title: string
  readonly evidence?: string
} {
  const { asOf, rules, alerts } = state
  if (asOf === undefined) return { title: 'No sample has been evaluated yet.' }
  const count = (wanted: RuleState['state']): number => rules.filter((rule) => rule.state === wanted).length
  const [firing, pending, off] = [count('firing'), count('pending'), count('off')]
  const fire = firing === 0 ? 'No rule fires' : `${firing} of ${rules.length} rules ${plural(firing, 'fires', 'fire')}`
  const wait = pending === 0 ? '' : `, ${format.counted(pending, 'is', 'are')} pending`
  const cannot = off === 0 ? '' : `, ${off} cannot be evaluated`
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
