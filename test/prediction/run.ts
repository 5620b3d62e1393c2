/**
 * `npm run test:prediction -- --seed N --mixtures 10 --keep FOLDER`: draws loads and edits, records a real server before
 * and after them, and prints every forecast beside what came of it. `--score FOLDER` scores kept recordings again.
 * Without a seed it takes one from the clock, and prints it. `--simulated` draws simulated servers whose requests come in
 * waves, which takes seconds.
 */
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { NEWEST_VERSION } from '../../core/engine/profiles.ts'
import { outcomesOf, type Prediction, record, type Recording, summaryOf, tableOf } from './bench.ts'
import { drawMixture } from './draw.ts'
import { simulatedWaves } from './simulated.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    mixtures: { type: 'string', default: '10' },
    edits: { type: 'string', default: '3' },
    before: { type: 'string', default: '120' },
    after: { type: 'string', default: '90' },
    /** The part of the edits that change flags, which restarts the server. */
    restarts: { type: 'string', default: '0.1' },
    version: { type: 'string', default: NEWEST_VERSION },
    /** Recordings are written to this folder; those that are already in it are not made again. */
    keep: { type: 'string' },
    /** Scores the recordings of this folder instead of making some. */
    score: { type: 'string' },
    simulated: { type: 'boolean', default: false },
    /** Leaves out single numbers: of recordings that nobody is to look at yet. */
    brief: { type: 'boolean', default: false },
  },
})

const SUFFIX = '.json.gz'
const fileOf = (folder: string, seed: number): string => join(folder, `${seed}${SUFFIX}`)

async function kept(file: string): Promise<Recording> {
  return JSON.parse((await promisify(gunzip)(await readFile(file))).toString()) as Recording
}

async function* recordings(): AsyncGenerator<Recording> {
  const { score, keep } = values
  if (score !== undefined) {
    for (const name of readdirSync(score).toSorted()) if (name.endsWith(SUFFIX)) yield await kept(join(score, name))
    return
  }
  const first = Number(values.seed ?? Date.now() % 1_000_000)
  console.log(`seeds ${first} to ${first + Number(values.mixtures) - 1}`)
  if (keep !== undefined) await mkdir(keep, { recursive: true })
  for (let seed = first; seed < first + Number(values.mixtures); seed++) {
    if (values.simulated) {
      yield simulatedWaves(seed)
      continue
    }
    const file = keep && fileOf(keep, seed)
    if (file !== undefined && existsSync(file)) {
      yield await kept(file)
      continue
    }
    const recording = await record(drawMixture(seed), {
      version: values.version,
      before: Number(values.before),
      after: Number(values.after),
      edits: Number(values.edits),
      restarts: Number(values.restarts),
    })
    if (file !== undefined) await writeFile(file, await promisify(gzip)(JSON.stringify(recording)))
    yield recording
  }
}

const all: Prediction[] = []
const wrong: string[] = []
for await (const recording of recordings()) {
  if (!values.brief) console.log([`seed ${recording.seed}`, ...recording.what].join('\n  '))
  for (const { predictions, wrongLimits } of outcomesOf(recording)) {
    if (!values.brief && predictions.length > 0) console.log(tableOf(predictions))
    all.push(...predictions)
    wrong.push(...wrongLimits)
  }
}
console.log(summaryOf(all))
if (wrong.length > 0) {
  console.log(`Nominal limits that were not foretold:\n${wrong.join('\n')}`)
  process.exitCode = 1
}
