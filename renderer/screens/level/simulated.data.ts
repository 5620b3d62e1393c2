import { flowHash } from '../../../core/classify/flow.ts'
import type { SimulationObjects } from '../../../core/contract/simulation.ts'
import { maxSeatsPerRequest } from '../../../core/engine/allocation.ts'
import { deal, isLegalDealer } from '../../../core/engine/shuffleSharding.ts'
import type { LevelFrame } from '../../../core/frame/frame.ts'
import { format } from '../../theme/format.ts'
import type { FlowRow } from './flows.data.ts'
import type { Fact } from './level.data.ts'

const queuingOf = (objects: SimulationObjects | undefined, level: string) =>
  objects?.levels.find(({ metadata }) => metadata.name === level)?.spec.limited?.limitResponse.queuing

/**
 * The hand that a flow is dealt, ascending (specification 3.2); `undefined` where the objects are not known, or are not those
 * of the dump with so many queues.
 */
export function handOf(
  objects: SimulationObjects | undefined,
  level: string,
  flow: Pick<FlowRow, 'schema' | 'flow'> | undefined,
  queuesInDump: number | undefined,
): readonly number[] | undefined {
  const queuing = queuingOf(objects, level)
  if (flow === undefined || queuing === undefined || queuing.queues !== queuesInDump) return undefined
  const { queues, handSize } = queuing
  if (!isLegalDealer(queues, handSize)) return undefined
  const cards = new Int32Array(handSize)
  deal(flowHash(flow.schema, flow.flow), queues, handSize, cards)
  return [...cards].toSorted((a, b) => a - b)
}

/** What a simulated server tells of a level beyond its metrics: the widest request by rule, and what 429 says now. */
export function simulatedFacts(
  level: LevelFrame,
  objects: SimulationObjects | undefined,
  retryAfterSeconds: number | undefined,
): readonly Fact[] {
  const facts: Fact[] = []
  const queuing = queuingOf(objects, level.name)
  const { nominal } = level.limits
  if (queuing !== undefined && nominal !== undefined) {
    const seats = maxSeatsPerRequest(nominal, queuing.handSize)
    facts.push({ term: 'a request takes at most', value: `${format.seats(seats)} ${seats === 1 ? 'seat' : 'seats'}` })
  }
  if (retryAfterSeconds !== undefined) facts.push({ term: 'Retry-After', value: `${retryAfterSeconds} s` })
  return facts
}
