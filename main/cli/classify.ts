import { explainer } from '../../core/classify/explain.ts'
import type { Explained, ServerContext } from '../../core/classify/classification.ts'
import { runRequestTests } from '../../core/classify/sample.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import type { RequestSample } from '../../core/contract/objects.ts'
import { classificationJson, classificationText, hasFailed, testsJson, testsText } from './classifyReport.ts'
import { requestsFrom, testsFrom, type GivenRequests } from './classifyRequests.ts'
import { CONFIGURATION_OPTIONS, configurationFrom, type GivenConfiguration } from './configurationSource.ts'
import type { Console, ExitCode } from './console.ts'
import { HELP } from './help.ts'
import { tellFindings } from './manifestFiles.ts'
import { readNumber, printHelp, readOptions, UsageError, type Given, type OptionInfo } from './usage.ts'

const REQUEST_OPTIONS = {
  user: { type: 'string' },
  group: { type: 'string', multiple: true },
  verb: { type: 'string' },
  method: { type: 'string' },
  url: { type: 'string' },
  request: { type: 'string' },
  kubectl: { type: 'string' },
  text: { type: 'string' },
} as const satisfies Readonly<Record<string, OptionInfo>>

const OPTIONS = {
  ...CONFIGURATION_OPTIONS,
  ...REQUEST_OPTIONS,
  test: { type: 'string' },
  'server-limit': { type: 'string' },
  objects: { type: 'string' },
  'object-size': { type: 'string' },
  watchers: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies Readonly<Record<string, OptionInfo>>

const MOST_SEATS = 1_000_000_000

/** Says which flow schema and level requests fall into, why, and what they cost. */
export async function classify(args: readonly string[], console: Console): Promise<ExitCode> {
  const given = readOptions(args, OPTIONS, 'files')
  if (given.flag('help')) {
    printHelp(console, HELP.classify)
    return 0
  }
  const table = given.value('test')
  if (table !== undefined) return runTable(table, given, console)
  const context = contextFrom(given)
  const requests = await requestsFrom(given, console)
  const configuration = await configurationFrom(given, console)
  const answers = explainAll(requests, configuration, { ...context, version: configuration.version })
  const rejected = tellConfiguration(configuration, console)
  for (const note of requests.notes) console.tell(note)
  if (given.flag('json')) console.printJson(jsonOf(answers, requests.many, configuration), 2)
  else console.print(answers.flatMap((answer, index) => (index === 0 ? textOf(answer) : ['', ...textOf(answer)])))
  return rejected || answers.some(({ answer }) => !answer.ok) ? 1 : 0
}

function contextFrom(given: Given): ServerContext {
  const count = readNumber(given, 'objects', { min: 0, max: MOST_SEATS, whole: true })
  const averageSize = readNumber(given, 'object-size', { min: 0, max: MOST_SEATS, whole: true })
  const watchers = readNumber(given, 'watchers', { min: 0, max: MOST_SEATS, whole: true })
  const serverLimit = readNumber(given, 'server-limit', { min: 1, max: MOST_SEATS, whole: true })
  if (averageSize !== undefined && count === undefined) throw new UsageError('--object-size needs --objects.')
  return {
    ...(serverLimit !== undefined && { serverLimit }),
    ...(watchers !== undefined && { watchers }),
    ...(count !== undefined && { objects: { count, ...(averageSize !== undefined && { averageSize }) } }),
  }
}

/** Whether there is anything that a server would reject. */
function tellConfiguration({ errors, notes }: GivenConfiguration, console: Console): boolean {
  for (const note of notes) console.tell(note)
  tellFindings(errors, console)
  return errors.length > 0
}

interface Answered {
  readonly request: RequestSample
  readonly answer: Explained
}

/** A single request that no server classifies ends the command. */
function explainAll(
  { many, requests }: GivenRequests,
  { objects }: GivenConfiguration,
  context: ServerContext,
): readonly Answered[] {
  const explain = explainer(objects, context)
  return requests.map((request) => {
    const answer = explain(request)
    if (!answer.ok && !many) throw new ProblemError('invalid-input', answer.problem)
    return { request, answer }
  })
}

function jsonOf(answers: readonly Answered[], many: boolean, configuration: GivenConfiguration): unknown {
  const all = answers.map(({ request, answer }) =>
    answer.ok
      ? classificationJson(request, answer.classification, configuration)
      : { request, problem: answer.problem },
  )
  return many ? all : all[0]
}

const textOf = ({ request, answer }: Answered): readonly string[] =>
  answer.ok
    ? classificationText(request, answer.classification)
    : [`${request.user}  ${request.method} ${request.url}`, '', answer.problem]

async function runTable(file: string, given: Given, console: Console): Promise<ExitCode> {
  const other = Object.keys(REQUEST_OPTIONS).find((name) => given.values(name).length > 0)
  if (other !== undefined) throw new UsageError(`--test brings its own requests; --${other} does not go with it.`)
  const tests = await testsFrom(file, console)
  const configuration = await configurationFrom(given, console)
  const rejected = tellConfiguration(configuration, console)
  const results = runRequestTests(configuration.objects, tests)
  if (given.flag('json')) console.printJson(testsJson(results), 2)
  else console.print(testsText(results))
  return rejected || results.some(hasFailed) ? 1 : 0
}
