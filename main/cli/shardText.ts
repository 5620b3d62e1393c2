import { MAX_ENTROPY_BITS } from '../../core/config/shape.ts'
import { chanceText, DOCUMENTED_DIGITS } from '../../core/sharding/chanceText.ts'
import { USUAL_ELEPHANTS, type DocumentedRow } from '../../core/sharding/documented.ts'
import type { FlowReport, GoalReport, ShardReport } from '../../core/sharding/report.ts'
import type { Candidate } from '../../core/sharding/recommend.ts'
import { textTable } from './textTable.ts'

/** What `apf-console shard` tells people, as lines. */
export function shardText(report: ShardReport): readonly string[] {
  const { queues, handSize, entropyBits, largestHand, mostWaitingPerFlow } = report
  return [
    `${shapeText(report)}: ${entropyBits} of ${MAX_ENTROPY_BITS} bits of a flow's hash; a hand may hold up to ${largestHand} of ${queues}.`,
    `One flow can have ${mostWaitingPerFlow} requests waiting, ${mostWaitingPerFlow / handSize} in each queue of its hand.`,
    '',
    ...textTable(
      [
        ['elephants', 'hand covered', 'hand touched', 'clean queues'],
        ...report.odds.map(({ elephants, covered, touched, cleanQueues }) => [
          String(elephants),
          chance(covered),
          chance(touched),
          cleanQueues.toFixed(2),
        ]),
      ],
      ['right', 'right', 'right', 'right'],
    ),
    ...flowLines(report),
    ...(report.goal === undefined ? [] : ['', ...goalLines(report.goal)]),
  ]
}

function flowLines({ flows, overlaps, queues }: ShardReport): readonly string[] {
  if (flows.length === 0) return []
  if (queues === 1) return ['', 'With one queue there is no choice: flows are not told apart.']
  const crowded = flows.filter(({ own }) => own.length === 0)
  return [
    '',
    ...textTable(
      [
        ['flow', 'hash', 'hand'],
        ...flows.map((flow) => [flowText(flow), flow.flowHash, flow.hand.map(String).join(' ')]),
      ],
      ['left', 'right', 'left'],
    ),
    ...(flows.length === 1 ? [] : ['']),
    ...(flows.length > 1 && overlaps.length === 0 ? ['No two of them share a queue.'] : []),
    ...overlaps.map(({ flows: [first, second], queues: shared }) => {
      const [a, b] = [flows[first], flows[second]]
      return `${a === undefined ? '' : flowText(a)} and ${b === undefined ? '' : flowText(b)} share ${shared.length}: ${shared.join(' ')}`
    }),
    ...(crowded.length === 0 ? [] : [`No queue to themselves: ${crowded.map(flowText).join(', ')}`]),
  ]
}

function goalLines(goal: GoalReport): readonly string[] {
  const { target, elephants, maxQueues, covered, reaches, bestHand, configurations, closest } = goal
  const who = `${elephants} ${elephants === 1 ? 'elephant covers' : 'elephants cover'}`
  return [
    `${who} a mouse's hand with chance ${chance(covered)}: ${reaches ? 'within' : 'more than'} the target of ${chance(target)}.`,
    `For as many queues a hand of ${bestHand.handSize} is best: ${chance(bestHand.covered)}.`,
    '',
    ...(configurations.length === 0
      ? [
          `No shape of at most ${maxQueues} queues reaches the target; ${shapeText(closest)} comes closest: ${chance(closest.covered)}.`,
        ]
      : [
          'Smallest shapes that reach the target:',
          ...textTable(
            [['queues', 'hand', 'hand covered'], ...configurations.map(candidateCells)],
            ['right', 'right', 'right'],
          ),
        ]),
  ]
}

const candidateCells = ({ queues, handSize, covered }: Candidate): readonly string[] => [
  String(queues),
  String(handSize),
  chance(covered),
]

/** The documentation's table, with all digits that its own computation has right. */
export const documentedText = (rows: readonly DocumentedRow[]): readonly string[] =>
  textTable(
    [
      ['hand', 'queues', ...USUAL_ELEPHANTS.map((count) => `${count} elephant${count === 1 ? '' : 's'}`)],
      ...rows.map(({ handSize, queues, covered }) => [
        String(handSize),
        String(queues),
        ...covered.map((odds) => chanceText(odds, DOCUMENTED_DIGITS)),
      ]),
    ],
    ['right', 'right', 'left', 'left', 'left'],
  )

const shapeText = ({ queues, handSize }: { readonly queues: number; readonly handSize: number }): string =>
  `${queues} ${queues === 1 ? 'queue' : 'queues'} with hands of ${handSize}`

const flowText = ({ flowSchema, distinguisher }: FlowReport): string => `${flowSchema}/${distinguisher}`

/** Six digits are more than a decision needs. */
const chance = (odds: number): string => chanceText(odds, 6)
