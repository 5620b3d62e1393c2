import { sentenceText } from '../../../core/answer/answer.ts'
import { measured } from '../../../core/scenario/present.ts'
import type { ScenarioRunReport } from '../../../core/contract/scenario.ts'
import { format } from '../../theme/format.ts'

export type ScenarioGroup =
  'Documented failures' | 'From the documentation' | 'Known failure modes' | 'Checks' | 'In front of etcd'

/** The group of a scenario of the library, by its name. */
export function groupOf(name: string): ScenarioGroup {
  const number = Number(name.slice(1))
  if (name.startsWith('Q')) return 'In front of etcd'
  if (!name.startsWith('S')) return 'Checks'
  return number <= 7 ? 'Documented failures' : number <= 12 ? 'From the documentation' : 'Known failure modes'
}

/** Verdict of a run with the deciding number: of the first criterion that is not met, else of the first. */
export function verdictText(run: ScenarioRunReport | undefined): string {
  if (run === undefined) return '–'
  if (run.verdict === undefined) return run.passed ? 'assertions pass' : 'assertion fails'
  const deciding = run.criteria.find(({ holds }) => !holds) ?? run.criteria[0]
  return `${run.verdict === 'prevented' ? '✓' : '✗'} ${run.verdict}${deciding === undefined ? '' : `, ${sentenceText(measured(deciding), format).replaceAll(' ', '\u00a0')}`}`
}
