import { documentedTable, USUAL_ELEPHANTS } from '../../core/sharding/documented.ts'
import type { FlowName } from '../../core/sharding/hand.ts'
import type { ShardingGoal } from '../../core/sharding/recommend.ts'
import { shardReport } from '../../core/sharding/report.ts'
import { MOST_QUEUES, shapeProblem, type DealerShape } from '../../core/config/shape.ts'
import type { Console, ExitCode } from './console.ts'
import { HELP } from './help.ts'
import { documentedText, shardText } from './shardText.ts'
import { readNumber, printHelp, readOptions, UsageError, type Given, type OptionInfo } from './usage.ts'

const OPTIONS = {
  queues: { type: 'string' },
  hand: { type: 'string' },
  length: { type: 'string' },
  elephants: { type: 'string' },
  flow: { type: 'string', multiple: true },
  target: { type: 'string' },
  'max-queues': { type: 'string' },
  table: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies Readonly<Record<string, OptionInfo>>

const DEFAULT_LENGTH = 50
const MOST_LENGTH = 2 ** 31 - 1
const MOST_ELEPHANTS = 1_000_000
/** The most in the documentation's table. */
const DEFAULT_MAX_QUEUES = 1_024

/** Answers 1 when a target was given and the shape misses it. */
export async function shard(args: readonly string[], console: Console): Promise<ExitCode> {
  const given = readOptions(args, OPTIONS)
  if (given.flag('help')) {
    printHelp(console, HELP.shard)
    return 0
  }
  const say = (value: unknown, lines: () => readonly string[]): void =>
    given.flag('json') ? console.printJson(value, 2) : console.print(lines())
  if (given.flag('table')) {
    const rows = documentedTable()
    say(rows, () => documentedText(rows))
    return 0
  }
  const elephants = elephantsFrom(given)
  const report = shardReport({
    shape: shapeFrom(given),
    queueLengthLimit: readNumber(given, 'length', { min: 1, max: MOST_LENGTH, whole: true }) ?? DEFAULT_LENGTH,
    elephants,
    flows: given.values('flow').map(flowFrom),
    ...goalFrom(given, elephants),
  })
  say(report, () => shardText(report))
  return report.goal?.reaches === false ? 1 : 0
}

function shapeFrom(given: Given): DealerShape {
  const bounds = { min: 1, max: MOST_QUEUES, whole: true }
  const queues = readNumber(given, 'queues', bounds)
  const handSize = readNumber(given, 'hand', bounds)
  if (queues === undefined || handSize === undefined) {
    throw new UsageError('shard needs --queues and --hand, as in --queues 128 --hand 6, or --table.')
  }
  const problem = shapeProblem({ queues, handSize })
  if (problem !== undefined) throw new UsageError(problem)
  return { queues, handSize }
}

function elephantsFrom(given: Given): readonly number[] {
  const text = given.value('elephants')
  if (text === undefined) return USUAL_ELEPHANTS
  return text.split(',').map((part) => {
    const count = Number(part)
    if (part.trim() !== '' && Number.isInteger(count) && count >= 1 && count <= MOST_ELEPHANTS) return count
    throw new UsageError(
      `--elephants takes whole numbers from 1 to ${MOST_ELEPHANTS} with commas between them, not ${JSON.stringify(text)}.`,
    )
  })
}

/** A name of a schema holds no slash; a distinguisher may, and may be empty. */
function flowFrom(text: string): FlowName {
  const slash = text.indexOf('/')
  const [schema, distinguisher] = slash === -1 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)]
  if (schema !== '') return { schema, distinguisher }
  throw new UsageError(`--flow takes SCHEMA/DISTINGUISHER, not ${JSON.stringify(text)}.`)
}

function goalFrom(given: Given, elephants: readonly number[]): { readonly goal?: ShardingGoal } {
  const target = readNumber(given, 'target', { min: 1e-15, max: 0.999 })
  const maxQueues = readNumber(given, 'max-queues', { min: 1, max: MOST_QUEUES, whole: true })
  if (target !== undefined) {
    return { goal: { target, elephants: Math.max(...elephants), maxQueues: maxQueues ?? DEFAULT_MAX_QUEUES } }
  }
  if (maxQueues !== undefined) throw new UsageError('--max-queues bounds what --target looks for; give --target too.')
  return {}
}
