import { dirname, isAbsolute, join } from 'node:path'
import { ProblemError } from '../../core/errors.ts'
import { fitFindings, readSweep, scenarioBase, type WrittenBase } from '../../core/sweep/read.ts'
import type { SweepBase, SweepPlan } from '../../core/sweep/sweep.ts'
import type { Variant } from '../../core/whatif/variant.ts'
import { scenarioNames } from '../files/scenarioLibrary.ts'
import type { Console } from './console.ts'
import { oneText, tellFindings } from './inputFiles.ts'
import { arrivalsFrom, scenarioFrom } from './scenarioFiles.ts'

/** A sweep with its base. Throws after every problem of the file was reported. */
export async function sweepFrom(
  file: string,
  console: Console,
): Promise<{ readonly plan: SweepPlan; readonly base: SweepBase }> {
  const read = await oneText(file, console, 'a sweep file')
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
  new ProblemError('invalid-input', `${file} is not a runnable sweep.`)

const beside = (folder: string, file: string): string => (isAbsolute(file) ? file : join(folder, file))

/** The base of a sweep or a tuning. Paths are relative to the folder of the file that contains them. */
export async function baseFrom(written: WrittenBase, folder: string, console: Console): Promise<SweepBase> {
  if (written.kind === 'requests') {
    const { version, ...rest } = written.variant
    const variant: Variant = { ...rest, version, servers: 1, executionFactor: 1 }
    const paths = written.files.map((file) => beside(folder, file))
    const arrivals = await arrivalsFrom(paths, variant, console)
    for (const note of arrivals.notes) console.tell(note)
    return { kind: 'requests', arrivals, variant }
  }
  const library = await scenarioNames(console.scenarioFolder)
  const named = written.scenario
  const isName = library.includes(named) || /^[A-Z]\d+$/.test(named)
  const scenario = await scenarioFrom(isName ? named : beside(folder, named), library, console)
  return scenarioBase(scenario, written.variant, named)
}
