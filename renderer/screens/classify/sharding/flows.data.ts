import type { FlowSchema } from '../../../../core/config/objects.ts'
import type { DumpFrame } from '../../../../core/frame/dump.ts'
import type { FlowName, Overlap, SharedHands } from '../../../../core/sharding/overlap.ts'
import { dumpOfLevel, flowRows } from '../../../state/flows.logic.ts'

/** Flows that are drawn; what is beyond stands in the table. */
export const FLOWS_DRAWN = 8
/** Flows that are taken from a dump: their pairs must stay readable. */
const MOST_FLOWS = 50

export const keyOf = ({ schema, distinguisher }: FlowName): string => `${schema}\n${distinguisher}`

/** The flows of a level that a dump shows, busiest first; `undefined` when it shows no requests. */
export function flowsOfDump(dump: DumpFrame | undefined, level: string): readonly FlowName[] | undefined {
  const requests = dump === undefined ? undefined : dumpOfLevel(dump, level).requests
  if (requests === undefined || requests.length === 0) return undefined
  return flowRows(requests, 0)
    .slice(0, MOST_FLOWS)
    .map(({ schema, flow }) => ({ schema, distinguisher: flow }))
}

/** Names of the schemas that send requests to a level, in the order in which they are matched. */
export const schemasOf = (schemas: readonly FlowSchema[], level: string | undefined): readonly string[] =>
  schemas
    .filter(({ spec }) => spec.priorityLevelConfiguration.name === level)
    .toSorted((a, b) => a.spec.matchingPrecedence - b.spec.matchingPrecedence)
    .map(({ metadata }) => metadata.name)

export const withFlow = (flows: readonly FlowName[], added: FlowName): readonly FlowName[] =>
  flows.some((flow) => keyOf(flow) === keyOf(added)) ? flows : [added, ...flows]

/** What the drawing of hands shows, in a sentence for each question that it answers. */
export function overlapSentence({ flows, pairs }: Overlap): string {
  if (flows.length < 2) return ''
  const crowded = flows.filter(({ hand, own }) => hand.length > 0 && own.length === 0).length
  const possible = (flows.length * (flows.length - 1)) / 2
  const met = pairs.length === 0 ? 'No two flows share a queue' : `${pairs.length} of ${possible} pairs share a queue`
  if (crowded === 0) return `${met}; every flow has a queue to itself.`
  return `${met}; ${crowded === 1 ? '1 flow has no queue to itself' : `${crowded} flows have no queue to themselves`}.`
}

export interface PairRow extends SharedHands {
  readonly names: readonly [FlowName, FlowName]
}

export const pairRows = ({ flows, pairs }: Overlap): readonly PairRow[] =>
  pairs.flatMap((pair) => {
    const [a, b] = [flows[pair.first], flows[pair.second]]
    return a === undefined || b === undefined ? [] : [{ ...pair, names: [a, b] as const }]
  })
