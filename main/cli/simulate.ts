import { builtInObjects } from '../../core/config/builtIn.ts'
import { ProblemError } from '../../core/errors.ts'
import { WHAT_IF_SEED } from '../../core/contract/whatif.ts'
import type { AnyScenario } from '../../core/scenario/read.ts'
import { scenarioOfArrivals, textOfScenario } from '../../core/scenario/fromArrivals.ts'
import { outcomeSentence, presentNumbers, presentRun } from '../../core/scenario/present.ts'
import { scenarioReport } from '../../core/scenario/report.ts'
import { runAnyScenario, type ScenarioOutcome } from '../../core/scenario/run.ts'
import { presentRanking } from '../../core/whatif/ranking.ts'
import { defaultVariant } from '../../core/whatif/variant.ts'
import { scenarioNames } from '../files/scenarioLibrary.ts'
import { absolute, levelsOf, readDemands } from './assertions.ts'
import { lists, switches } from './options.ts'
import type { Console, ExitCode } from './console.ts'
import { textTable, type Said } from './print/terminal.ts'
import { anyScenarioFrom, arrivalsFrom, scenarioFrom } from './scenarioFiles.ts'
import { stepThrough } from './simulateSteps.ts'
import { type Command, type Given, OUTPUT_OPTIONS, readNumber, readOutput, UsageError } from './usage.ts'

/** Runs scenarios. 1 when an assertion fails or a verdict differs from the expected one. */
export const simulate: Command = {
  options: {
    ...OUTPUT_OPTIONS,
    seed: { type: 'string' },
    ...switches('list', 'import', 'step', 'numbers'),
    ...lists('variant', 'assert'),
  },
  operands: 'files',
  run: runSimulate,
}

async function runSimulate(given: Given, console: Console): Promise<ExitCode> {
  const output = readOutput(given, ['markdown'])
  const seed = readNumber(given, 'seed', { ...WHAT_IF_SEED, whole: true })
  if (given.flag('import')) return importRecording(given, console)
  const library = await scenarioNames(console.scenarioFolder)
  if (given.flag('list')) {
    const scenarios = await Promise.all(library.map((name) => anyScenarioFrom(name, library, console)))
    console.print(
      textTable(
        scenarios.map(({ scenario: { name, title } }) => [name, title]),
        ['left'],
      ),
    )
    return 0
  }
  const numbers = given.flag('numbers')
  if (given.operands.length === 0 && !numbers) {
    throw new UsageError('simulate needs a scenario: a file, or a name of the library; --list lists them.')
  }
  if (given.flag('step')) {
    const [operand = '', more] = given.operands
    if (more !== undefined || operand === '-')
      throw new UsageError('--step takes one scenario, from the library or a file.')
    const scenario = await scenarioFrom(operand, library, console)
    return stepThrough({ ...scenario, seed: seed ?? scenario.seed }, given.values('variant'), console)
  }
  if (given.values('variant').length > 0) throw new UsageError('--variant goes with --step.')
  const outcomes: ScenarioOutcome[] = []
  for (const operand of numbers && given.operands.length === 0 ? library : given.operands) {
    const scenario = withDemands(await anyScenarioFrom(operand, library, console), given)
    const outcome = runAnyScenario(scenario, { seed, mayGoOn: () => !console.signal.aborted })
    if (outcome === undefined) throw new ProblemError('cancelled', 'The simulation was cancelled.')
    outcomes.push(outcome)
    if (output !== 'json' && !numbers)
      console.answer(output, outcome, [...(outcomes.length > 1 ? [''] : []), ...saidOf(outcome)])
  }
  if (output !== 'json' && numbers) console.answer(output, outcomes, [presentNumbers(outcomes)])
  if (output === 'json') console.printJson(outcomes.length === 1 ? outcomes[0] : outcomes, 2)
  return outcomes.every(({ passed }) => passed) ? 0 : 1
}

/** The scenario with the assertions of `--assert` added to every variant. */
function withDemands(asked: AnyScenario, given: Given): AnyScenario {
  const clients = asked.scenario.clients.map(({ name }) => name)
  if (asked.of === 'etcd') {
    const more = absolute(readDemands(given, { levels: [], clients }))
    return { of: asked.of, scenario: { ...asked.scenario, assertions: [...asked.scenario.assertions, ...more] } }
  }
  const more = absolute(readDemands(given, { levels: levelsOf(asked.scenario.variants), clients }))
  return { of: asked.of, scenario: { ...asked.scenario, assertions: [...asked.scenario.assertions, ...more] } }
}

/** Prints a scenario whose clients send at the recorded average rates. */
async function importRecording(given: Given, console: Console): Promise<ExitCode> {
  const foreign = ['seed', 'list', 'step', 'variant', 'assert', 'numbers', 'output', 'json'].find((option) =>
    given.flag(option),
  )
  if (foreign !== undefined) throw new UsageError(`--import prints a scenario as YAML; leave out --${foreign}.`)
  const { operands } = given
  if (operands.length === 0) {
    throw new UsageError(
      '--import needs a recording: lines of proxy --json or feed --json, an audit log or a request log.',
    )
  }
  const { version } = defaultVariant('now', { levels: [], schemas: [] })
  const server = defaultVariant('now', builtInObjects(version))
  const scenario = scenarioOfArrivals(await arrivalsFrom(operands, server, console), server)
  for (const note of scenario.notes) console.tell(note)
  console.printText(textOfScenario(scenario))
  return 0
}

function saidOf(outcome: ScenarioOutcome): Said {
  const { of, name, title, teaches, seed, seconds, statisticsFrom, passed, runs } = scenarioReport(outcome)
  return [
    `${name}: ${title}`,
    teaches,
    `${seconds} s, statistics from ${statisticsFrom} s, seed ${seed}.`,
    ...runs.flatMap((run) => ['', presentRun(run, of)]),
    ...(of === 'server' && runs.length > 1 ? ['', presentRanking(outcome.runs.map(({ result }) => result))] : []),
    '',
    `${passed ? 'Passed' : 'Failed'}. ${outcomeSentence({ runs, passed })}`,
  ]
}
