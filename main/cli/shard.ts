import { plain } from '../../core/text/format.ts'
import {
  documentedTable,
  USUAL_ELEPHANTS,
  type ShardingGoal,
  chanceText,
  DOCUMENTED_DIGITS,
  type DocumentedRow,
  type Candidate,
} from '../../core/sharding/collision.ts'
import {
  type FlowName,
  shardReport,
  type FlowReport,
  type GoalReport,
  type ShardReport,
} from '../../core/sharding/overlap.ts'
import { MOST_QUEUES, shapeProblem, type DealerShape, MAX_ENTROPY_BITS } from '../../core/config/shape.ts'
import type { Console, ExitCode } from './console.ts'
import { switches, texts } from './options.ts'
import { textTable } from './print/terminal.ts'
import { readNumber, UsageError, type Given, type Command } from './usage.ts'

/** Exits with 1 when a target was given and the shape misses it. */
export const shard: Command = {
  options: {
    ...texts('queues', 'hand', 'length', 'elephants'),
    flow: { type: 'string', multiple: true },
    ...texts('target', 'max-queues'),
    ...switches('table', 'json'),
  },
  run: runShard,
}

const DEFAULT_LENGTH = 50
const MOST_LENGTH = 2 ** 31 - 1
const MOST_ELEPHANTS = 1_000_000
/** The largest value in the documentation's table. */
const DEFAULT_MAX_QUEUES = 1_024

async function runShard(given: Given, console: Console): Promise<ExitCode> {
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

/** The text output of `apf-console shard`, as lines. */
function shardText(report: ShardReport): readonly string[] {
  const { queues, handSize, entropyBits, largestHand, mostWaitingPerFlow } = report
  return [
    `${shapeText(report)}: ${entropyBits} of ${MAX_ENTROPY_BITS} bits of a flow's hash; a hand may hold up to ${largestHand} of ${queues}.`,
    `${report.hands} hands of ${report.sets} sets of queues.`,
    `One flow can have ${mostWaitingPerFlow} requests waiting, ${mostWaitingPerFlow / handSize} in each queue of its hand.`,
    '',
    ...textTable(
      [
        ['elephants', 'hand covered', 'hand touched', 'clean queues'],
        ...report.odds.map(({ elephants, covered, touched, cleanQueues }) => [
          String(elephants),
          chance(covered),
          chance(touched),
          plain.fixed(cleanQueues, 2),
        ]),
      ],
      ['right'],
    ),
    ...flowLines(report),
    ...(report.goal === undefined ? [] : ['', ...goalLines(report.goal)]),
  ]
}

function flowLines({ flows, overlaps, queues }: ShardReport): readonly string[] {
  if (flows.length === 0) return []
  if (queues === 1) return ['', 'With one queue, flows are not isolated from each other.']
  const crowded = flows.filter(({ own }) => own.length === 0)
  return [
    '',
    ...textTable(
      [
        ['flow', 'hash', 'digits', 'hand'],
        ...flows.map((flow) => [flowText(flow), flow.flowHash, flow.digits.join(' '), flow.hand.join(' ')]),
      ],
      ['left', 'right', 'left'],
    ),
    ...(flows.length === 1 ? [] : ['']),
    ...(flows.length > 1 && overlaps.length === 0 ? ['No two of them share a queue.'] : []),
    ...overlaps.map(({ flows: [first, second], queues: shared }) => {
      const [a, b] = [flows[first], flows[second]]
      return `${a === undefined ? '' : flowText(a)} and ${b === undefined ? '' : flowText(b)} share ${shared.length}: ${shared.join(' ')}`
    }),
    ...(crowded.length === 0 ? [] : [`Flows without a queue of their own: ${crowded.map(flowText).join(', ')}`]),
  ]
}

function goalLines(goal: GoalReport): readonly string[] {
  const { target, elephants, maxQueues, covered, reaches, bestHand, configurations, closest } = goal
  const who = plain.counted(elephants, 'elephant covers', 'elephants cover')
  return [
    `${who} a mouse's hand with chance ${chance(covered)}: ${reaches ? 'within' : 'more than'} the target of ${chance(target)}.`,
    `With that many queues, a hand of ${bestHand.handSize} is best: ${chance(bestHand.covered)}.`,
    '',
    ...(configurations.length === 0
      ? [
          `No shape of at most ${maxQueues} queues reaches the target; ${shapeText(closest)} comes closest: ${chance(closest.covered)}.`,
        ]
      : [
          'Smallest shapes that reach the target:',
          ...textTable([['queues', 'hand', 'hand covered'], ...configurations.map(candidateCells)], ['right']),
        ]),
  ]
}

const candidateCells = ({ queues, handSize, covered }: Candidate): readonly string[] => [
  String(queues),
  String(handSize),
  chance(covered),
]

/** The documentation's table, with all digits that its own computation gets right. */
const documentedText = (rows: readonly DocumentedRow[]): readonly string[] =>
  textTable(
    [
      ['hand', 'queues', ...USUAL_ELEPHANTS.map((count) => plain.counted(count, 'elephant'))],
      ...rows.map(({ handSize, queues, covered }) => [
        String(handSize),
        String(queues),
        ...covered.map((odds) => chanceText(odds, DOCUMENTED_DIGITS)),
      ]),
    ],
    ['right', 'right', 'left'],
  )

const shapeText = ({ queues, handSize }: { readonly queues: number; readonly handSize: number }): string =>
  `${plain.counted(queues, 'queue')} with hands of ${handSize}`

const flowText = ({ flowSchema, distinguisher }: FlowReport): string => `${flowSchema}/${distinguisher}`

/** Six digits are more than a decision needs. */
const chance = (odds: number): string => chanceText(odds, 6)
