import { sentenceText } from '../../../core/answer/answer.ts'
import type { RunCourse, ScenarioReport, ScenarioRunReport } from '../../../core/contract/scenario.ts'
import { decidingCheck, measured } from '../../../core/scenario/present.ts'
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
  const deciding = decidingCheck(run)
  return `${run.verdict === 'prevented' ? '✓' : '✗'} ${run.verdict}${deciding === undefined ? '' : `, ${sentenceText(measured(deciding), format).replaceAll(' ', '\u00a0')}`}`
}

/** The group of clients that decides about the scenario; absent where all of them together do. */
export function decidingClients({ runs }: Pick<ScenarioReport, 'runs'>): string | undefined {
  const checks = runs.flatMap((run) => decidingCheck(run) ?? [])
  return (checks.find(({ holds }) => !holds) ?? checks[0])?.clients
}

/** Requests per second that ended in each step: those served, and on top of them those that failed. */
export interface CoursePoint {
  readonly seconds: number
  readonly served: number
  readonly ended: number
}

/** The course of one group of clients, or of all of them. */
export function coursePoints({ stepSeconds, clients }: RunCourse, client: string | undefined): readonly CoursePoint[] {
  const groups = clients.filter((group) => client === undefined || group.client === client)
  const sum = (of: 'served' | 'failed', step: number): number =>
    groups.reduce((total, group) => total + (group[of][step] ?? 0), 0) / stepSeconds
  return (groups[0]?.served ?? []).map((_, step) => {
    const served = sum('served', step)
    return { seconds: (step + 0.5) * stepSeconds, served, ended: served + sum('failed', step) }
  })
}
