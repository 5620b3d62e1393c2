import { z } from 'zod'
import type { Seats } from '../units.ts'

/**
 * How much slower everything gets when more seats run than the machine has room for: points of a line, seats ascending,
 * beyond whose ends it goes on flat. A slowdown of 2 doubles the time that a request takes.
 */
export const CapacityCurveSchema = z
  .array(z.object({ seats: z.number().min(0), slowdown: z.number().min(1).max(1_000) }))
  .refine((points) => points.every(({ seats }, i) => i === 0 || seats > (points[i - 1]?.seats ?? 0)), {
    message: 'The seats of the points must ascend.',
  })
export type CapacityCurve = z.infer<typeof CapacityCurveSchema>

/** The slowdown while so many seats run; 1 without points. */
export function slowdownAt(curve: CapacityCurve, seats: Seats): number {
  const above = curve.findIndex((point) => point.seats >= seats)
  const upper = curve[above] ?? curve.at(-1)
  const lower = above > 0 ? curve[above - 1] : upper
  if (upper === undefined || lower === undefined) return 1
  if (upper.seats === lower.seats || above < 0) return upper.slowdown
  const part = (seats - lower.seats) / (upper.seats - lower.seats)
  return lower.slowdown + part * (upper.slowdown - lower.slowdown)
}
