import { existsSync } from 'node:fs'
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noCluster } from '../cluster/suite.ts'
import { DEVELOPMENT } from './development.ts'
import { HELD_OUT } from './heldOut.ts'
import { SECOND } from './second.ts'
import { THIRD } from './third.ts'
import type { Incident } from './incident.ts'
import { record, recordingIn } from './record.ts'
import { scoreOf, scoreText, wordsOf, type Scored } from './score.ts'

/** Of the 48 points of eight incidents, and of their first causes. */
const GOAL = { points: 40 / 48, causes: 7 / 8 } as const

const SETS: Readonly<Record<string, readonly Incident[]>> = {
  dev: DEVELOPMENT,
  held: HELD_OUT,
  second: SECOND,
  third: THIRD,
}

/** Recordings are kept here and read instead of being made again: `SET/NAME`. */
const kept = process.env['APF_INCIDENTS_FOLDER']
/** Names, with commas between them; all without. */
const chosen = process.env['APF_INCIDENTS']?.split(',')
const isChosen = ({ name }: Incident): boolean => chosen?.includes(name) ?? true

describe.each(Object.keys(SETS))('incidents of a real server: %s', (set) => {
  const incidents = (SETS[set] ?? []).filter(isChosen)
  const scored: Scored[] = []
  let folder = ''
  let state = ''

  beforeAll(async () => {
    state = await mkdtemp(join(tmpdir(), 'apf-incidents-'))
    process.env['XDG_STATE_HOME'] = join(state, 'state')
    folder = join(kept ?? state, set)
    await mkdir(folder, { recursive: true })
  })
  afterAll(async () => {
    const text = scoreText(set, scored)
    console.log(text)
    if (chosen === undefined) await writeFile(join(folder, 'scores.md'), text)
    await rm(state, { recursive: true, force: true })
  })

  it.for(incidents)('$name', async (incident, { skip }) => {
    const own = join(folder, incident.name)
    if (!existsSync(recordingIn(own))) {
      skip(noCluster, 'no server can be built here, and there is no recording')
      await record(incident, own)
    }
    const words = await wordsOf(recordingIn(own))
    const score = scoreOf(words, incident.truth)
    scored.push({ incident, words, score })
    await writeFile(join(own, 'words.txt'), `${words.status}\n${words.also}\n---\n${words.diagnosis}\n`)
    expect(score.falsehoods).toEqual([])
  })

  it.skipIf(chosen !== undefined || noCluster)('reach the goal', () => {
    const sum = scored.reduce((total, { score }) => total + score.total, 0)
    expect(sum).toBeGreaterThanOrEqual(Math.ceil(GOAL.points * 6 * incidents.length))
    expect(scored.filter(({ score }) => score.points.cause).length).toBeGreaterThanOrEqual(
      Math.ceil(GOAL.causes * incidents.length),
    )
  })
})
