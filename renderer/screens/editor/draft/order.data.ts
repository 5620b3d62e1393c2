import { inMatchingOrder } from '../../../../core/request/match.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import type { Moves } from './moves.data.ts'

/** A schema near another one in the matching order. */
export interface NeighbourRow {
  readonly name: string
  readonly precedence: number
  readonly self: boolean
  /** What the draft does to it, as far as requests were seen. */
  readonly remark: string
}

const AROUND = 2

/** The schemas asked just before and just after one. */
export function neighbours(objects: ObjectSet, name: string, moves: Moves | undefined): readonly NeighbourRow[] {
  const order = objects.schemas.toSorted(inMatchingOrder)
  const at = order.findIndex(({ metadata }) => metadata.name === name)
  if (at === -1) return []
  return order.slice(Math.max(0, at - AROUND), at + AROUND + 1).map(({ metadata, spec }) => ({
    name: metadata.name,
    precedence: spec.matchingPrecedence,
    self: metadata.name === name,
    remark: remarkOf(metadata.name, moves),
  }))
}

function remarkOf(name: string, moves: Moves | undefined): string {
  if (moves === undefined) return ''
  const sum = (of: 'from' | 'to'): number =>
    moves.moves
      .filter(({ from, to }) => from.schema !== to.schema && (of === 'from' ? from : to).schema === name)
      .reduce((total, { requests }) => total + requests, 0)
  const [loses, gains] = [sum('from'), sum('to')]
  return [...(loses > 0 ? [`loses ${loses}`] : []), ...(gains > 0 ? [`gains ${gains}`] : [])].join(', ')
}
