import { plain } from '../../core/text/format.ts'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import { WHAT_IF_SEED } from '../../core/contract/whatif.ts'
import type { AnyScenario } from '../../core/scenario/read.ts'
import { scenarioOfArrivals, textOfScenario } from '../../core/scenario/fromArrivals.ts'
import { runAnyScenario, type ScenarioOutcome, type ScenarioRun } from '../../core/scenario/run.ts'
import { type ClientResult, failed, rejectedOf } from '../../core/whatif/results.ts'
import { defaultVariant } from '../../core/whatif/variant.ts'
import { scenarioNames } from '../files/scenarioLibrary.ts'
import { absolute, checkedText, levelsOf, readDemands } from './assertions.ts'
import type { Console, ExitCode } from './console.ts'
import { textTable } from './print/terminal.ts'
import { anyScenarioFrom, arrivalsFrom, scenarioFrom } from './scenarioFiles.ts'
import { stepThrough } from './simulateSteps.ts'
import { type Command, type Given, OUTPUT_OPTIONS, readNumber, readOutput, UsageError } from './usage.ts'

/** Runs scenarios. 1 when an assertion fails or a verdict differs from the expected one. */
export const simulate: Command = {
  options: {
    ...OUTPUT_OPTIONS,
    seed: { type: 'string' },
    list: { type: 'boolean' },
    import: { type: 'boolean' },
    step: { type: 'boolean' },
    variant: { type: 'string', multiple: true },
    assert: { type: 'string', multiple: true },
  },
  operands: 'files',
  run: runSimulate,
}

async function runSimulate(given: Given, console: Console): Promise<ExitCode> {
  const output = readOutput(given)
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
    const scenario = withDemands(await anyScenarioFrom(operand, library, console), given)
    const outcome = runAnyScenario(scenario, { seed, mayGoOn: () => !console.signal.aborted })
    if (outcome === undefined) throw new ProblemError('cancelled', 'The simulation was cancelled.')
    outcomes.push(outcome)
    if (output === 'text') console.print([...(outcomes.length > 1 ? [''] : []), ...outcomeText(outcome)])
  }
  if (output === 'json') console.printJson(outcomes.length === 1 ? outcomes[0] : outcomes, 2)
  return outcomes.every(({ passed }) => passed) ? 0 : 1
}

/** The scenario with the assertions of `--assert` added to every variant. */
function withDemands(any: AnyScenario, given: Given): AnyScenario {
  const clients = any.scenario.clients.map(({ name }) => name)
  if (any.of === 'etcd') {
    const more = absolute(readDemands(given, { levels: [], clients }))
    return { of: any.of, scenario: { ...any.scenario, assertions: [...any.scenario.assertions, ...more] } }
  }
  const more = absolute(readDemands(given, { levels: levelsOf(any.scenario.variants), clients }))
  return { of: any.of, scenario: { ...any.scenario, assertions: [...any.scenario.assertions, ...more] } }
}

/** Prints a scenario whose clients send at the recorded average rates. */
async function importRecording(given: Given, console: Console): Promise<ExitCode> {
  const foreign = ['seed', 'list', 'step', 'variant', 'assert', 'output', 'json'].find((option) => given.flag(option))
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

function outcomeText({
  of,
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
    ...runs.flatMap((run) => runText(run, of === 'etcd' ? STORE_COLUMNS : SERVER_COLUMNS)),
    '',
    passed ? 'Passed.' : 'Failed.',
  ]
}

interface Column {
  readonly head: string
  readonly cell: (one: ClientResult, seconds: number) => string
}

const partFailed = (one: ClientResult): string => {
  const ended = failed(one) + one.served
  return ended === 0 ? '' : plain.percent(failed(one) / ended, 1)
}
const COMMON: readonly Column[] = [
  { head: 'CLIENTS', cell: ({ client }) => client },
  { head: 'OFFERED', cell: ({ offered }) => String(offered) },
  { head: 'SERVED/S', cell: ({ served }, seconds) => plain.fixed(served / seconds, 1) },
  { head: 'FAILED', cell: partFailed },
]
const WAITS: readonly Column[] = [
  { head: 'WAIT P50', cell: ({ waitMs }) => plain.ms(waitMs.p50) },
  { head: 'P99', cell: ({ waitMs }) => plain.ms(waitMs.p99) },
]
const SERVER_COLUMNS: readonly Column[] = [
  ...COMMON,
  { head: 'QUEUE-FULL', cell: ({ rejected }) => String(rejected['queue-full']) },
  { head: 'CONC.-LIMIT', cell: ({ rejected }) => String(rejected['concurrency-limit']) },
  { head: 'TIME-OUT', cell: ({ rejected }) => String(rejected['time-out']) },
  { head: 'EXPIRED', cell: ({ expired }) => String(expired) },
  ...WAITS,
  { head: 'SEATS', cell: ({ seats }) => plain.seatsAverage(seats) },
]
const STORE_COLUMNS: readonly Column[] = [
  ...COMMON,
  { head: 'LIMITED', cell: (one) => String(rejectedOf(one)) },
  { head: 'FAILED IN ETCD', cell: ({ expired }) => String(expired) },
  ...WAITS,
]

function runText(
  { result, verdict, expected, criteria, assertions }: ScenarioRun,
  columns: readonly Column[],
): readonly string[] {
  const judged =
    verdict === undefined
      ? ''
      : `: ${verdict}${expected === undefined || expected === verdict ? '' : `, expected ${expected}`}`
  const clients = result.clients.toSorted((a, b) => a.client.localeCompare(b.client, 'en'))
  return [
    '',
    `${result.name}${judged}`,
    ...textTable(
      [columns.map(({ head }) => head), ...clients.map((one) => columns.map(({ cell }) => cell(one, result.seconds)))],
      ['left', 'right'],
    ),
    ...criteria.filter(({ holds }) => !holds).map((one) => `  not met: ${checkedText(one)}`),
    ...assertions.map((one) => `  ${one.holds ? 'ok' : 'FAILED'}: ${checkedText(one)}`),
  ]
}
