import { create } from 'zustand'
import type { FirstDifference, RunGiven, RunSpec } from '../../core/contract/whatif.ts'
import { openPage } from './route.ts'
import { connectRun, openRun } from './runs.ts'

/** A variant whose run can be shown. */
export interface RunChoice {
  readonly name: string
  readonly of: RunSpec['of']
  /** The text of a scenario that is not in the library. */
  readonly given?: RunGiven
}

/** Two variants of the same requests, by their places in `choices`: A is the shown run, B is at the same instant. */
export interface RunPair {
  readonly choices: readonly RunChoice[]
  readonly a: number
  readonly b: number
  /** The request to look at first. */
  readonly request?: FirstDifference['request'] | undefined
  /** Their connections. */
  readonly ofA: number
  readonly ofB: number
}

/** A pair before its runs are connected. */
export type OpenedPair = Omit<RunPair, 'ofA' | 'ofB'>

export const besideStore = create<{ readonly pair?: RunPair }>(() => ({}))

/** Shows A with B beside it, at `seconds` after the start, or at the end. Rejects with `ProblemError`. */
export async function openBeside({ choices, a, b, request }: OpenedPair, seconds?: number): Promise<void> {
  const [first, second] = [choices[a], choices[b]]
  if (first === undefined || second === undefined) return
  const ofB = await connectRun(second.of, second.given)
  const ofA = await connectRun(first.of, first.given)
  besideStore.setState({ pair: { choices, a, b, request, ofA, ofB } })
  await openRun(first.of, seconds, first.given)
  openPage('whatif', 'beside')
}
