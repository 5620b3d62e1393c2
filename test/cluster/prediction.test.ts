import { expect, it } from 'vitest'
import { outcomesOf, record, summaryOf, tableOf } from '../prediction/bench.ts'
import { drawMixture } from '../prediction/draw.ts'
import { DEFAULT_VERSION } from './binaries.ts'
import { noCluster } from './suite.ts'

/** `npm run test:prediction` draws others each time. */
const SEED = 7

it.skipIf(noCluster)(
  'forecasts nominal limits exactly, and most numbers in their bands',
  async () => {
    const recording = await record(drawMixture(SEED), {
      version: DEFAULT_VERSION,
      before: 100,
      after: 60,
      edits: 2,
      restarts: 0.1,
    })
    const outcomes = outcomesOf(recording)
    const counted = outcomes.flatMap(({ predictions }) => predictions).filter(({ matters }) => matters)
    console.log(`${tableOf(counted)}\n${summaryOf(counted)}`)
    expect(outcomes.flatMap(({ wrongLimits }) => wrongLimits)).toEqual([])
    expect(counted.length).toBeGreaterThan(0)
    // Two edits have a dozen numbers; the rate over many is that of `npm run test:prediction`.
    expect(counted.filter(({ right }) => right).length).toBeGreaterThanOrEqual(Math.floor(counted.length / 2))
  },
  900_000,
)
