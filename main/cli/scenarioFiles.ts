import { ProblemError } from '../../core/contract/errors.ts'
import { readScenario } from '../../core/scenario/read.ts'
import type { Scenario } from '../../core/scenario/scenario.ts'
import { nearest } from '../../core/text/text.ts'
import { fileOfScenario } from '../files/scenarioLibrary.ts'
import type { Console } from './console.ts'
import { readTexts } from './inputFiles.ts'
import { UsageError } from './usage.ts'
import { findingText } from './validate.ts'

/** A scenario of the library by its name, or the one of a file. */
export async function scenarioFrom(operand: string, library: readonly string[], console: Console): Promise<Scenario> {
  const isName = library.includes(operand)
  if (!isName && /^[A-Z]\d+$/.test(operand)) {
    const meant = nearest(operand, library)
    const mend = meant === undefined ? '--list lists the library.' : `did you mean ${meant}?`
    throw new UsageError(`There is no scenario ${operand}; ${mend}`)
  }
  const [read, more] = await readTexts([isName ? fileOfScenario(console.scenarioFolder, operand) : operand], console)
  if (read === undefined || more !== undefined) {
    throw new UsageError(`${operand} is a folder; name one scenario after the other.`)
  }
  const { scenario, findings } = readScenario(read.text, read.file)
  for (const finding of findings) console.tell(findingText(finding))
  if (scenario === undefined) throw new ProblemError('invalid-input', `${read.file} is no scenario that can be run.`)
  return scenario
}
