import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ObjectSet } from '../../core/config/objects.ts'
import { readClusterObjects } from '../../main/cluster/readObjects.ts'
import { allNamed } from '../harness/consent.ts'
import {
  EDITS,
  type LoadRecording,
  outcomesOf,
  type Prediction,
  recordEdits,
  scoreOf,
  SERVER_LIMITS,
  summaryOf,
  tableOf,
} from '../cluster/predict.ts'
import { seed } from '../cluster/profiles.ts'
import { noCluster, useCluster } from '../cluster/suite.ts'

/** Of the cells in their band, and of the half-width of a band. */
const GOAL = { inside: 0.85, halfWidth: 0.35 } as const

const TIMES = { before: 180, after: 150 } as const

/** Recordings are kept here and read instead of being made again. */
const folder = process.env['APF_PREDICTION_FOLDER']
const fileOf = (load: string): string | undefined => folder && join(folder, `${load}.json.gz`)

const LOADS = (Object.keys(EDITS) as (keyof typeof EDITS)[]).filter(
  (load) => process.env['APF_PREDICTION_LOADS']?.split(',').includes(load) ?? true,
)

describe.skipIf(noCluster)('forecasts against a real server', () => {
  const cluster = useCluster(SERVER_LIMITS)
  let objects: ObjectSet = { levels: [], schemas: [] }

  beforeAll(async () => {
    await seed(cluster())
    const read = await readClusterObjects({ kind: 'kubeconfig', file: cluster().kubeconfig }, allNamed)
    objects = read.objects
  })

  async function recordingOf(load: keyof typeof EDITS): Promise<LoadRecording> {
    const file = fileOf(load)
    if (file !== undefined && existsSync(file)) {
      return JSON.parse((await promisify(gunzip)(await readFile(file))).toString()) as LoadRecording
    }
    const recording = await recordEdits(cluster(), objects, load, EDITS[load], TIMES)
    if (file !== undefined) await writeFile(file, await promisify(gzip)(JSON.stringify(recording)))
    return recording
  }

  it('hold for edits of every kind', async () => {
    const recordings: LoadRecording[] = []
    for (const load of LOADS) recordings.push(await recordingOf(load))
    const all: Prediction[] = []
    const wrong: string[] = []
    for (const recording of recordings) {
      for (const { predictions, wrongLimits, limitsOnly } of outcomesOf(recording)) {
        all.push(...predictions)
        wrong.push(...wrongLimits)
        for (const sentence of limitsOnly) console.log(`limits only: ${recording.load}: ${sentence}`)
      }
    }
    const score = scoreOf(all)
    console.log(`${tableOf(all)}\n${summaryOf(all)}\n${JSON.stringify(score)}`)
    expect(wrong).toEqual([])
    expect(score.closeLimits).toBe(score.limits)
    expect(score.inside / score.cells).toBeGreaterThanOrEqual(GOAL.inside)
    expect(score.medianHalfWidth).toBeLessThanOrEqual(GOAL.halfWidth)
  })
})
