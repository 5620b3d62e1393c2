import { dirname } from 'node:path'
import { stringify } from 'yaml'
import { ProblemError } from '../../core/errors.ts'
import { exportYaml } from '../../core/manifest/export.ts'
import type { SweepBase } from '../../core/sweep/sweep.ts'
import { presentTune } from '../../core/tune/present.ts'
import { tuneAnswer, type TuneReport } from '../../core/tune/report.ts'
import { type GoalNames, namesOf, namesOfObjects } from '../../core/tune/goalText.ts'
import { misspelt, planOf, readTune } from '../../core/tune/read.ts'
import type { TunePlan } from '../../core/tune/tune.ts'
import { misfits, twinBase } from '../../core/tune/ofTwin.ts'
import { TUNE_EVALUATIONS, TUNE_SEEDS } from '../../core/bounds.ts'
import { WHAT_IF_SEED } from '../../core/contract/whatif.ts'
import { writeAtomically } from '../files/files.ts'
import { levelsWithRequests, searchEdit } from '../threads/tuneSearch.ts'
import { progressOf, type Console, type ExitCode } from './console.ts'
import { lists, texts } from './options.ts'
import { oneText, tellFindings } from './inputFiles.ts'
import { configurationBefore, EDIT_OPTIONS } from './edit.ts'
import { readTwin, REQUESTS_OF_RUN, TWIN_OPTIONS } from './forecast.ts'
import { saidLines, type Said } from './print/terminal.ts'
import { refuseExisting } from './refuseExisting.ts'
import { baseFrom } from './sweepFiles.ts'
import { type Command, type Given, OUTPUT_OPTIONS, readNumber, readOutput, refuseOptions, UsageError } from './usage.ts'

/** Searches for the smallest edit that meets goals. 1 when none was found. Applies nothing. */
export const tune: Command = {
  options: {
    ...TWIN_OPTIONS,
    ...OUTPUT_OPTIONS,
    config: EDIT_OPTIONS.config,
    'kube-version': EDIT_OPTIONS['kube-version'],
    ...lists('goal', 'guard-rail'),
    ...texts('variant', 'evaluations', 'seed', 'seeds', 'write'),
    force: { type: 'boolean' },
  },
  operands: 'files',
  run: runTune,
}

async function runTune(given: Given, console: Console): Promise<ExitCode> {
  const output = readOutput(given, ['yaml', 'manifests', 'markdown'])
  const [operand, more] = given.operands
  const source = Object.keys(TWIN_OPTIONS).find((option) => option !== 'seed' && given.flag(option))
  if (more !== undefined || (operand === undefined) === (source === undefined)) {
    throw new UsageError(
      'tune needs one file, a scenario and goals, as in tune S5 --goal "leases never wait", or a source and goals.',
    )
  }
  const draft = given.value('write')
  if (draft !== undefined) await refuseExisting(draft, given.flag('force'))
  const asked = operand === undefined ? await planOfSource(given, console) : await planFrom(operand, given, console)
  if (asked === undefined) return 2
  const { plan, base } = asked
  const report = await searched(plan, base, console)
  if (draft !== undefined) await writeAtomically(draft, draftText(report))
  if (output === 'yaml') console.printText(stringify(report, { aliasDuplicateObjects: false }))
  else if (output === 'manifests') console.printText(exportYaml(report.answer.objects))
  else console.answer(output, report, [...answered(report), nextStep(report, draft)])
  return report.answer.met ? 0 : 1
}

const answered = (report: TuneReport): Said => [
  report.name,
  ...presentTune(tuneAnswer(report, [])).flatMap((answer) => [answer, '']),
]

function nextStep({ answer }: TuneReport, draft: string | undefined): string {
  if (answer.changes.length === 0) return 'The draft is empty.'
  return draft === undefined
    ? 'Nothing was applied. --write FILE writes the draft as manifests; -o manifests prints it.'
    : `Nothing was applied. The draft is in ${draft}.`
}

/** The manifests of the result, with its evidence as comments: the Editor opens this as a draft. */
const draftText = (report: TuneReport): string =>
  [...saidLines(answered(report)), 'Open this file in the Editor (Import) to review it before you apply anything.']
    .map((line) => `# ${line}`.trimEnd())
    .join('\n') + `\n${exportYaml(report.answer.objects)}`

interface Asked {
  readonly plan: TunePlan
  readonly base: SweepBase
}

function searchFrom(given: Given): Partial<Pick<TunePlan, 'evaluations' | 'seed' | 'seeds'>> {
  const evaluations = readNumber(given, 'evaluations', { ...TUNE_EVALUATIONS, whole: true })
  const seed = readNumber(given, 'seed', { ...WHAT_IF_SEED, whole: true })
  const seeds = readNumber(given, 'seeds', { ...TUNE_SEEDS, whole: true })
  return {
    ...(evaluations !== undefined && { evaluations }),
    ...(seed !== undefined && { seed }),
    ...(seeds !== undefined && { seeds }),
  }
}

const USUAL = { evaluations: TUNE_EVALUATIONS.usual, seed: 1, seeds: TUNE_SEEDS.usual, parameters: [] } as const

/** The goals of the command line, applied to a base. */
async function planOfGoals(base: SweepBase, name: string, given: Given, console: Console): Promise<Asked> {
  const [goals, guardRails] = [given.values('goal'), given.values('guard-rail')]
  checkWords(given, namesOf(base))
  const written = { ...USUAL, ...searchFrom(given), name, goals, guardRails }
  const { plan, findings } = planOf(written, base, await levelsWithRequests(base, written, threadsOf(console)))
  const [first] = findings
  if (first !== undefined) throw new UsageError(first.message)
  return { plan, base }
}

/** Throws for a goal or guard rail that is invalid here, before anything is fitted or run. */
function checkWords(given: Given, names?: GoalNames): void {
  const wrong = misspelt({ goals: given.values('goal'), guardRails: given.values('guard-rail') }, names)
  if (wrong !== undefined) throw new UsageError(wrong)
}

/** The twin of the source that the options name; `undefined` when the command is to end. */
async function planOfSource(given: Given, console: Console): Promise<Asked | undefined> {
  if (given.values('goal').length === 0) throw new UsageError('tune needs at least one --goal.')
  if (given.flag('variant')) throw new UsageError('--variant goes with a scenario.')
  checkWords(given)
  const read = await readTwin(given, console, async (beside) => {
    const { objects, version, notes, errors } = await configurationBefore(given, console, beside)
    checkWords(given, namesOfObjects(objects))
    return { before: objects, version, notes, errors }
  })
  if (typeof read === 'number') return undefined
  const { twin } = read
  const { base, text } = twinBase(twin, REQUESTS_OF_RUN)
  for (const sentence of [text, ...misfits(twin.fit)]) console.tell(sentence)
  return planOfGoals(base, 'The twin', given, console)
}

async function planFrom(operand: string, given: Given, console: Console): Promise<Asked> {
  const own = searchFrom(given)
  const [goals, variant] = [given.values('goal'), given.value('variant')]
  if (goals.length > 0) {
    const base = await baseFrom(
      { kind: 'scenario', scenario: operand, ...(variant !== undefined && { variant }) },
      '.',
      console,
    )
    return planOfGoals(base, operand, given, console)
  }
  refuseOptions(given, ['guard-rail', 'variant'], 'goes with --goal; a file has its own.')
  const read = await oneText(operand, console, 'a file')
  const { value, findings, located } = readTune(read.text, read.file)
  tellFindings(findings, console)
  if (value === undefined) throw new ProblemError('invalid-input', `${operand} contains nothing that can be tuned.`)
  const base = await baseFrom(value.base, operand === '-' ? '.' : dirname(operand), console)
  const whole = { ...value, ...own }
  const { plan, findings: wrong } = planOf(whole, base, await levelsWithRequests(base, whole, threadsOf(console)))
  tellFindings(wrong.map(located), console)
  if (wrong.length > 0) throw new ProblemError('invalid-input', `${operand} contains nothing that can be tuned.`)
  return { plan, base }
}

async function searched(plan: TunePlan, base: SweepBase, console: Console): Promise<TuneReport> {
  if (plan.knobs.length === 0) {
    throw new ProblemError(
      'not-found',
      'There is nothing to change: no Limited level has requests. Name parameters in a file.',
    )
  }
  const onPart = progressOf(
    console,
    (part, seconds) => `${Math.round(part * 100)} % searched, about ${seconds} s left.`,
  )
  return searchEdit(plan, base, { ...threadsOf(console), onPart })
}

const threadsOf = ({ whatIf, signal }: Console) => ({ runner: whatIf, signal })
