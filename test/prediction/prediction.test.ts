import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ObjectSet } from '../../core/config/objects.ts'
import {
  EDITS,
  OTHER_LIMITS,
  recordOtherFlags,
  type LoadRecording,
  outcomesOf,
  type Prediction,
  recordEdits,
  scoreOf,
  seededObjects,
  SERVER_LIMITS,
  summaryOf,
  tableOf,
} from '../cluster/predict.ts'
import { startCluster } from '../cluster/cluster.ts'
import { seed } from '../cluster/profiles.ts'
import { noCluster, useCluster } from '../cluster/suite.ts'

/** Of the cells in their band, and of the half-width of a band. */
const GOAL = { inside: 0.85, halfWidth: 0.35 } as const

const TIMES = { before: 180, after: 150 } as const

/** Recordings are kept here and read instead of being made again. */
const folder = process.env['APF_PREDICTION_FOLDER']
async function keptOr(name: string, record: () => Promise<LoadRecording>): Promise<LoadRecording> {
  const file = folder && join(folder, `${name}.json.gz`)
  if (file !== undefined && existsSync(file)) {
    return JSON.parse((await promisify(gunzip)(await readFile(file))).toString()) as LoadRecording
  }
  const recording = await record()
  if (file !== undefined) await writeFile(file, await promisify(gzip)(JSON.stringify(recording)))
  return recording
}

/** The load under which the flags of the server change. */
const FLAGS_UNDER = 'elephants-and-mice'

const LOADS = (Object.keys(EDITS) as (keyof typeof EDITS)[]).filter(
  (load) => process.env['APF_PREDICTION_LOADS']?.split(',').includes(load) ?? true,
)

describe.skipIf(noCluster)('forecasts against a real server', () => {
  const cluster = useCluster(SERVER_LIMITS)
  let objects: ObjectSet = { levels: [], schemas: [] }

  beforeAll(async () => {
    objects = await seededObjects(cluster())
  })

  const recordingOf = (load: keyof typeof EDITS): Promise<LoadRecording> =>
    keptOr(load, () => recordEdits(cluster(), objects, load, EDITS[load], TIMES))

  async function otherFlags(base: LoadRecording): Promise<LoadRecording> {
    const other = await startCluster(OTHER_LIMITS)
    try {
      await seed(other)
      const [before] = base.spans
      if (before === undefined) throw new Error('nothing was recorded')
      return await recordOtherFlags(other, before, FLAGS_UNDER, TIMES.after)
    } finally {
      await other.stop()
    }
  }

  it('hold for edits of every kind', async () => {
    const recordings: LoadRecording[] = []
    for (const load of LOADS) {
      const recording = await recordingOf(load)
      recordings.push(recording)
      if (load === FLAGS_UNDER) recordings.push(await keptOr('server-flags', () => otherFlags(recording)))
    }
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
