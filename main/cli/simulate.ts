import { ProblemError } from '../../core/contract/errors.ts'
import { assertionText, type Checked } from '../../core/scenario/check.ts'
import { runScenario, type ScenarioOutcome, type ScenarioRun } from '../../core/scenario/run.ts'
import { MEASURES } from '../../core/scenario/scenario.ts'
import { failed, type VariantResult } from '../../core/whatif/results.ts'
import { scenarioNames } from '../files/scenarioLibrary.ts'
import { type Console, type ExitCode, textTable } from './console.ts'
import { scenarioFrom } from './scenarioFiles.ts'
import { stepThrough } from './simulateSteps.ts'
import { type Command, type Given, OUTPUT_OPTIONS, readNumber, readOutput, UsageError } from './usage.ts'

/** Runs scenarios. 1 when an assertion fails or a verdict is another than the expected one. */
export const simulate: Command = {
  options: {
    ...OUTPUT_OPTIONS,
    seed: { type: 'string' },
    list: { type: 'boolean' },
    step: { type: 'boolean' },
    variant: { type: 'string', multiple: true },
  },
  operands: 'files',
  run: runSimulate,
}

const SEED = { min: 0, max: 2 ** 31 - 1, whole: true } as const

async function runSimulate(given: Given, console: Console): Promise<ExitCode> {
  const output = readOutput(given, ['text', 'json'])
  const seed = readNumber(given, 'seed', SEED)
  const library = await scenarioNames(console.scenarioFolder)
  if (given.flag('list')) {
    const scenarios = await Promise.all(library.map((name) => scenarioFrom(name, library, console)))
    console.print(
      textTable(
        scenarios.map(({ name, title }) => [name, title]),
        ['left', 'left'],
      ),
    )
    return 0
  }
  if (given.operands.length === 0) {
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
  for (const operand of given.operands) {
    const scenario = await scenarioFrom(operand, library, console)
    const outcome = runScenario(scenario, { seed, mayGoOn: () => !console.signal.aborted })
    if (outcome === undefined) throw new ProblemError('cancelled', 'The simulation was cancelled.')
    outcomes.push(outcome)
    if (output === 'text') console.print([...(outcomes.length > 1 ? [''] : []), ...outcomeText(outcome)])
  }
  if (output === 'json') console.printJson(outcomes.length === 1 ? outcomes[0] : outcomes, 2)
  return outcomes.every(({ passed }) => passed) ? 0 : 1
}

function outcomeText({
  name,
  title,
  teaches,
  seed,
  seconds,
  statisticsFrom,
  runs,
  passed,
}: ScenarioOutcome): readonly string[] {
  return [
    `${name}: ${title}`,
    teaches,
    `${seconds} s, statistics from ${statisticsFrom} s, seed ${seed}.`,
    ...runs.flatMap(runText),
    '',
    passed ? 'Passed.' : 'Failed.',
  ]
}

const HEAD = [
  'CLIENTS',
  'OFFERED',
  'SERVED/S',
  'FAILED',
  'QUEUE-FULL',
  'CONC.-LIMIT',
  'TIME-OUT',
  'EXPIRED',
  'WAIT P50',
  'P99',
  'SEATS',
]

function runText({ result, verdict, expected, criteria, assertions }: ScenarioRun): readonly string[] {
  const judged =
    verdict === undefined
      ? ''
      : `: ${verdict}${expected === undefined || expected === verdict ? '' : `, expected ${expected}`}`
  return [
    '',
    `${result.name}${judged}`,
    ...textTable([HEAD, ...clientRows(result)], ['left', ...HEAD.slice(1).map(() => 'right' as const)]),
    ...criteria.filter(({ holds }) => !holds).map((one) => `  not met: ${checkedText(one)}`),
    ...assertions.map((one) => `  ${one.holds ? 'ok' : 'FAILED'}: ${checkedText(one)}`),
  ]
}

function clientRows({ clients, seconds }: VariantResult): readonly (readonly string[])[] {
  return clients
    .toSorted((a, b) => a.client.localeCompare(b.client, 'en'))
    .map((one) => {
      const { client, offered, served, expired, rejected, waitMs, seats } = one
      const ended = failed(one) + served
      const counts = [rejected['queue-full'], rejected['concurrency-limit'], rejected['time-out'], expired].map(String)
      const part = ended === 0 ? '' : `${((100 * failed(one)) / ended).toFixed(1)} %`
      const waits = [waitMs.p50, waitMs.p99].map((ms) => `${ms.toFixed(1)} ms`)
      return [client, String(offered), (served / seconds).toFixed(1), part, ...counts, ...waits, seats.toFixed(1)]
    })
}

function checkedText({ assertion, value }: Checked): string {
  const unit = MEASURES[assertion.measure]
  const measured = Number(value.toFixed(3))
  return `${assertionText(assertion)} (${unit === '' ? measured : `${measured} ${unit}`})`
}
