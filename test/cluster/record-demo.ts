/**
 * Makes assets/demo/recording.ndjson.br anew: `node main/bootstrap/run.mjs node test/cluster/record-demo.ts`, about
 * eleven minutes; it needs what the cluster tests need.
 *
 * Several laps of the same load are driven and the last one is recorded. Smoothed demand remembers minutes, so only then
 * do the limits start the recording about as they end it, and it can be played in a loop without a jump.
 */
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { NEEDED_FAMILIES } from '../../core/metrics/catalogue.ts'
import { changesBetween } from '../../main/sources/demo/pageChanges.ts'
import type { Line } from '../../main/sources/demo/recording.ts'
import { startCluster, type Cluster } from './cluster.ts'
import { VIEWER } from './identities.ts'
import { runLoad } from './load.ts'
import { DEMO_LAP_SECONDS, demoLoad, seed } from './profiles.ts'

const OUTPUT = join(dirname(fileURLToPath(import.meta.url)), '../../assets/demo/recording.ndjson.br')
const METRICS = '/metrics'
const INTERVAL_MS = 1_000
const DUMP_EVERY = 5
const LAPS = 3
const DUMPS = ['dump_priority_levels', 'dump_queues', 'dump_requests?includeRequestDetails=1']
/** Families that the console reads, without their help texts. */
const kept = (line: string): boolean => {
  const name = /^(?:# TYPE )?([a-zA-Z_:][\w:]*)/.exec(line)?.[1] ?? ''
  return NEEDED_FAMILIES.has(name) || NEEDED_FAMILIES.has(name.replace(/_(?:bucket|sum|count)$/, ''))
}

async function read(cluster: Cluster, path: string): Promise<Line & { readonly body: string }> {
  const t = Date.now()
  const { status, body } = await cluster.call(path, VIEWER)
  if (status !== 200) throw new Error(`${path}: ${status} ${body}`)
  const line = { t, path, ms: Date.now() - t, bytes: Buffer.byteLength(body) }
  return { ...line, body: path === METRICS ? body.split('\n').filter(kept).join('\n') + '\n' : body }
}

async function record(cluster: Cluster, seconds: number): Promise<Line[]> {
  const lines: Line[] = []
  let before: string | undefined
  const start = Date.now()
  // One page more than seconds: the first is the base that the counters of a lap are measured from.
  for (let index = 0; index <= seconds; index++) {
    await sleep(Math.max(0, start + index * INTERVAL_MS - Date.now()))
    const { body, ...page } = await read(cluster, METRICS)
    const changes = before === undefined ? undefined : changesBetween(before, body)
    lines.push(changes === undefined ? { ...page, body } : { ...page, changes })
    before = body
    if (index % DUMP_EVERY !== 0) continue
    for (const dump of DUMPS) lines.push(await read(cluster, `/debug/api_priority_and_fairness/${dump}`))
  }
  return lines
}

const cluster = await startCluster({ maxInflight: 400, maxMutatingInflight: 200, manifests: ['demo-levels'] })
try {
  await seed(cluster)
  const load = runLoad(cluster, demoLoad(LAPS), LAPS * DEMO_LAP_SECONDS + 5)
  await sleep((LAPS - 1) * DEMO_LAP_SECONDS * 1_000)
  console.error(`recording for ${DEMO_LAP_SECONDS} s`)
  const lines = await record(cluster, DEMO_LAP_SECONDS)
  const text = lines.map((line) => JSON.stringify(line)).join('\n') + '\n'
  const compressed = brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
    },
  })
  await writeFile(OUTPUT, compressed)
  console.error(`${lines.length} bodies, ${text.length} characters, ${compressed.length} bytes`)
  console.error(await load)
} finally {
  await cluster.stop()
}
