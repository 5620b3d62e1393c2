import type { ScenarioReport, ScenarioRunReport } from '../../../core/contract/scenario.ts'
import { format } from '../../theme/format.ts'

export type ScenarioGroup = 'Documented failures' | 'From the documentation' | 'Known failure modes' | 'Checks'

/** The group of a scenario of the library, by its name. */
export function groupOf(name: string): ScenarioGroup {
  const number = Number(name.slice(1))
  if (!name.startsWith('S')) return 'Checks'
  return number <= 7 ? 'Documented failures' : number <= 12 ? 'From the documentation' : 'Known failure modes'
}

/** What came of a run, in one sentence. */
export function outcomeText({ runs, passed }: ScenarioReport): string {
  const prevented = runs.filter(({ verdict }) => verdict === 'prevented').map(({ name }) => name)
  const judged = runs.filter(({ verdict }) => verdict !== undefined).length
  const failed = runs.filter((run) => !run.passed).map(({ name }) => name)
  if (!passed) return `Not as expected: ${failed.join(', ')}.`
  if (judged === 0) return 'Every assertion holds.'
  if (prevented.length === 0) return 'No variant prevents it.'
  return prevented.length === judged ? 'Every variant prevents it.' : `Prevented by ${prevented.join(', ')}.`
}

/** Percent of the requests that ended; unknown where none did. */
export function failedPart({ served, expired, rejected }: ScenarioRunReport['clients'][number]): number | undefined {
  const failed = expired + Object.values(rejected).reduce((sum, count) => sum + count, 0)
  return failed + served === 0 ? undefined : failed / (failed + served)
}

/** A measured value with its unit. */
export const measuredText = ({ value, unit }: ScenarioRunReport['criteria'][number]): string =>
  [format.fixed(value, Number.isInteger(value) ? 0 : 2), unit].filter((part) => part !== '').join(' ')
