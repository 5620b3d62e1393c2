import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ObjectSet } from '../../core/config/objects.ts'
import {
  EDITS,
  outcomesOf,
  type Prediction,
  recordEdits,
  scoreOf,
  seededObjects,
  SERVER_LIMITS,
  summaryOf,
  tableOf,
} from './predict.ts'
import { noCluster, useCluster } from './suite.ts'

describe.skipIf(noCluster)('a forecast from metrics and dumps', () => {
  const cluster = useCluster(SERVER_LIMITS)
  const all: Prediction[] = []
  let objects: ObjectSet = { levels: [], schemas: [] }

  beforeAll(async () => {
    objects = await seededObjects(cluster())
  })
  afterAll(() => {
    console.log(`${tableOf(all)}\n${summaryOf(all)}\n${JSON.stringify(scoreOf(all))}`)
  })

  it.each([
    { load: 'elephants-and-mice', edit: EDITS['elephants-and-mice'][0] },
    { load: 'elephants-and-mice', edit: EDITS['elephants-and-mice'][1] },
    { load: 'mixed', edit: EDITS.mixed[0] },
  ] as const)(
    '$load, $edit.what: limits are exact, and most waits and rejections in their bands',
    async ({ load, edit }) => {
      const recording = await recordEdits(cluster(), objects, load, [edit], { before: 100, after: 60 })
      const [outcome] = outcomesOf(recording)
      if (outcome === undefined) throw new Error('nothing was recorded')
      const { predictions, wrongLimits, limitsOnly } = outcome
      all.push(...predictions)
      for (const sentence of limitsOnly) console.log(`${edit.what}: limits only: ${sentence}`)
      expect(wrongLimits).toEqual([])
      const { cells, inside } = scoreOf(predictions)
      // One edit has a handful of cells; the rate over many is that of `npm run test:prediction`.
      expect(cells).toBeGreaterThan(0)
      expect(inside).toBeGreaterThanOrEqual(Math.floor(cells / 2))
    },
    900_000,
  )
})
