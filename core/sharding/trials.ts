import { amount, numberColumns, textColumns, type Answer, type Table } from '../answer/answer.ts'
import type { DealerShape } from '../config/shape.ts'
import { coveredOdds } from './collision.ts'
import { dealtHand } from './overlap.ts'

/** How often elephants covered a mouse’s hand, of hands dealt by the hashes of flows with made-up names. */
export interface Trials {
  readonly elephants: number
  readonly trials: number
  readonly covered: number
  /** What the formula expects, and the standard deviation of such a count. */
  readonly expected: number
  readonly deviation: number
}

/** Deals a mouse and its elephants that many times, as a server deals hands to flows. The shape must be legal. */
export function dealTrials(shape: DealerShape, elephants: number, trials: number): Trials {
  let [covered, flow] = [0, 0]
  const next = (): readonly number[] => dealtHand({ schema: 'trial', distinguisher: String(flow++) }, shape) ?? []
  for (let trial = 0; trial < trials; trial++) {
    const held = new Set<number>()
    const mouse = next()
    for (let elephant = 0; elephant < elephants; elephant++) for (const queue of next()) held.add(queue)
    if (mouse.every((queue) => held.has(queue))) covered += 1
  }
  const chance = coveredOdds(shape, elephants)
  return { elephants, trials, covered, expected: trials * chance, deviation: Math.sqrt(trials * chance * (1 - chance)) }
}

/** Whether the count is what the formula lets one expect. */
export const agrees = ({ covered, expected, deviation }: Trials): boolean =>
  Math.abs(covered - expected) <= Math.max(1, 3 * deviation)

/** The trials with each number of elephants. */
export const presentTrials = (all: readonly Trials[]): Answer => ({
  title: ['Mice and elephants, dealt by the hashes of flows with made-up names'],
  evidence: [],
  tables: [trialsTable(all)],
})

const trialsTable = (all: readonly Trials[]): Table => ({
  title: 'Dealt',
  note: 'beside the formula; the tolerance is three standard deviations',
  columns: [...numberColumns('Elephants', 'Trials', 'Covered', 'Expected', 'Tolerance'), ...textColumns('Agrees')],
  rows: all.map((one) => [
    amount('fixed')(one.elephants),
    amount('fixed')(one.trials),
    amount('fixed')(one.covered),
    amount('fixed', { decimals: 1 })(one.expected),
    amount('fixed', { decimals: 1 })(3 * one.deviation),
    agrees(one) ? 'yes' : 'no',
  ]),
})
