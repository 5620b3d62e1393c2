import { describe, expect, it } from 'vitest'
import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../config/builtIn.ts'
import { AS_UPSTREAM, profileFor } from '../engine/profiles.ts'
import { CLUSTER } from '../simulate/cluster.ts'
import { serverFrame } from '../simulate/serverFrame.ts'
import { createSimulation } from '../simulate/simulation.ts'
import { createDeriver } from '../frame/derive.ts'
import { byCodeUnits } from '../text/text.ts'
import { adjustmentLedger } from './adjustmentLedger.ts'
import { createAdjustments } from './adjustments.ts'
import { expectedAllocation } from './expected.ts'

const START_MS = 1_700_000_000_000
const SECONDS = 95

/** A simulated server of one version, sampled once a second through its frames. */
function watch(version: string) {
  const simulation = createSimulation({
    seed: 7,
    startUnixMs: START_MS,
    mode: 'priority-and-fairness',
    maxRequestsInFlight: 400,
    maxMutatingRequestsInFlight: 200,
    profile: profileFor(version),
    corrections: AS_UPSTREAM,
    configuration: {
      levels: [...mandatoryLevels, ...suggestedLevels],
      schemas: [...mandatorySchemas, ...suggestedSchemas],
    },
    workload: CLUSTER,
  })
  const derive = createDeriver('simulated')
  const adjustments = createAdjustments()
  for (let second = 1; second <= SECONDS; second += 1) {
    // Half a second after each recomputation, so that none happens at the instant of a sample.
    simulation.runTo((second - 0.5) * 1e9)
    const frame = serverFrame(simulation.engine.snapshot(), { id: 'simulated', version })
    adjustments.append(frame, derive(frame))
  }
  return { own: simulation.engine.adjustments(), steps: adjustments.steps(0, Number.POSITIVE_INFINITY) }
}

describe.each(['v1.30.14', 'v1.37.2'])('the engine’s own account of a simulated server %s', (version) => {
  const { own, steps } = watch(version)

  it('is what follows from its frames, recomputation by recomputation', () => {
    expect(steps.length).toBeGreaterThanOrEqual(9)
    for (const step of steps) {
      const made = own.findLast(({ atNs }) => START_MS + atNs / 1e6 <= step.at)
      if (made === undefined) throw new Error('a step without a recomputation')
      const expected = expectedAllocation(step)
      expect(expected).toMatchObject({
        kind: 'known',
        regime: made.allocation.regime,
        nominalSum: made.allocation.nominalSum,
        remaining: made.allocation.remaining,
        fairFraction: made.allocation.fairFrac,
        comparison: { kind: 'equal' },
      })
      if (expected.kind === 'unknown') continue
      const levels = new Map(expected.levels.map((level) => [level.name, level]))
      for (const { name, lower, target, allocation, current } of made.allocation.levels) {
        expect(levels.get(name)).toMatchObject({ floor: lower, target, allocation, expected: current })
      }
    }
  })

  it('lends and borrows the same seats', () => {
    const { entries } = adjustmentLedger(steps.at(-1)?.levels ?? [], profileFor(version).borrowing)
    const limited = own.at(-1)?.ledger.levels.filter(({ exempt }) => !exempt) ?? []
    expect(entries.map(({ name, current, lent, borrowed }) => ({ name, current, lent, borrowed }))).toEqual(
      limited
        .map(({ name, current, lent, borrowed }) => ({ name, current, lent, borrowed }))
        .toSorted((a, b) => byCodeUnits(a.name, b.name)),
    )
    expect(entries.length).toBeGreaterThan(0)
  })
})
