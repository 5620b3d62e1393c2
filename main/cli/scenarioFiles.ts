import { ProblemError } from '../../core/errors.ts'
import type { LocatedFinding } from '../../core/manifest/manifest.ts'
import { type AnyScenario, readAnyScenario, readScenario } from '../../core/scenario/read.ts'
import type { Scenario } from '../../core/scenario/scenario.ts'
import type { Arrivals } from '../../core/whatif/arrivals.ts'
import { readRecorded } from '../../core/whatif/recorded.ts'
import type { Variant } from '../../core/whatif/variant.ts'
import { fileOfScenario } from '../files/scenarioLibrary.ts'
import type { Console } from './console.ts'
import { oneText, readFilesFound } from './inputFiles.ts'
import { meantInstead, UsageError } from './usage.ts'
import { findingText } from './validate.ts'

/** The scenario of an API server: from the library by its name, or from a file. */
export async function scenarioFrom(operand: string, library: readonly string[], console: Console): Promise<Scenario> {
  const read = await textFrom(operand, library, console)
  const { scenario, findings } = readScenario(read.text, read.file)
  return sound(scenario, findings, read.file, console)
}

/** The same for a scenario of either kind. */
export async function anyScenarioFrom(
  operand: string,
  library: readonly string[],
  console: Console,
): Promise<AnyScenario> {
  const read = await textFrom(operand, library, console)
  const { found, findings } = readAnyScenario(read.text, read.file)
  return sound(found, findings, read.file, console)
}

function sound<T>(scenario: T | undefined, findings: readonly LocatedFinding[], file: string, console: Console): T {
  for (const finding of findings) console.tell(findingText(finding))
  if (scenario === undefined) throw new ProblemError('invalid-input', `${file} is not a runnable scenario.`)
  return scenario
}

async function textFrom(operand: string, library: readonly string[], console: Console) {
  const isName = library.includes(operand)
  if (!isName && /^[A-Z]\d+$/.test(operand)) {
    throw new UsageError(
      `There is no scenario ${operand}; ${meantInstead(operand, library, '--list lists the library.')}`,
    )
  }
  const path = isName ? fileOfScenario(console.scenarioFolder, operand) : operand
  return oneText(path, console, 'one scenario after the other')
}

/** The requests recorded in files, as arrivals under a variant. */
export async function arrivalsFrom(paths: readonly string[], variant: Variant, console: Console): Promise<Arrivals> {
  const files = await readFilesFound(paths, console)
  const texts = files.map(({ name, text }) => ({ file: name, text }))
  const recorded = readRecorded(texts, variant, console.environment.now())
  if (!recorded.ok) throw new ProblemError('invalid-input', recorded.problem)
  return recorded.arrivals
}
