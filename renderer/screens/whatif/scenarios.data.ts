import type { ScenarioReport, ScenarioRunReport } from '../../../core/contract/scenario.ts'
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

/** The result of a run, in one sentence. */
export function outcomeText({ runs, passed }: ScenarioReport): string {
  const prevented = runs.filter(({ verdict }) => verdict === 'prevented').map(({ name }) => name)
  const judged = runs.filter(({ verdict }) => verdict !== undefined).length
  const failed = runs.filter((run) => !run.passed).map(({ name }) => name)
  if (!passed) return `Not as expected: ${failed.join(', ')}.`
  if (judged === 0) return 'All assertions pass.'
  if (prevented.length === 0) return 'No variant prevents it.'
  return prevented.length === judged ? 'Every variant prevents it.' : `Prevented by ${prevented.join(', ')}.`
}

/** The share of failed requests among those that ended, in percent; a few are not shown as none. */
export function failedText({ served, expired, rejected }: ScenarioRunReport['clients'][number]): string {
  const failed = expired + Object.values(rejected).reduce((sum, count) => sum + count, 0)
  const percent = failed + served === 0 ? undefined : (100 * failed) / (failed + served)
  if (percent !== undefined && percent > 0 && percent < 0.1) return '< 0.1 %'
  return percent === undefined || percent === 0 || percent >= 10
    ? format.percent(percent === undefined ? undefined : percent / 100)
    : `${format.fixed(percent, 1)} %`
}

/** A measured value with its unit. */
export const measuredText = ({ value, unit }: ScenarioRunReport['criteria'][number]): string =>
  [format.fixed(value, Number.isInteger(value) ? 0 : 2), unit].filter((part) => part !== '').join(' ')

/** Verdict of a run with the deciding number: of the first criterion that is not met, else of the first. */
export function verdictText(run: ScenarioRunReport | undefined): string {
  if (run === undefined) return '–'
  if (run.verdict === undefined) return run.passed ? 'assertions pass' : 'assertion fails'
  const deciding = run.criteria.find(({ holds }) => !holds) ?? run.criteria[0]
  return `${run.verdict === 'prevented' ? '✓' : '✗'} ${run.verdict}${deciding === undefined ? '' : `, ${measuredText(deciding).replaceAll(' ', '\u00a0')}`}`
}
