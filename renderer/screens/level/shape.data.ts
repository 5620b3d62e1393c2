import type { FlowSchema, PriorityLevelConfiguration, Queuing } from '../../../core/config/objects.ts'
import { maxSeatsPerRequest } from '../../../core/engine/allocation.ts'
import type { LevelFrame } from '../../../core/frame/frame.ts'
import { format } from '../../theme/format.ts'
import type { Fact } from './level.data.ts'

/** What only the objects tell of a level: the weight of its seats and how its requests wait (specification 1.3). */
export interface LevelShape {
  readonly shares: number
  /** Of all levels. */
  readonly shareSum: number
  /** Absent where nothing waits. */
  readonly queuing: Queuing | undefined
  /** Percent of the nominal limit that it may lend; absent for Exempt. */
  readonly lendablePercent: number | undefined
  /** Percent of the nominal limit that it may borrow; absent where there is no end to it. */
  readonly borrowingPercent: number | undefined
}

/** Shares of a level; objects are defaulted, so that only what cannot have shares has none. */
const sharesOf = ({ spec }: PriorityLevelConfiguration): number =>
  spec.limited?.nominalConcurrencyShares ?? spec.exempt?.nominalConcurrencyShares ?? 0

/** The shape of a level, or nothing when there is no object of it, as while it drains. */
export function levelShape(levels: readonly PriorityLevelConfiguration[], name: string): LevelShape | undefined {
  const level = levels.find(({ metadata }) => metadata.name === name)
  if (level === undefined) return undefined
  const { limited } = level.spec
  return {
    shares: sharesOf(level),
    shareSum: levels.reduce((sum, one) => sum + sharesOf(one), 0),
    queuing: limited?.limitResponse.queuing,
    lendablePercent: level.spec.exempt === undefined ? (limited?.lendablePercent ?? 0) : undefined,
    borrowingPercent: limited?.borrowingLimitPercent,
  }
}

/** Names of the flow schemas whose requests go to a level, by their objects. */
export const schemasOf = (schemas: readonly FlowSchema[], level: string): readonly string[] =>
  schemas.filter(({ spec }) => spec.priorityLevelConfiguration.name === level).map(({ metadata }) => metadata.name)

/** `100 shares of 245`: stands before the limits that follow from it. */
export const shareFacts = ({ shares, shareSum }: LevelShape): readonly Fact[] => [
  { term: 'shares', value: format.fixed(shares), detail: `of ${format.fixed(shareSum)}`, glossary: 'shares' },
]

/** How requests wait, and how wide one may be (specification 5.2). */
export function queuingFacts({ queuing }: LevelShape, level: LevelFrame): readonly Fact[] {
  if (queuing === undefined) return []
  const { queues, handSize, queueLengthLimit } = queuing
  const facts: Fact[] = [
    {
      term: 'Queue',
      value: `${format.fixed(queues)} ${queues === 1 ? 'queue' : 'queues'} × hand ${handSize} × length ${format.fixed(queueLengthLimit)}`,
      glossary: 'limit-response',
    },
  ]
  if (level.limits.nominal !== undefined) {
    const seats = maxSeatsPerRequest(level.limits.nominal, handSize)
    facts.push({
      term: 'widest request',
      value: `${format.seats(seats)} ${seats === 1 ? 'seat' : 'seats'}`,
      glossary: 'max-seats',
    })
  }
  return facts
}

/** What rejected requests of the level are told to wait now (specification 4.14). */
export const retryAfterFacts = (seconds: number | undefined): readonly Fact[] =>
  seconds === undefined ? [] : [{ term: 'Retry-After', value: `${format.fixed(seconds)} s`, glossary: 'retry-after' }]
