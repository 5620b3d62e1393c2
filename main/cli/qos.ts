import { plain } from '../../core/text/format.ts'
import { otherText } from '../../core/text/otherTexts.ts'
import { linesOf, listed } from '../../core/text/text.ts'
import { ProblemError } from '../../core/errors.ts'
import { readJson } from '../../core/manifest/jsonTree.ts'
import { locate } from '../../core/manifest/locate.ts'
import { positionsIn } from '../../core/manifest/tree.ts'
import type { QosConfiguration } from '../../core/qos/configuration.ts'
import type { Decision } from '../../core/qos/decision.ts'
import { QosEngine } from '../../core/qos/engine.ts'
import { decisionJson, decisionText, rejectionOf, requestText, traceText } from '../../core/qos/explain.ts'
import { advise as adviseEtcd } from '../../core/qos/advise.ts'
import { isEtcdLog, readEtcdLog } from '../../core/qos/etcdLog.ts'
import { bytesOf } from '../../core/qos/keys.ts'
import { traceRules } from '../../core/qos/match.ts'
import { METHODS, OP_ALIASES, shortMethod } from '../../core/qos/operations.ts'
import { readRules } from '../../core/qos/read.ts'
import { keyOperation, type ReadRecord, recordJson, RecordReader, type RequestRecord } from '../../core/qos/record.ts'
import { Replay } from '../../core/qos/replay.ts'
import { hashOf, type QosRequest, type TxnElement } from '../../core/qos/request.ts'
import type { Seen } from '../../core/qos/seen.ts'
import { nsToSeconds } from '../../core/units.ts'
import type { JsonMap } from '../../core/manifest/json.ts'
import { PROTO } from '../etcd/etcdqospb.ts'
import type { Console, ExitCode } from './console.ts'
import { texts } from './options.ts'
import { textTable } from './print/terminal.ts'
import { manage, MANAGE_OPTIONS, MANAGING, showAdvice } from './qosManage.ts'
import { isError, readInputFiles, readTexts, tellFindings } from './inputFiles.ts'
import {
  type Command,
  type Given,
  meantInstead,
  OUTPUT_OPTIONS,
  type OptionInfo,
  readNumber,
  readOutput,
  refuseOptions,
  UsageError,
} from './usage.ts'
import { findingAnnotation, findingJson, findingText } from './validate.ts'

const REQUEST_OPTIONS = {
  ...texts('op', 'key'),
  prefix: { type: 'boolean' },
  ...texts('range-end', 'limit', 'name', 'user', 'client-ip', 'request-bytes', 'scan', 'response-bytes', 'latency'),
  ...texts('quota-used', 'retry'),
} as const satisfies Readonly<Record<string, OptionInfo>>

const EXPLAIN_OPTIONS = ['rules', 'requests', 'trace', ...Object.keys(REQUEST_OPTIONS)]

const SUBCOMMANDS = ['validate', 'explain', 'proto', ...MANAGING] as const

/** Checks rules that limit requests to etcd, and shows what they decide and why. */
export const qos: Command = {
  options: {
    ...OUTPUT_OPTIONS,
    ...REQUEST_OPTIONS,
    ...MANAGE_OPTIONS,
    rules: { type: 'string', multiple: true },
    requests: { type: 'string' },
    trace: { type: 'boolean' },
  },
  operands: 'files',
  subcommands: SUBCOMMANDS,
  run: runQos,
}

async function runQos(given: Given, console: Console): Promise<ExitCode> {
  const [name, ...files] = given.operands
  if (name === 'validate' || name === 'explain')
    refuseOptions(given, Object.keys(MANAGE_OPTIONS), 'belongs to the subcommands that manage a running proxy.')
  if (name === 'validate') {
    refuseOptions(given, EXPLAIN_OPTIONS, 'belongs to qos explain.')
    return validateRules(files, given, console)
  }
  if (name === 'explain') {
    const [file] = files
    if (file !== undefined)
      throw new UsageError(`${JSON.stringify(file)} is not expected here; a rule file is given as --rules ${file}.`)
    return explain(given, console)
  }
  if (name === 'advise' && given.value('requests') !== undefined) return adviseFromFile(given, console)
  if (name === 'proto') {
    console.printText(PROTO)
    return 0
  }
  if (name === undefined) throw new UsageError('qos needs a subcommand, such as validate, explain or rule.')
  const managing = MANAGING.find((one) => one === name)
  if (managing !== undefined)
    return manage(managing, { words: files, given, console, request: () => recordFrom(given) })
  throw new UsageError(
    `There is no subcommand ${JSON.stringify(name)}; ${meantInstead(name, SUBCOMMANDS, '--help lists them.')}`,
  )
}

async function validateRules(files: readonly string[], given: Given, console: Console): Promise<ExitCode> {
  const output = readOutput(given, ['github'])
  if (files.length === 0) throw new UsageError('qos validate needs files or folders to check, or - for standard input.')
  const read = await readTexts(files, console)
  const { findings, classes, rules } = readRules(read)
  const errors = findings.filter(isError).length
  const found = `${plain.counted(errors, 'error')}, ${plain.counted(findings.length - errors, 'warning')}`
  const summary = `${found} in ${plain.counted(rules, 'rule')} and ${plain.counted(classes, 'class', 'classes')} of ${plain.counted(read.length, 'file')}.`
  const notes = read.flatMap(({ file, note }) => (note === undefined ? [] : [`${file}:1:1: note: ${note}`]))
  if (output === 'json')
    console.printJson({ files: read.length, classes, rules, findings: findings.map(findingJson) }, 2)
  else if (output === 'github') console.annotate([...findings.map(findingAnnotation), summary])
  else console.print([...findings.map(findingText), ...notes, summary])
  const isNothing = read.every(({ text }) => text.trim() === '')
  if (isNothing)
    console.tell('Nothing was checked: the text is empty. Rules are a map with the lists classes and rules.')
  return isNothing || errors > 0 ? 1 : 0
}

async function explain(given: Given, console: Console): Promise<ExitCode> {
  if (given.flag('output') && given.value('output') !== 'json')
    throw new UsageError('qos explain prints text, or NDJSON with --json.')
  const file = given.value('requests')
  const typed = Object.keys(REQUEST_OPTIONS).find((option) => given.flag(option))
  if (file !== undefined && typed !== undefined)
    throw new UsageError(`--requests contains its own requests; --${typed} does not go with it.`)
  if (file === undefined && given.value('op') === undefined)
    throw new UsageError('qos explain needs requests: --requests FILE, or --op with its options.')
  const request = file === undefined ? requestFrom(given) : undefined
  const paths = given.values('rules')
  if (paths.length === 0) throw new UsageError('qos explain needs --rules FILE.')
  if (file === '-' && paths.includes('-'))
    throw new UsageError('Rules and requests cannot both come from standard input.')
  const { configuration, findings } = readRules(await readTexts(paths, console))
  tellFindings(findings.filter(isError), console)
  if (configuration === undefined) return 2
  if (request !== undefined) return explainOne(request, configuration, given, console)
  return explainAll(await readInputFiles([file ?? ''], console), configuration, given, console)
}

/** The advice that a proxy would give after these requests, all of which passed. */
async function adviseFromFile(given: Given, console: Console): Promise<ExitCode> {
  const { configuration, findings } = readRules(await readTexts(given.values('rules'), console))
  tellFindings(findings.filter(isError), console)
  if (configuration === undefined) return 2
  const files = await readInputFiles([given.value('requests') ?? ''], console)
  const all = [...recordsOf(files, console)].map((record): Seen => ({ ...record, verdict: 'passed' }))
  if (all.length === 0) throw new ProblemError('not-found', `${given.value('requests') ?? ''} contains no requests.`)
  return showAdvice({ given, console }, adviseEtcd(all, configuration))
}

/** The request that the options describe. */
function requestFrom(given: Given): QosRequest {
  const method = methodFrom(given.value('op') ?? '')
  const body = bodyFrom(method, given)
  const requestBytes = wholeNumber(given, 'request-bytes')
  const previousAttempts = wholeNumber(given, 'retry')
  const name = given.value('name')
  return {
    method,
    user: given.value('user') ?? '',
    clientIP: given.value('client-ip') ?? '',
    ...(body !== undefined && { body }),
    ...(name !== undefined && { name }),
    ...(requestBytes !== undefined && { requestBytes }),
    ...(previousAttempts !== undefined && { previousAttempts }),
  }
}

/** The same request as a line of a recording. */
function recordFrom(given: Given): JsonMap {
  if (given.value('op') === undefined) throw new UsageError('qos rule test needs --op with its options.')
  const observed = {
    ok: true,
    scannedKeys: wholeNumber(given, 'scan'),
    responseBytes: wholeNumber(given, 'response-bytes'),
    latencyMs: readNumber(given, 'latency', { min: 0, max: Number.MAX_SAFE_INTEGER }),
  }
  const storageQuotaUsed = readNumber(given, 'quota-used', { min: 0, max: 1 })
  return recordJson({
    at: 0,
    request: requestFrom(given),
    observed,
    ...(storageQuotaUsed !== undefined && { storageQuotaUsed }),
  })
}

const wholeNumber = (given: Given, name: string): number | undefined =>
  readNumber(given, name, { min: 0, max: Number.MAX_SAFE_INTEGER, whole: true })

/** The method for the name of an operation or method. Throws `UsageError` for an unknown name. */
function methodFrom(written: string): string {
  const op = OP_ALIASES.get(written) ?? written
  const method = METHODS.find((known) => known === shortMethod(op) || known.endsWith(`/${op}`))
  if (method !== undefined) return method
  const names = METHODS.map((known) => known.slice(known.indexOf('/') + 1))
  throw new UsageError(
    `--op takes an operation or a method of etcd, not ${JSON.stringify(written)}; ${meantInstead(op, names, 'for example Range or KV/Range.')}`,
  )
}

function bodyFrom(method: string, given: Given): TxnElement | undefined {
  const op = (['KV/Range', 'KV/Put', 'KV/DeleteRange'] as const).find((keyed) => keyed === method)
  const [key, end] = [given.value('key'), given.value('range-end')]
  if (op === undefined) {
    refuseOptions(
      given,
      ['key', 'prefix', 'range-end', 'limit'],
      `does not go with ${method}; a Txn with elements is given by --requests.`,
    )
    return method === 'KV/Txn' ? { op: 'Txn', success: [], failure: [] } : undefined
  }
  if (key === undefined) throw new UsageError(`--op ${method} needs --key.`)
  if (given.flag('prefix') && end !== undefined) throw new UsageError('--prefix and --range-end contradict each other.')
  const limit = wholeNumber(given, 'limit')
  const reach = given.flag('prefix') ? 'prefix' : end === undefined ? undefined : { end: bytesOf(end) }
  const options = limit === undefined ? {} : { limit }
  switch (op) {
    case 'KV/Range':
      return keyOperation('Range', bytesOf(key), reach, options)
    case 'KV/Put':
      return keyOperation('Put', bytesOf(key), undefined)
    case 'KV/DeleteRange':
      return keyOperation('DeleteRange', bytesOf(key), reach)
  }
}

function explainOne(request: QosRequest, configuration: QosConfiguration, given: Given, console: Console): ExitCode {
  const engine = new QosEngine(configuration, () => undefined)
  const prediction = {
    scannedKeys: wholeNumber(given, 'scan'),
    responseBytes: wholeNumber(given, 'response-bytes'),
    latencyMs: readNumber(given, 'latency', { min: 0, max: Number.MAX_SAFE_INTEGER }),
  }
  if (Object.values(prediction).some((value) => value !== undefined)) {
    const hash = hashOf(request)
    if (hash === undefined)
      throw new UsageError(
        '--scan, --response-bytes and --latency go with Range, Authenticate and read-only Txns; other requests have no predictions.',
      )
    engine.state.tracker.set(hash, { ...prediction, hits: 0 })
  }
  engine.setStorageQuotaUsed(readNumber(given, 'quota-used', { min: 0, max: 1 }))
  const decision = engine.arrive(request, 0)
  if (readOutput(given) === 'json')
    console.printJson(decisionJson(decision, configuration.settings, configuration.rules))
  else console.print(decisionLines(decision, configuration))
  return 0
}

interface RequestsFile {
  readonly name: string
  readonly text: string
}

function explainAll(
  files: readonly RequestsFile[],
  configuration: QosConfiguration,
  given: Given,
  console: Console,
): ExitCode {
  const tally = new Tally()
  const json = readOutput(given) === 'json'
  const traced = given.flag('trace')
  const rows: string[][] = []
  const replay = new Replay(configuration, (decision) => {
    // A waiting request is reported once it is decided.
    if (decision.verdict === 'waiting') return
    tally.add(decision)
    if (json)
      console.printJson(decisionJson(decision, configuration.settings, traced ? configuration.rules : undefined))
    else if (traced) console.print([...decisionLines(decision, configuration), ''])
    else rows.push(decisionRow(decision))
  })
  for (const record of recordsOf(files, console)) replay.push(record)
  replay.end()
  if (tally.isEmpty)
    throw new ProblemError('not-found', `${listed(files.map(({ name }) => name))} contains no requests.`)
  if (json) for (const line of tally.lines()) console.tell(line)
  else {
    const table = textTable(rows, ['right', 'left'])
    console.print([...table, ...(table.length > 0 ? [''] : []), ...tally.lines()])
  }
  return 0
}

/** Records of files, in order. Throws `ProblemError` with the location of the first that cannot be parsed. */
function* recordsOf(files: readonly RequestsFile[], console: Console): Generator<RequestRecord> {
  const reader = new RecordReader()
  for (const { name, text } of files) {
    if (isEtcdLog(text)) {
      yield* recordsOfLog(name, text, reader, console)
      continue
    }
    const other = otherText(text)
    if (other !== undefined) throw new ProblemError('bad-answer', `${name} ${other}.`)
    let number = 0
    for (const line of linesOf(text)) {
      number += 1
      if (line.trim() === '') continue
      const read = reader.read(parsed(name, number, line))
      if (!read.ok)
        throw new ProblemError('invalid-input', `${name}:${number}:${columnOf(line, read)}: ${read.message}`)
      yield read.record
    }
  }
}

/** The slow requests of a log of etcd. */
function* recordsOfLog(name: string, text: string, reader: RecordReader, console: Console): Generator<RequestRecord> {
  const { records, left } = readEtcdLog(text)
  const also =
    left === 0 ? '' : ` ${plain.counted(left, 'other slow request')} of etcd itself, or unreadable, left out.`
  console.tell(`${name} is a log of etcd: it has only slow requests, without users.${also}`)
  for (const record of records) {
    const read = reader.read(record)
    if (!read.ok) throw new ProblemError('invalid-input', `${name}: ${read.message}`)
    yield read.record
  }
}

function parsed(name: string, number: number, line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    const documents = readJson(line)
    const [problem] = documents.flatMap(({ problems }) => problems)
    const from = problem?.at.from ?? documents[1]?.tree?.range.from ?? 0
    const why = problem?.message ?? 'A line contains one JSON value; a second one begins here.'
    throw new ProblemError('invalid-input', `${name}:${number}:${positionsIn(line)(from).column}: ${why}`)
  }
}

function columnOf(line: string, { field, unknown }: Extract<ReadRecord, { ok: false }>): number {
  const [document] = readJson(line)
  return document?.tree === undefined ? 1 : positionsIn(line)(locate(document.tree, field, unknown).from).column
}

const VERDICTS = { passed: 'passed', waiting: 'waits', delayed: 'delayed', limited: 'LIMITED' } as const

const decisionRow = (decision: Decision): string[] => [
  `${plain.fixed(nsToSeconds(decision.at), 3)} s`,
  VERDICTS[decision.verdict],
  requestText(decision.request),
  decision.request.user,
  decisionText(decision),
]

/** One decision as text, with the outcome of every rule. */
function decisionLines(decision: Decision, { rules, settings }: QosConfiguration): readonly string[] {
  const { request, evidence } = decision
  const caller = [request.user, request.clientIP].filter((text) => text !== '').join(' from ')
  return [
    `${plain.fixed(nsToSeconds(decision.at), 3)} s  ${requestText(request)}${caller === '' ? '' : `  ${caller}`}`,
    `${VERDICTS[decision.verdict]}  ${decisionText(decision)}`,
    ...(decision.verdict === 'limited' ? [rejectionText(decision, settings)] : []),
    ...textTable(
      traceRules(rules, request, evidence).map((each) => [
        each.outcome === 'applies' ? '→' : ' ',
        String(each.priority),
        each.rule,
        each.className,
        traceText(each, request),
      ]),
      ['left', 'right', 'left'],
    ),
  ]
}

function rejectionText(
  decision: Extract<Decision, { verdict: 'limited' }>,
  settings: QosConfiguration['settings'],
): string {
  const { status, message, trailers } = rejectionOf(decision, settings)
  const metadata = Object.entries(trailers).map(([name, value]) => `${name}: ${value}`)
  return `The client gets ${status}, “${message}”, ${metadata.join(', ')}`
}

/** Counts decisions, in total and by rule. */
class Tally {
  readonly #rules = new Map<string, Record<Decision['verdict'], number>>()
  readonly #all = none()

  add({ verdict, applied }: Decision): void {
    this.#all[verdict] += 1
    if (applied === undefined) return
    const counts = this.#rules.get(applied.rule) ?? none()
    counts[verdict] += 1
    this.#rules.set(applied.rule, counts)
  }

  get isEmpty(): boolean {
    return Object.values(this.#all).every((count) => count === 0)
  }

  lines(): readonly string[] {
    const total = Object.values(this.#all).reduce((sum, each) => sum + each, 0)
    return [
      `${plain.counted(total, 'request')}: ${countsText(this.#all)}.`,
      ...[...this.#rules].map(([rule, counts]) => `${rule}: ${countsText(counts)}.`),
    ]
  }
}

const none = (): Record<Decision['verdict'], number> => ({ passed: 0, waiting: 0, delayed: 0, limited: 0 })

const countsText = ({ passed, delayed, limited }: Record<Decision['verdict'], number>): string =>
  `${passed} passed, ${delayed} delayed, ${limited} limited`
