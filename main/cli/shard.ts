import { documentedTable, USUAL_ELEPHANTS, type ShardingGoal } from '../../core/sharding/collision.ts'
import { overlapOf, shardReport, type FlowName } from '../../core/sharding/overlap.ts'
import { documentedShapes, presentSharding } from '../../core/sharding/present.ts'
import { dealTrials, presentTrials } from '../../core/sharding/trials.ts'
import { MOST_QUEUES, shapeProblem, type DealerShape } from '../../core/config/shape.ts'
import type { Console, ExitCode } from './console.ts'
import { switches, texts } from './options.ts'
import { tableLines } from './print/terminal.ts'
import { OUTPUT_OPTIONS, readNumber, readOutput, UsageError, type Given, type Command } from './usage.ts'

/** Exits with 1 when a target was given and the shape misses it. */
export const shard: Command = {
  options: {
    ...texts('queues', 'hand', 'length', 'elephants'),
    flow: { type: 'string', multiple: true },
    ...texts('target', 'max-queues', 'trials'),
    ...switches('table'),
    ...OUTPUT_OPTIONS,
  },
  run: runShard,
}

const DEFAULT_LENGTH = 50
const MOST_LENGTH = 2 ** 31 - 1
const MOST_TRIALS = 1_000_000
const MOST_DEALT = 5_000_000
const MOST_ELEPHANTS = 1_000_000
/** The largest value in the documentation's table. */
const DEFAULT_MAX_QUEUES = 1_024

async function runShard(given: Given, console: Console): Promise<ExitCode> {
  const form = readOutput(given, ['markdown'])
  if (given.flag('table')) {
    const rows = documentedTable()
    console.answer(form, rows, tableLines(documentedShapes(rows)))
    return 0
  }
  const elephants = elephantsFrom(given)
  const shape = shapeFrom(given)
  const queueLengthLimit = readNumber(given, 'length', { min: 1, max: MOST_LENGTH, whole: true }) ?? DEFAULT_LENGTH
  const overlap = overlapOf(given.values('flow').map(flowFrom), shape)
  const report = shardReport({ shape, queueLengthLimit, elephants, ...goalFrom(given, elephants) }, overlap)
  const trials = readNumber(given, 'trials', { min: 1, max: MOST_TRIALS, whole: true })
  if ((trials ?? 0) * Math.max(...elephants) > MOST_DEALT)
    throw new UsageError(`--trials deals at most ${MOST_DEALT} elephants in all; give fewer of either.`)
  const dealt = trials === undefined ? [] : elephants.map((count) => dealTrials(shape, count, trials))
  const data = trials === undefined ? report : { ...report, trials: dealt }
  console.answer(form, data, [
    presentSharding(report, overlap),
    ...(trials === undefined ? [] : ['', presentTrials(dealt)]),
  ])
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

/** The name of a schema contains no slash; a distinguisher may, and may be empty. */
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
  if (maxQueues !== undefined) throw new UsageError('--max-queues limits the search of --target; give --target too.')
  return {}
}
