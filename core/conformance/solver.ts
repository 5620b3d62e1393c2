import type { z } from 'zod'
import { solve } from '../engine/solver.ts'
import { double, int, list, record, row } from './question.ts'

export const solverQuestion = record({
  required: int,
  items: list(row({ lower: double, upper: double, target: double })),
})

/** One problem of distributing seats (specification 6.5). */
export function answerSolver({ required, items }: z.output<typeof solverQuestion>) {
  const solution = solve(required, items)
  if (!solution.ok) return { fairProp: 0, error: solution.problem }
  const { allocations, fairFrac } = solution
  return { ...(allocations.length > 0 ? { allocs: allocations } : {}), fairProp: fairFrac }
}
