import { ProblemError } from '../../core/contract/errors.ts'
import type { ScenarioReport } from '../../core/contract/scenario.ts'
import { scenarioReport } from '../../core/scenario/report.ts'
import { type AnyScenario, readAnyScenario } from '../../core/scenario/read.ts'
import { runAnyScenario } from '../../core/scenario/run.ts'

/** A scenario as it is written; the seed is its own without one. */
export interface ScenarioTask {
  readonly file: string
  readonly text: string
  readonly seed?: number
}

/** Runs every variant of a scenario, telling now and then which part of it is done. Throws `ProblemError`. */
export function runScenarioTask(task: ScenarioTask, tell: (part: number) => void): ScenarioReport {
  const mayGoOn = (part: number): true => {
    tell(part)
    return true
  }
  const outcome = runAnyScenario(readText(task), { seed: task.seed, mayGoOn })
  if (outcome === undefined) throw new ProblemError('cancelled', 'The simulation was cancelled.')
  return scenarioReport(outcome)
}

function readText({ file, text }: ScenarioTask): AnyScenario {
  const { any, findings } = readAnyScenario(text, file)
  if (any !== undefined) return any
  const lines = findings.map(({ line, column, field, message }) => `${file}:${line}:${column}: ${field}: ${message}`)
  const [first = `${file} holds no scenario.`] = findings.map(
    ({ line, message }) => `${file}, line ${line}: ${message}`,
  )
  throw new ProblemError('invalid-input', first, lines.join('\n'))
}
