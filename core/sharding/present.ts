import {
  amount,
  counted,
  numberColumns,
  phrase,
  type Answer,
  type Column,
  type Sentence,
  type Table,
} from '../answer/answer.ts'
import { MAX_ENTROPY_BITS, type DealerShape } from '../config/shape.ts'
import { flowName } from '../frame/flow.ts'
import { plural } from '../text/format.ts'
import {
  chanceText,
  DOCUMENTED_DIGITS,
  USUAL_ELEPHANTS,
  type Candidate,
  type DocumentedRow,
  type ShardingGoal,
} from './collision.ts'
import type { FlowName, OddsReport, Overlap, ShardReport } from './overlap.ts'

const chance = amount('probability')
const whole = amount('fixed')

const shapeText = ({ queues, handSize }: DealerShape): Sentence =>
  phrase`${counted(queues, 'queue')} with hands of ${whole(handSize)}`

/** The first sentence: whether elephants delay a small flow. */
export const oddsSentence = ({ queues, handSize }: DealerShape, elephants: number, covered: number): Sentence =>
  queues === 1
    ? ['With one queue, all flows wait behind each other.']
    : phrase`With ${whole(queues)} queues and hands of ${whole(handSize)}, ${counted(elephants, 'elephant covers', 'elephants cover')} a small flow’s hand with probability ${chance(covered)}.`

export const oddsTable = (odds: readonly OddsReport[]): Table => ({
  title: 'Effect of elephants on a mouse',
  note: 'exact, for hands dealt independently',
  columns: [
    { id: 'elephants', label: 'Elephants', term: 'elephant', align: 'right' },
    {
      id: 'covered',
      label: 'Hand covered',
      title: 'The chance that elephants hold every queue of a mouse’s hand: it waits behind one of them',
      align: 'right',
    },
    {
      id: 'touched',
      label: 'Hand touched',
      title: 'The chance that elephants hold at least one queue of a mouse’s hand',
      align: 'right',
    },
    {
      id: 'clean',
      label: 'Clean queues',
      title: 'Queues of a mouse’s hand that no elephant holds, on average',
      align: 'right',
    },
  ],
  rows: odds.map(({ elephants, covered, touched, cleanQueues }) => [
    whole(elephants),
    chance(covered),
    chance(touched),
    amount('fixed', { decimals: 2 })(cleanQueues),
  ]),
})

interface Judged extends Candidate {
  readonly reaches: boolean
  readonly best: Candidate
}

/** The shape against the target, and the best hand for as many queues. */
export function goalSentence({ handSize, covered, reaches, best }: Judged, { target }: ShardingGoal): Sentence {
  const better: Sentence =
    best.handSize === handSize
      ? ['No other hand size is better for this number of queues.']
      : phrase`A hand of ${whole(best.handSize)} would be best for this number of queues: ${chance(best.covered)}.`
  return phrase`${chance(covered)} is ${reaches ? 'within' : 'more than'} the target of ${chance(target)}. ${better}`
}

/** What a shape offers beside its chance, where its level is known. */
interface ShapeRow extends Candidate {
  readonly waiting?: number | undefined
  readonly widest?: number | undefined
}

const OF_A_LEVEL: readonly (Column & { readonly id: 'waiting' | 'widest' })[] = [
  {
    id: 'waiting',
    label: 'Waiting per flow',
    title: 'Requests of one flow that can wait: hand size × queue length limit',
    align: 'right',
  },
  {
    id: 'widest',
    label: 'Widest, seats',
    title: 'Widest request that a level of this shape admits',
    term: 'max-seats',
    align: 'right',
  },
]

/** The smallest shapes that reach the target, or the closest one. */
export function shapesTable(reaching: readonly ShapeRow[], closest: ShapeRow, { maxQueues }: ShardingGoal): Table {
  const rows = reaching.length > 0 ? reaching : [closest]
  const known = OF_A_LEVEL.filter(({ id }) => rows.some((row) => row[id] !== undefined))
  return {
    title: 'Smallest shapes for a target',
    note:
      reaching.length > 0
        ? 'each with fewer queues and a larger hand'
        : `no shape of at most ${maxQueues} queues reaches the target; the closest`,
    columns: [
      { id: 'queues', label: 'Queues', term: 'queues', align: 'right' },
      { id: 'hand', label: 'Hand size', term: 'hand-size', align: 'right' },
      { id: 'covered', label: 'Hand covered', align: 'right' },
      ...known,
    ],
    rows: rows.map((row) => [
      whole(row.queues),
      whole(row.handSize),
      chance(row.covered),
      ...known.map(({ id }) => whole(row[id])),
    ]),
  }
}

export const flowText = ({ schema, distinguisher }: FlowName): string => flowName(distinguisher, schema)

export const flowsTable = ({ flows }: Overlap): Table => ({
  title: 'Flows and their hands',
  note: 'as dealt by each flow’s hash',
  columns: [
    { id: 'flow', label: 'Flow', term: 'flow' },
    { id: 'schema', label: 'Flow schema', term: 'flow-schema' },
    { id: 'hash', label: 'Hash', term: 'flow-hash', align: 'right' },
    {
      id: 'digits',
      label: 'Digits',
      title: 'The hash in mixed radix: the place of each queue of the hand among those that are left',
    },
    { id: 'hand', label: 'Hand', term: 'hand' },
    { id: 'own', label: 'Own', title: 'Queues of the hand that no other of these flows has', align: 'right' },
  ],
  rows: flows.map((flow) => [
    flowText(flow),
    flow.schema,
    flow.hash.toString(),
    flow.digits.join(' '),
    flow.hand.join(' '),
    whole(flow.own.length),
  ]),
})

export const pairsTable = ({ flows, pairs }: Overlap): Table => ({
  title: 'Shared queues',
  note: 'pairs that share most first',
  columns: [
    { id: 'first', label: 'Flow', term: 'flow' },
    { id: 'second', label: 'And' },
    { id: 'count', label: 'Shared', align: 'right' },
    { id: 'queues', label: 'Queues', term: 'queues' },
  ],
  rows: pairs.flatMap(({ first, second, queues }) => {
    const [a, b] = [flows[first], flows[second]]
    return a === undefined || b === undefined
      ? []
      : [[flowText(a), flowText(b), whole(queues.length), queues.join(' ')]]
  }),
})

/** A summary of the hands: one sentence for each question that their drawing answers; none of a single flow. */
export function overlapSentence({ flows, pairs }: Overlap): Sentence {
  if (flows.length < 2) return []
  const crowded = flows.filter(({ hand, own }) => hand.length > 0 && own.length === 0).length
  const possible = (flows.length * (flows.length - 1)) / 2
  const met: Sentence =
    pairs.length === 0
      ? ['No two flows share a queue']
      : phrase`${whole(pairs.length)} of ${whole(possible)} pairs share a queue`
  return crowded === 0
    ? phrase`${met}; every flow has a queue to itself.`
    : phrase`${met}; ${counted(crowded, 'flow has no queue to itself', 'flows have no queue to themselves')}.`
}

/** The documentation’s table, with all digits that its own computation gets right. */
export const documentedShapes = (rows: readonly DocumentedRow[]): Table => ({
  title: 'The documentation’s shapes',
  note: 'computed; matches the published table to 15 digits',
  columns: [
    { id: 'hand', label: 'Hand size', term: 'hand-size', align: 'right' },
    { id: 'queues', label: 'Queues', term: 'queues', align: 'right' },
    ...numberColumns(...USUAL_ELEPHANTS.map((count) => `${count} ${plural(count, 'elephant', 'elephants')}`)),
  ],
  rows: rows.map(({ handSize, queues, covered }) => [
    whole(handSize),
    whole(queues),
    ...covered.map((odds) => chanceText(odds, DOCUMENTED_DIGITS)),
  ]),
})

/** A shape, and the flows whose hands overlap in it, as a whole. */
export function presentSharding(report: ShardReport, overlap: Overlap): Answer {
  const { entropyBits, largestHand, hands, sets, mostWaitingPerFlow, odds, goal, queues } = report
  const most = odds.at(-1)
  return {
    title: most === undefined ? shapeText(report) : oddsSentence(report, most.elephants, most.covered),
    evidence: [
      phrase`${shapeText(report)}: ${whole(entropyBits)} of ${whole(MAX_ENTROPY_BITS)} bits of a flow’s hash; a hand may hold up to ${whole(largestHand)} of ${whole(queues)}.`,
      [`${hands} hands of ${sets} sets of queues.`],
      phrase`One flow can have ${counted(mostWaitingPerFlow, 'request')} waiting.`,
      ...(goal === undefined ? [] : [goalSentence({ ...report, ...goal, best: goal.bestHand }, goal)]),
      ...[overlapSentence(overlap)].filter((sentence) => sentence.length > 0),
    ],
    tables: [
      oddsTable(odds),
      ...(goal === undefined ? [] : [shapesTable(goal.configurations, goal.closest, goal)]),
      ...(overlap.flows.length === 0 ? [] : [flowsTable(overlap)]),
      ...(overlap.pairs.length === 0 ? [] : [pairsTable(overlap)]),
    ],
  }
}
