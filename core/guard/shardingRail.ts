import type { Queuing } from '../config/objects.ts'
import { coveredOdds } from '../sharding/collision.ts'
import { bestHand } from '../sharding/recommend.ts'
import { isLegalShape } from '../config/shape.ts'
import { isLevelChange } from './changes.ts'
import { type GuardFinding, levelRef } from './finding.ts'
import type { Rail } from './rail.ts'

/** The chance from which a small flow is too often stuck behind others: 1 in 1000 by one elephant, 1 in 5 by four. */
const TOO_OFTEN = [
  { elephants: 1, odds: 0.001 },
  { elephants: 4, odds: 0.2 },
] as const

/** How well the hands of changed levels keep flows apart (specification 3). A shape that is not legal is no matter of risk. */
export const shardingRail: Rail = ({ changes }) =>
  changes.filter(isLevelChange).flatMap(({ name, from, to }): readonly GuardFinding[] => {
    const [was, is] = [from, to].map((level) => level?.spec.limited?.limitResponse.queuing)
    if (is === undefined || !isLegalShape(is) || (was?.queues === is.queues && was.handSize === is.handSize)) return []
    return [...collisions(name, is), ...dealtAgain(name, was, is)]
  })

function collisions(name: string, { queues, handSize }: Queuing): readonly GuardFinding[] {
  if (queues === 1) {
    return [
      {
        code: 'sharding/one-queue',
        severity: 'expected',
        objects: [levelRef(name)],
        message: `${name} has one queue, so that its flows are not kept apart: whoever sends most waits least.`,
        evidence: [],
      },
    ]
  }
  const odds = TOO_OFTEN.map((limit) => ({ ...limit, found: coveredOdds({ queues, handSize }, limit.elephants) }))
  const [worst] = odds.filter(({ found, odds: limit }) => found >= limit)
  if (worst === undefined) return []
  const best = bestHand(queues, worst.elephants)
  const better = best !== undefined && best.covered < worst.odds && best.handSize !== handSize ? best : undefined
  return [
    {
      code: 'sharding/collisions',
      severity: 'warns',
      objects: [levelRef(name)],
      message: `In ${name} ${worst.elephants === 1 ? 'one busy flow covers' : `${worst.elephants} busy flows cover`} all queues of another flow with a chance of ${percent(worst.found)}.`,
      remedy:
        better === undefined
          ? { sentence: `Give ${name} more queues.` }
          : {
              sentence: `Deal ${better.handSize} of the ${queues} queues to each flow: ${percent(better.covered)}.`,
              fix: {
                action: 'set',
                object: levelRef(name),
                path: ['spec', 'limited', 'limitResponse', 'queuing', 'handSize'],
                value: better.handSize,
              },
            },
      evidence: odds.map(
        ({ elephants, found }) => `${elephants} busy ${elephants === 1 ? 'flow' : 'flows'}: ${percent(found)}`,
      ),
    },
  ]
}

/** Trap T30: what waits stays where it is, what arrives goes elsewhere. */
function dealtAgain(name: string, was: Queuing | undefined, is: Queuing): readonly GuardFinding[] {
  if (was === undefined) return []
  return [
    {
      code: 'sharding/dealt-again',
      severity: 'expected',
      objects: [levelRef(name)],
      message: `Every flow of ${name} is dealt other queues; requests that wait already stay where they are.`,
      evidence: [`${was.handSize} of ${was.queues} → ${is.handSize} of ${is.queues}`],
    },
  ]
}

const percent = (odds: number): string => `${Number((odds * 100).toPrecision(2))} %`
