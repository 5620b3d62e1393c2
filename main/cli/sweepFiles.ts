import { dirname, isAbsolute, join } from 'node:path'
import { ProblemError } from '../../core/contract/errors.ts'
import { fitFindings, readSweep, type WrittenBase } from '../../core/sweep/read.ts'
import type { SweepBase, SweepPlan } from '../../core/sweep/sweep.ts'
import { readRecorded } from '../../core/whatif/recorded.ts'
import type { Variant } from '../../core/whatif/variant.ts'
import { scenarioNames } from '../files/scenarioLibrary.ts'
import type { Console } from './console.ts'
import { readInputFiles, readTexts, tellFindings } from './inputFiles.ts'
import { scenarioFrom } from './scenarioFiles.ts'
import { meantInstead, UsageError } from './usage.ts'

/** A sweep with its base. Throws with every problem of the file reported. */
export async function sweepFrom(
  file: string,
  console: Console,
): Promise<{ readonly plan: SweepPlan; readonly base: SweepBase }> {
  const [read, more] = await readTexts([file], console)
  if (read === undefined || more !== undefined) throw new UsageError(`${file} is a folder; name a sweep file.`)
  const { value, findings, located } = readSweep(read.text, read.file)
  tellFindings(findings, console)
  if (value === undefined) throw notRunnable(file)
  const base = await baseFrom(value.base, file === '-' ? '.' : dirname(file), console)
  const { parameters, results } = value.plan
  const misfits = fitFindings({ parameters, measured: { results } }, base)
  tellFindings(misfits.map(located), console)
  if (misfits.length > 0) throw notRunnable(file)
  return { plan: value.plan, base }
}

const notRunnable = (file: string): ProblemError =>
  new ProblemError('invalid-input', `${file} is no sweep that can be run.`)

const beside = (folder: string, file: string): string => (isAbsolute(file) ? file : join(folder, file))

/** What a sweep or a tuning starts from. Files are named from the folder of the file that names them. */
export async function baseFrom(written: WrittenBase, folder: string, console: Console): Promise<SweepBase> {
  if (written.kind === 'requests') {
    const { version, ...rest } = written.variant
    const variant: Variant = { ...rest, version, servers: 1, executionFactor: 1 }
    const files = await readInputFiles(
      written.files.map((file) => beside(folder, file)),
      console,
    )
    const texts = files.map(({ name, text }) => ({ file: name, text }))
    const recorded = readRecorded(texts, variant, console.environment.now())
    if (!recorded.ok) throw new ProblemError('invalid-input', recorded.problem)
    for (const note of recorded.arrivals.notes) console.tell(note)
    return { kind: 'requests', arrivals: recorded.arrivals, variant }
  }
  const library = await scenarioNames(console.scenarioFolder)
  const named = written.scenario
  const isName = library.includes(named) || /^[A-Z]\d+$/.test(named)
  const scenario = await scenarioFrom(isName ? named : beside(folder, named), library, console)
  const names = scenario.variants.map(({ name }) => name)
  const variant = scenario.variants.find(({ name }) => name === (written.variant ?? names[0]))
  if (variant !== undefined) return { kind: 'scenario', scenario, variant }
  const mend = meantInstead(written.variant ?? '', names, `the variants are ${names.join(', ')}.`)
  throw new ProblemError('not-found', `${named} has no variant ${JSON.stringify(written.variant)}; ${mend}`)
}
