import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { z } from 'zod'
import { manifestOf } from '../../core/config/content.ts'
import type { ObjectSet, PriorityLevelConfiguration } from '../../core/config/objects.ts'
import type { LiveRequest } from '../../core/contract/live.ts'
import { seededRandom } from '../../core/simulate/random.ts'
import { nsToMs } from '../../core/units.ts'
import { arrivalsOfRows } from '../../core/whatif/recorded.ts'
import { Replay } from '../../core/whatif/replay.ts'
import { defaultVariant } from '../../core/whatif/variant.ts'
import { runCommand } from '../harness/command.ts'
import { builtInObjects, nothingHeld } from '../harness/proxied.ts'
import { CRAWLER, mouse, OPERATOR, SCHEDULER, WRITER } from './identities.ts'
import { drawEdits, drawOpenClients } from '../prediction/draw.ts'
import { type Plan, sendEach } from './load.ts'
import { seed, write } from './profiles.ts'
import { proxyOf } from './proxied.ts'
import { noCluster, useCluster } from './suite.ts'

const SECONDS = 60
const FLAGS = { maxRequestsInFlight: 20, maxMutatingRequestsInFlight: 10 }
const LEVEL = 'workload-low'
/** Waits are predicted from the execution times of another run. */
const WITHIN = 0.2
/** Less is no wait. */
const SHORT_MS = 50
/** Fewer rejections are too few for a rate. */
const FEW = 20

/** Draws the requests and the configurations instead of those that are written here. */
const SEED = process.env['APF_REPLAYED_SEED']
const VERSION = 'v1.37.2'

/** Of each user: requests a second, and milliseconds that one takes. */
const USUAL_CLIENTS = [
  { user: CRAWLER, perSecond: 14, ms: 400 },
  { user: WRITER, perSecond: 8, ms: 250 },
  { user: OPERATOR, perSecond: 10, ms: 300 },
  { user: SCHEDULER, perSecond: 6, ms: 150 },
  { user: mouse(1), perSecond: 8, ms: 200 },
  { user: mouse(2), perSecond: 4, ms: 200 },
]

const CLIENTS = SEED === undefined ? USUAL_CLIENTS : drawOpenClients(Number(SEED))

/** The same requests at the same instants each time. */
function requests(): readonly { readonly atMs: number; readonly plan: Plan }[] {
  const random = seededRandom(Number(SEED ?? 1))
  return CLIENTS.flatMap(({ user, perSecond, ms }, place) => {
    const own: { atMs: number; plan: Plan }[] = []
    for (let atMs = 0; ;) {
      atMs += (-Math.log(1 - random()) * 1_000) / perSecond
      if (atMs > SECONDS * 1_000) return own
      const plan = { ...write(user, ms)(place, own.length), holdMs: ms * (0.5 + random()), holdsOnceAsked: true }
      own.push({ atMs, plan })
    }
  })
}

type Limited = NonNullable<PriorityLevelConfiguration['spec']['limited']>

/** The built-in objects with another level {@link LEVEL}. */
const changed = (change: (limited: Limited) => Limited): ObjectSet => ({
  ...builtInObjects,
  levels: builtInObjects.levels.map((level) => {
    const { limited } = level.spec
    if (level.metadata.name !== LEVEL || limited === undefined) return level
    return { ...level, spec: { ...level.spec, limited: change(limited) } }
  }),
})

const USUAL_CANDIDATES: ReadonlyMap<string, ObjectSet> = new Map([
  [
    'fewer',
    changed((limited) => ({ ...limited, nominalConcurrencyShares: 40, lendablePercent: 0, borrowingLimitPercent: 0 })),
  ],
  [
    'short',
    changed((limited) => ({
      ...limited,
      nominalConcurrencyShares: 40,
      borrowingLimitPercent: 0,
      limitResponse: { type: 'Queue', queuing: { queues: 8, handSize: 2, queueLengthLimit: 5 } },
    })),
  ],
  ['reject', changed((limited) => ({ ...limited, limitResponse: { type: 'Reject' } }))],
])

const DRAWN_EDITS = 3
const SEATS = { maxInflight: FLAGS.maxRequestsInFlight, maxMutatingInflight: FLAGS.maxMutatingRequestsInFlight }

/** Each drawn edit on top of the earlier ones; those of flags are none of objects. */
function drawnCandidates(number: number): ReadonlyMap<string, ObjectSet> {
  const given = { seed: number, flags: SEATS, levels: ['workload-low', 'workload-high', 'global-default'] }
  const edits = drawEdits(given, builtInObjects, { version: VERSION, edits: DRAWN_EDITS, restarts: 0.1 })
  for (const [i, { what }] of edits.entries()) console.log(`drawn-${i}: ${what}`)
  return new Map(edits.map(({ objects }, i) => [`drawn-${i}`, objects]))
}

const CANDIDATES = SEED === undefined ? USUAL_CANDIDATES : drawnCandidates(Number(SEED))

/** What differs from the built-in objects. Fields that a manifest leaves out keep their values. */
const manifestsOf = ({ levels, schemas }: ObjectSet): string =>
  [
    ...levels
      .filter((level) => !builtInObjects.levels.includes(level))
      .map((level) => manifestOf('PriorityLevelConfiguration', level)),
    ...schemas
      .filter((schema) => !builtInObjects.schemas.includes(schema))
      .map((schema) => manifestOf('FlowSchema', schema)),
  ]
    .map((manifest) => stringify(manifest).replace('type: Reject', 'type: Reject\n      queuing: null'))
    .join('---\n')

const ResultSchema = z.object({
  candidates: z.array(
    z.object({
      result: z.object({
        name: z.string(),
        levels: z.array(
          z.object({
            level: z.string(),
            rejected: z.record(z.string(), z.number()),
            waitMs: z.object({ p50: z.number().nullish(), p90: z.number().nullish(), p99: z.number().nullish() }),
          }),
        ),
      }),
    }),
  ),
})

const nearestRank = (sorted: readonly number[], part: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN

const isNear = (a: number, b: number, least: number): boolean =>
  Math.max(a, b) <= least || Math.abs(a - b) <= WITHIN * Math.max(a, b)

describe.skipIf(noCluster)('requests that a proxy in front of a real server recorded', () => {
  const cluster = useCluster({ maxInflight: 400, maxMutatingInflight: 200 })
  let folder = ''
  let recorded: readonly LiveRequest[] = []
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'apf-replayed-'))
    await seed(cluster())
    recorded = await run(builtInObjects)
  }, 180_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** The rows of all requests, through a proxy with these objects. */
  async function run(objects: ObjectSet): Promise<readonly LiveRequest[]> {
    const { maxRequestsInFlight: seats, maxMutatingRequestsInFlight: mutating } = FLAGS
    const proxy = await proxyOf(cluster(), { seats, mutating })
    try {
      proxy.run.configure(objects)
      await sendEach(proxy.cluster, requests())
      await nothingHeld(proxy.run, 60_000)
      return proxy.run.log.before(20_000)
    } finally {
      await proxy.close()
    }
  }

  it('are decided as they were, one by one, when they are given to the same configuration', () => {
    const read = arrivalsOfRows(recorded)
    if (!read.ok) throw new Error(read.problem)
    const replay = new Replay({ ...defaultVariant('same', builtInObjects), ...FLAGS }, read.arrivals)
    replay.runToEnd()
    let worstMs = 0
    for (const [index, { level, schema, waitMs = 0, reason, queue }] of recorded.entries()) {
      const decided = replay.decisions.of(index)
      const outcome = reason ?? 'dispatched'
      expect({ index, ...decided }).toMatchObject({ index, level, schema, outcome })
      expect(decided.atOnce).toBe(queue === undefined || waitMs === 0)
      worstMs = Math.max(worstMs, Math.abs(nsToMs(decided.atNs - (read.arrivals.list[index]?.atNs ?? 0)) - waitMs))
    }
    const waited = recorded.filter(({ waitMs = 0 }) => waitMs > SHORT_MS).length
    console.log(
      `${recorded.length} requests decided again, ${waited} of which waited; no wait differs by more than ${worstMs.toFixed(2)} ms.`,
    )
    expect(waited).toBeGreaterThan(recorded.length / 10)
    expect(worstMs).toBeLessThan(1)
  })

  it('tell what another configuration does to them', async () => {
    const rows = join(folder, 'rows.ndjson')
    await writeFile(rows, recorded.map((row) => JSON.stringify(row)).join('\n'))
    const options: string[] = []
    for (const [name, objects] of CANDIDATES) {
      const file = join(folder, `${name}.yaml`)
      await writeFile(file, manifestsOf(objects))
      options.push('--candidate', `${name}=${file}`)
    }
    const baseline = `max-requests-inflight=${FLAGS.maxRequestsInFlight},max-mutating-requests-inflight=${FLAGS.maxMutatingRequestsInFlight}`
    const { output, told, code } = await runCommand('whatif', rows, '--baseline', baseline, ...options, '-o', 'json')
    expect(code, told).toBe(0)
    const predicted = ResultSchema.parse(JSON.parse(output)).candidates
    const off: string[] = []
    for (const [name, objects] of CANDIDATES) {
      const measured = Map.groupBy(await run(objects), ({ level }) => level)
      const { levels = [] } = predicted.find(({ result }) => result.name === name)?.result ?? {}
      for (const { level, rejected, waitMs } of levels) {
        const own = measured.get(level)
        if (own === undefined) continue
        const waits = own
          .flatMap(({ reason, waitMs: ms = 0 }) => (reason === undefined ? [ms] : []))
          .toSorted((a, b) => a - b)
        const cells = [
          ['rejected', Object.values(rejected).reduce((a, b) => a + b, 0), own.length - waits.length, FEW],
          ['wait p90, ms', waitMs.p90 ?? 0, nearestRank(waits, 0.9), SHORT_MS],
          ['wait p99, ms', waitMs.p99 ?? 0, nearestRank(waits, 0.99), SHORT_MS],
        ] as const
        // In a level where about half of the requests wait, the p50 lies on either side of no wait: it is shown only.
        console.log(`${name} | ${level} | wait p50, ms | ${waitMs.p50 ?? 0} | ${nearestRank(waits, 0.5)}`)
        for (const [what, foretold, found, least] of cells) {
          if (Math.max(foretold, found) <= least) continue
          const line = `${name} | ${level} | ${what} | ${foretold.toFixed(0)} | ${found.toFixed(0)}`
          console.log(line)
          if (!isNear(foretold, found, least)) off.push(line)
        }
      }
    }
    expect(off).toEqual([])
  }, 600_000)
})
