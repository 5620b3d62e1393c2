import { plain } from '../../core/text/format.ts'
import { sentenceText } from '../../core/answer/answer.ts'
import { historyTable, presentAdvice, presentEtcd, requestSentence, usageTable } from '../../core/qos/present.ts'
import { z } from 'zod'
import {
  ETCD_MODES,
  type EtcdAdvice,
  EtcdAdviceSchema,
  EtcdChangedSchema,
  type EtcdRequest,
  EtcdRevisionSchema,
  EtcdStateSchema,
  EtcdTestSchema,
  JsonSchema,
  MONITOR_KINDS,
  MOST_MONITORED,
} from '../../core/contract/etcd.ts'
import type { Json, JsonMap } from '../../core/manifest/json.ts'
import { writeYaml } from '../../core/manifest/write.ts'
import { documentOf } from '../../core/qos/document.ts'
import { readRules } from '../../core/qos/read.ts'
import { RANKINGS } from '../../core/qos/traffic.ts'
import { proxiesFolder } from '../etcd/control.ts'
import { findProxy, type RunningProxy } from '../etcd/controlClient.ts'
import type { Console, ExitCode } from './console.ts'
import { lists, texts } from './options.ts'
import { tableLines, textTable, type Said } from './print/terminal.ts'
import { readTexts, tellFindings } from './inputFiles.ts'
import { type Given, type OptionInfo, readChoice, readDuration, readNumber, readOutput, UsageError } from './usage.ts'

/** Options of the commands that manage a running proxy; those of `rule test` are the ones of `explain`. */
export const MANAGE_OPTIONS = {
  ...texts('proxy', 'qdisc-kind', 'qps', 'burst', 'num', 'window', 'cost', 'group-by', 'max-groups', 'action'),
  ...texts('max-delay', 'max-waiting', 'qclassName', 'priority', 'ops', 'methods', 'prefixPaths', 'key-match'),
  ...texts('min-retry', 'scope'),
  'allow-all': { type: 'boolean' },
  ...lists('condition-kind', 'condition-threshold'),
  ...texts('clear', 'type', 'threshold', 'rule', 'top', 'by', 'revision'),
} as const satisfies Readonly<Record<string, OptionInfo>>

/** Subcommands about a running proxy. */
export const MANAGING = [
  'class',
  'rule',
  'mode',
  'status',
  'monitor',
  'tracker',
  'advise',
  'history',
  'export',
  'import',
] as const
type Managing = (typeof MANAGING)[number]

interface Work {
  readonly words: readonly string[]
  readonly given: Given
  readonly console: Console
  readonly proxy: RunningProxy
  /** The request of `rule test`, in the format of a recording. */
  readonly request: () => JsonMap
}

const TrackerListSchema = z.object({
  tracker: EtcdStateSchema.shape.tracker,
  top: EtcdStateSchema.shape.top.shape.scan,
})

/** Runs a subcommand against the running proxy. Rejects with `ProblemError` when the proxy refuses. */
export async function manage(
  name: Managing,
  { words, given, console, request }: Omit<Work, 'proxy'>,
): Promise<ExitCode> {
  const proxy = await findProxy(proxiesFolder(console.stateDir), given.value('proxy'))
  return COMMANDS[name]({ words, given, console, proxy, request })
}

const COMMANDS: Readonly<Record<Managing, (work: Work) => Promise<ExitCode>>> = {
  class: (work) => manageObjects('class', classMembers, work),
  rule: (work) => (work.words[0] === 'test' ? testRule(work) : manageObjects('rule', ruleMembers, work)),
  async mode({ words, console, proxy }) {
    const mode = ETCD_MODES.find((one) => one === words[0])
    if (mode === undefined) throw new UsageError('qos mode takes enforce or observe.')
    await proxy.call('SetMode', { mode }, EtcdChangedSchema)
    console.print([mode === 'enforce' ? 'Requests are limited.' : 'Every request passes; decisions are computed only.'])
    return 0
  },
  async status(work) {
    const state = await work.proxy.call('State', {}, EtcdStateSchema)
    return show(work, state, [presentEtcd(state)])
  },
  monitor,
  async tracker(work) {
    const { words, given, proxy } = work
    if (words[0] !== 'list') throw new UsageError('qos tracker takes the subcommand list.')
    const by = readChoice(given, 'by', RANKINGS) ?? 'scan'
    const top = readNumber(given, 'top', { min: 1, max: 10, whole: true }) ?? 10
    const { tracker, top: rows } = await proxy.call('TrackerList', { by, top }, TrackerListSchema)
    return show(work, { tracker, top: rows }, [
      `${tracker.entries} of ${tracker.capacity} entries; ${tracker.hits} lookups found one, ${tracker.misses} did not.`,
      ...tableLines(usageTable(rows)),
    ])
  },
  async advise(work) {
    const advice = await work.proxy.call('Advise', {}, z.array(EtcdAdviceSchema))
    return showAdvice(work, advice)
  },
  async history(work) {
    const limit = readNumber(work.given, 'limit', { min: 1, max: 500, whole: true }) ?? 20
    const all = await work.proxy.call('History', { limit }, z.array(EtcdRevisionSchema))
    return show(work, all, tableLines(historyTable(all)))
  },
  async export(work) {
    const revision = readNumber(work.given, 'revision', { min: 1, max: Number.MAX_SAFE_INTEGER, whole: true })
    const document = await work.proxy.call('Export', revision === undefined ? {} : { revision }, JsonSchema)
    return show(work, document, yamlLines(document))
  },
  async import({ words, console, proxy }) {
    if (words.length === 0) throw new UsageError('qos import needs rule files or folders, or - for standard input.')
    const { configuration, findings } = readRules(await readTexts(words, console))
    tellFindings(findings, console)
    if (configuration === undefined) return 1
    const { revision } = await proxy.call('Import', { document: documentOf(configuration) }, EtcdChangedSchema)
    console.print([`Revision ${revision}: ${configuration.rules.length} rules in effect.`])
    return 0
  },
}

/** Prints suggestions, with the rules of those that are not in effect. */
export const showAdvice = (to: Pick<Work, 'given' | 'console'>, advice: readonly EtcdAdvice[]): ExitCode =>
  show(
    to,
    advice,
    advice.flatMap((one) => [
      presentAdvice(one),
      ...(one.inEffect ? [] : yamlLines({ classes: one.classes, rules: one.rules }).map((line) => `  ${line}`)),
      '',
    ]),
  )

/** Prints the proxy's answer, as JSON or as text. */
function show({ given, console }: Pick<Work, 'given' | 'console'>, answer: unknown, said: Said): ExitCode {
  console.answer(readOutput(given), answer, said)
  return 0
}

const yamlLines = (value: Json): readonly string[] => writeYaml(value).trimEnd().split('\n')

async function manageObjects(
  kind: 'class' | 'rule',
  membersOf: (given: Given) => JsonMap,
  work: Work,
): Promise<ExitCode> {
  const {
    words: [verb = '', name = '', more],
    given,
    console,
    proxy,
  } = work
  const prefix = kind === 'class' ? 'Class' : 'Rule'
  if (verb === 'list') {
    const all = await proxy.call(`${prefix}List`, {}, z.array(JsonSchema))
    const none = kind === 'class' ? 'No classes.' : 'No rules.'
    return show(work, all, all.length === 0 ? [none] : yamlLines(all))
  }
  const verbs = kind === 'class' ? CLASS_VERBS : RULE_VERBS
  if (!verbs.includes(verb))
    throw new UsageError(`qos ${kind} takes ${verbs.join(', ')} or list${kind === 'rule' ? ', or test' : ''}.`)
  if (name === '' || more !== undefined) throw new UsageError(`qos ${kind} ${verb} needs one name.`)
  if (verb === 'get') {
    const found = await proxy.call(`${prefix}Get`, { name }, JsonSchema)
    return show(work, found, yamlLines(found))
  }
  const { method, members } = changeOf(verb, given, membersOf)
  const input = members === undefined ? { name } : { name, members }
  const { revision, warnings } = await proxy.call(prefix + method, input, EtcdChangedSchema)
  for (const warning of warnings) console.tell(warning)
  console.print([revision === 0 ? 'Done.' : `Revision ${revision}.`])
  return 0
}

const CLASS_VERBS: readonly string[] = ['add', 'update', 'del', 'delete', 'get']
const RULE_VERBS: readonly string[] = [...CLASS_VERBS, 'enable', 'disable']

function changeOf(
  verb: string,
  given: Given,
  membersOf: (given: Given) => JsonMap,
): { readonly method: string; readonly members?: JsonMap } {
  switch (verb) {
    case 'add':
      return { method: 'Add', members: membersOf(given) }
    case 'update':
      return { method: 'Update', members: { ...cleared(given), ...membersOf(given) } }
    case 'del':
    case 'delete':
      return { method: 'Delete' }
    default:
      return { method: 'Update', members: { enabled: verb === 'enable' } }
  }
}

/** Members that an update removes. */
const cleared = (given: Given): JsonMap =>
  Object.fromEntries((given.value('clear')?.split(',') ?? []).map((member) => [member, null]))

const optional = (name: string, value: Json | undefined): JsonMap => (value === undefined ? {} : { [name]: value })

const amount = (given: Given, name: string): number | undefined =>
  readNumber(given, name, { min: 0, max: Number.MAX_SAFE_INTEGER })

const duration = (given: Given, name: string): number | undefined =>
  readDuration(given, name, { min: 0, max: Infinity, takes: 'a duration such as 500ms or 100s' })

const classMembers = (given: Given): JsonMap => ({
  ...optional('qdisc', given.value('qdisc-kind')),
  ...optional('qps', amount(given, 'qps')),
  ...optional('burst', amount(given, 'burst')),
  ...optional('num', amount(given, 'num')),
  ...optional('limit', amount(given, 'limit')),
  ...optional('windowMs', duration(given, 'window')),
  ...optional('cost', given.value('cost')),
  ...optional('groupBy', given.value('group-by')),
  ...optional('maxGroups', amount(given, 'max-groups')),
  ...optional('action', given.value('action')),
  ...optional('maxDelayMs', duration(given, 'max-delay')),
  ...optional('maxWaiting', amount(given, 'max-waiting')),
})

const listOf = (given: Given, name: string): readonly string[] | undefined => given.value(name)?.split(',')

function ruleMembers(given: Given): JsonMap {
  const [kinds, thresholds] = [given.values('condition-kind'), given.values('condition-threshold')]
  if (kinds.length !== thresholds.length)
    throw new UsageError('--condition-kind and --condition-threshold come in pairs.')
  const conditions = kinds.map((kind, index) => ({ kind, threshold: Number(thresholds[index]) }))
  const wrong = conditions.findIndex(({ threshold }) => !Number.isFinite(threshold))
  if (wrong !== -1)
    throw new UsageError(`--condition-threshold takes a number, not ${JSON.stringify(thresholds[wrong])}.`)
  const subject = { ...optional('user', given.value('user')), ...optional('clientIP', given.value('client-ip')) }
  return {
    ...optional('qClassName', given.value('qclassName')),
    ...optional('priority', amount(given, 'priority')),
    ...optional('ops', listOf(given, 'ops')),
    ...optional('methods', listOf(given, 'methods')),
    ...optional('prefixPaths', listOf(given, 'prefixPaths')),
    ...optional('keyMatch', given.value('key-match')),
    ...optional('minRetry', amount(given, 'min-retry')),
    ...optional('scope', given.value('scope')),
    ...(given.flag('allow-all') && { allowAll: true }),
    ...(conditions.length > 0 && { conditions }),
    ...(Object.keys(subject).length > 0 && { subjects: [subject] }),
  }
}

async function testRule({ given, console, proxy, request }: Work): Promise<ExitCode> {
  const decision = await proxy.call('RuleTest', request(), JsonSchema)
  if (readOutput(given) === 'json') console.printJson(decision)
  else {
    const { request: text, verdict, explanation, rules } = EtcdTestSchema.parse(decision)
    console.print([
      `${text}  ${verdict}`,
      explanation,
      ...textTable(
        rules.map(({ outcome, priority, rule, className, reason }) => [
          outcome === 'applies' ? '→' : ' ',
          String(priority),
          rule,
          className,
          reason,
        ]),
        ['left', 'right', 'left'],
      ),
    ])
  }
  return 0
}

async function monitor({ given, console, proxy }: Work): Promise<ExitCode> {
  const type = readChoice(given, 'type', MONITOR_KINDS)
  const threshold = amount(given, 'threshold')
  const rule = given.value('rule')
  if (type === undefined ? rule === undefined : threshold === undefined)
    throw new UsageError('qos monitor needs --type latency, traffic or scanKeyNum with --threshold, or --rule NAME.')
  const limit = readNumber(given, 'limit', { min: 1, max: MOST_MONITORED, whole: true }) ?? MOST_MONITORED
  const json = readOutput(given) === 'json'
  const emit = (record: EtcdRequest): void => {
    if (json) console.printJson(record)
    else console.print([sentenceText(requestSentence(record), plain)])
  }
  await proxy.monitor({ type, threshold, rule, limit }, emit, console.signal)
  return 0
}
