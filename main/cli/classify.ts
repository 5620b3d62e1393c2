import { explainer } from '../../core/classify/explain.ts'
import {
  digestRequest,
  contextOfFacts,
  seenSeats,
  type Explained,
  type ServerContext,
  type Classification,
  type RuleTrace,
  type SchemaTrace,
} from '../../core/classify/classification.ts'
import { presentRequest, presentTests } from '../../core/classify/present.ts'
import { runRequestTests, type RequestTestResult } from '../../core/classify/configuration.ts'
import { ProblemError } from '../../core/errors.ts'
import type { SourceSpec } from '../../core/contract/source.ts'
import { serverLimitOf } from '../../core/impact/serverLimit.ts'
import { reportedFacts } from '../../core/live/serverFacts.ts'
import type { RequestSample } from '../../core/contract/objects.ts'
import { requestsFrom, testsFrom, type GivenRequests } from './classifyRequests.ts'
import { texts } from './options.ts'
import {
  CONFIGURATION_OPTIONS,
  configurationBeside,
  namesCluster,
  namesObjects,
  type GivenConfiguration,
} from './configurationSource.ts'
import type { Console, ExitCode } from './console.ts'
import type { Said } from './print/terminal.ts'
import { classifyTraffic } from './classifyTraffic.ts'
import { classifyUnderDraft } from './draftObjects.ts'
import { tellFindings } from './inputFiles.ts'
import { readFrame, type ReadFrame } from './snapshot.ts'
import { cadenceFrom, READ_OPTIONS, readsFrom, SOURCE_OPTIONS, sourceFrom } from './sourceOptions.ts'
import {
  OUTPUT_OPTIONS,
  readNumber,
  readOutput,
  SEATS,
  UsageError,
  type Given,
  type OptionInfo,
  type Command,
} from './usage.ts'

const REQUEST_OPTIONS = {
  user: { type: 'string' },
  group: { type: 'string', multiple: true },
  ...texts('verb', 'method', 'url', 'request', 'kubectl', 'text'),
} as const satisfies Readonly<Record<string, OptionInfo>>

/** Shows which flow schema and level requests fall into, why, and what they cost. */
export const classify: Command = {
  options: {
    ...SOURCE_OPTIONS,
    ...CONFIGURATION_OPTIONS,
    ...REQUEST_OPTIONS,
    ...texts('test', 'draft'),
    ...READ_OPTIONS,
    ...texts('server-limit', 'objects', 'object-size', 'watchers'),
    traffic: { type: 'boolean' },
    seconds: { type: 'string' },
    ...OUTPUT_OPTIONS,
  },
  run: runClassify,
}

async function runClassify(given: Given, console: Console): Promise<ExitCode> {
  const form = readOutput(given, ['markdown'])
  if (given.flag('traffic')) {
    const other = ['test', 'draft', ...Object.keys(REQUEST_OPTIONS)].find((name) => given.values(name).length > 0)
    if (other !== undefined)
      throw new UsageError(`--traffic takes the requests of the source; --${other} does not go with it.`)
    return classifyTraffic(given, console)
  }
  if (given.value('seconds') !== undefined) throw new UsageError('--seconds goes with --traffic.')
  const draft = given.value('draft')
  if (draft !== undefined) return classifyUnderDraft(draft, given, console)
  const table = given.value('test')
  if (table !== undefined) return runTable(table, given, console)
  const supposed = contextFrom(given)
  const requests = await requestsFrom(given, console)
  const read = await readSource(given, console)
  if (read === 'ended') return 2
  const configuration = await configurationBeside(given, console, read?.source)
  const answers = explainAll(requests, configuration, { read, supposed })
  const rejected = tellConfiguration(configuration, console)
  for (const note of [...(read?.notes ?? []), ...requests.notes]) console.tell(note)
  const said = answers.flatMap(({ request, answer }, index): Said => [
    ...(index === 0 ? [] : ['']),
    presentRequest(request, answer),
  ])
  console.answer(form, jsonOf(answers, requests.many, configuration), said)
  return rejected || answers.some(({ answer }) => !answer.ok) ? 1 : 0
}

/** A source that reports the values that seats depend on. */
interface Source {
  readonly spec: SourceSpec
  readonly source: ReadFrame
  readonly notes: readonly string[]
}

const SECONDS = 30

/** The source that the options name, read once; `undefined` when they name none. */
async function readSource(given: Given, console: Console): Promise<Source | undefined | 'ended'> {
  const spec = await sourceFrom(given, false, console)
  if (spec === undefined) return undefined
  const source = await readFrame(console, spec, cadenceFrom(given, false), SECONDS, !namesObjects(given))
  if (source === undefined) return 'ended'
  const [first, ...others] = source.frame?.servers ?? []
  return {
    spec,
    source,
    notes: [
      ...source.findings,
      ...(others.length > 0
        ? [`Counts and seats are those of ${first?.id ?? ''}, the first of ${others.length + 1} servers.`]
        : []),
    ],
  }
}

const COUNT = { ...SEATS, min: 0 } as const

/** The resource and server values given as options; they override what the source reports. */
function contextFrom(given: Given): ServerContext {
  const count = readNumber(given, 'objects', COUNT)
  const averageSize = readNumber(given, 'object-size', COUNT)
  const watchers = readNumber(given, 'watchers', COUNT)
  const serverLimit = readNumber(given, 'server-limit', SEATS)
  if (averageSize !== undefined && count === undefined) throw new UsageError('--object-size needs --objects.')
  return {
    ...(serverLimit !== undefined && { serverLimit }),
    ...(watchers !== undefined && { watchers }),
    ...readsFrom(given),
    ...(count !== undefined && { objects: { count, ...(averageSize !== undefined && { averageSize }) } }),
  }
}

/** Prints notes and findings. Returns whether a server would reject any object. */
function tellConfiguration({ errors, notes }: GivenConfiguration, console: Console): boolean {
  for (const note of notes) console.tell(note)
  tellFindings(errors, console)
  return errors.length > 0
}

interface Answered {
  readonly request: RequestSample
  readonly answer: Explained
}

/** Ends the command for a single request that no server classifies. The Classify screen uses the same evidence. */
function explainAll(
  { many, requests }: GivenRequests,
  { objects, version }: GivenConfiguration,
  { read, supposed }: { readonly read: Source | undefined; readonly supposed: ServerContext },
): readonly Answered[] {
  const { facts, dump, frame } = read?.source ?? {}
  const reported = facts && (reportedFacts(facts) ?? undefined)
  const { seats: serverLimit } = serverLimitOf({
    own: supposed.serverLimit,
    spec: read?.spec,
    server: frame?.servers[0],
    objects,
  })
  const explain = explainer(objects, { version, serverLimit })
  return requests.map((request) => {
    const digest = digestRequest(request)
    const info = digest.ok ? digest.digest.info : undefined
    const seen = seenSeats(dump?.requests ?? [], info)
    const answer = explain(request, { ...(seen && { seen }), ...contextOfFacts(reported, info), ...supposed })
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

async function runTable(file: string, given: Given, console: Console): Promise<ExitCode> {
  const other = Object.keys(REQUEST_OPTIONS).find((name) => given.values(name).length > 0)
  if (other !== undefined) throw new UsageError(`--test contains its own requests; --${other} does not go with it.`)
  const tests = await testsFrom(file, console)
  const read = namesCluster(given) ? undefined : await readSource(given, console)
  if (read === 'ended') return 2
  const configuration = await configurationBeside(given, console, read?.source)
  const rejected = tellConfiguration(configuration, console)
  const results = runRequestTests(configuration.objects, tests)
  console.answer(readOutput(given, ['markdown']), testsJson(results), [presentTests(results)])
  return rejected || results.some(hasFailed) ? 1 : 0
}

/** The JSON of one request (docs/classify.md). Members are added over time, never removed. */
function classificationJson(
  request: RequestSample,
  classification: Classification,
  { name, version }: GivenConfiguration,
) {
  const { info, flow, seats, trace, dangling } = classification
  return {
    flowSchema: classification.flowSchema,
    priorityLevel: classification.priorityLevel,
    distinguisher: flow.distinguisher,
    flowHash: flow.hash,
    hand: flow.hand,
    seats: {
      initial: seats.initial,
      final: seats.final,
      additionalLatencyMs: seats.additionalLatencyMs,
      width: seats.width,
      cap: seats.cap,
      levelCap: seats.levelCap,
      method: seats.method,
      steps: seats.steps,
      assumptions: seats.assumptions,
    },
    trace: trace.map(schemaJson),
    dangling,
    request: { ...request, verb: info.verb, isResource: info.isResource, namespace: info.namespace },
    distinguisherMethod: flow.method,
    uids: classification.uids,
    nominalLimit: classification.nominalLimit,
    bypasses: classification.bypasses,
    fallback: classification.fallback,
    notes: classification.notes,
    configuration: { name, version },
  }
}

function schemaJson({
  flowSchema,
  priorityLevel,
  matchingPrecedence,
  matched,
  reached,
  imagined,
  rule,
  reason,
}: SchemaTrace) {
  return {
    flowSchema,
    matched,
    // A schema that matches has `because`, one that does not has `reason`.
    ...(matched ? { because: reason } : { reason }),
    priorityLevel,
    matchingPrecedence,
    reached,
    imagined,
    ...(rule !== undefined && { rule: ruleJson(rule) }),
  }
}

const ruleJson = ({ index, outcomes, subject, part, mismatch }: RuleTrace) => ({
  index,
  outcomes,
  ...(subject !== undefined && { subject }),
  ...(part !== undefined && { part }),
  ...(mismatch !== undefined && { mismatch }),
})

/** The JSON of a test table. */
const testsJson = (results: readonly RequestTestResult[]) => ({
  passed: results.filter(({ outcome }) => outcome === 'passed').length,
  failed: results.filter(hasFailed).length,
  results: results.map((result) => ({
    id: result.test.id,
    label: result.test.label,
    outcome: result.outcome,
    ...(result.test.expect !== undefined && { expected: result.test.expect }),
    ...(result.outcome === 'unclassifiable' ? { problem: result.problem } : { actual: result.actual }),
  })),
})

const hasFailed = ({ outcome }: RequestTestResult): boolean => outcome === 'failed' || outcome === 'unclassifiable'
