import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ObjectSet } from '../../core/config/objects.ts'
import { readClusterObjects } from '../../main/cluster/readObjects.ts'
import { allNamed } from '../harness/consent.ts'
import { predictEdit, type Prediction, scoreOf, summaryOf, tableOf, THREE_EDITS } from './predict.ts'
import { seed } from './profiles.ts'
import { noCluster, useCluster } from './suite.ts'

describe.skipIf(noCluster)('a forecast from metrics and dumps', () => {
  const cluster = useCluster({ maxInflight: 80, maxMutatingInflight: 40 })
  const all: Prediction[] = []
  let objects: ObjectSet = { levels: [], schemas: [] }

  beforeAll(async () => {
    await seed(cluster())
    const read = await readClusterObjects({ kind: 'kubeconfig', file: cluster().kubeconfig }, allNamed)
    objects = read.objects
  })
  afterAll(() => {
    console.log(`${tableOf(all)}\n${summaryOf(all)}\n${JSON.stringify(scoreOf(all))}`)
  })

  it.each(THREE_EDITS)(
    '$load, $what: limits are exact, and most waits and rejections in their bands',
    async (edit) => {
      const { predictions, wrongLimits, limitsOnly } = await predictEdit(cluster(), objects, edit, {
        before: 100,
        after: 60,
      })
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
