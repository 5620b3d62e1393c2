import type { DealerShape } from '../config/shape.ts'
import { coveredOdds } from './collision.ts'

/** Numbers of elephants that the Kubernetes documentation gives chances for. */
export const USUAL_ELEPHANTS = [1, 4, 16] as const

/** The shapes of its table “Example Shuffle Sharding Configurations”, in its order. */
const SHAPES: readonly (readonly [handSize: number, queues: number])[] = [
  [12, 32],
  [10, 32],
  [10, 64],
  [9, 64],
  [8, 64],
  [8, 128],
  [7, 128],
  [7, 256],
  [6, 256],
  [6, 512],
  [6, 1_024],
]

export interface DocumentedRow extends DealerShape {
  /** Chances that a mouse’s hand is covered, one for each of `USUAL_ELEPHANTS`. */
  readonly covered: readonly number[]
}

/** That table, computed. Its printed numbers carry errors of rounding in their 16th and 17th digit. */
export const documentedTable = (): readonly DocumentedRow[] =>
  SHAPES.map(([handSize, queues]) => ({
    queues,
    handSize,
    covered: USUAL_ELEPHANTS.map((elephants) => coveredOdds({ queues, handSize }, elephants)),
  }))
