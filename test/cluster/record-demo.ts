/**
 * Regenerates assets/demo/recording.ndjson.br: `node main/bootstrap/run.mjs node test/cluster/record-demo.ts`, about
 * eleven minutes; it needs what the cluster tests need.
 *
 * Several laps of the same load are driven and the last one is recorded. Smoothed demand covers minutes, so only then
 * do the limits start the recording about as they end it, and it can be played in a loop without a jump.
 */
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { createRecorder } from '../../core/source/recording.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { createScrapeSource } from '../../main/sources/scrape.ts'
import { allNamed } from '../harness/consent.ts'
import { startCluster, type Cluster } from './cluster.ts'
import { runLoad } from './load.ts'
import { DEMO_LAP_SECONDS, demoLoad, seed } from './profiles.ts'

const OUTPUT = join(dirname(fileURLToPath(import.meta.url)), '../../assets/demo/recording.ndjson.br')
const SERVER = 'demo-apiserver'
const LAPS = 3
/** Seconds for which the load continues after the last frame. */
const MARGIN = 5

/** What a source emits about the server in that time, as the lines of a recording. */
async function record({ viewerKubeconfig }: Cluster, seconds: number): Promise<string[]> {
  const cadence = { intervalMs: 1_000, dumpsEveryMs: 5_000 }
  const target = { kind: 'kubeconfig', file: viewerKubeconfig } as const
  const made = await createScrapeSource({ target, cadence }, systemEnvironment, allNamed)
  if (!made.ok) throw new Error(made.problem.message)
  const write = createRecorder()
  const lines: string[] = []
  const end = new AbortController()
  made.source.start(end.signal, (event) => {
    const told = named(event)
    if (told !== undefined) lines.push(write({ at: Date.now(), event: told }))
  })
  await sleep(seconds * 1_000)
  end.abort()
  await made.source.closed
  return lines
}

/** Only what the demo plays, under a descriptive name. */
function named(event: SourceEvent): SourceEvent | undefined {
  if (event.kind === 'frame') return { ...event, frame: { ...event.frame, id: SERVER } }
  if (event.kind === 'dump') return { ...event, dump: { ...event.dump, server: SERVER } }
  return undefined
}

const cluster = await startCluster({ maxInflight: 400, maxMutatingInflight: 200, manifests: ['demo-levels'] })
try {
  await seed(cluster)
  const load = runLoad(cluster, demoLoad(LAPS), LAPS * DEMO_LAP_SECONDS + MARGIN)
  await sleep((LAPS - 1) * DEMO_LAP_SECONDS * 1_000)
  console.error(`recording for ${DEMO_LAP_SECONDS} s`)
  const lines = await record(cluster, DEMO_LAP_SECONDS + 1)
  const text = `${lines.join('\n')}\n`
  const compressed = brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
    },
  })
  await writeFile(OUTPUT, compressed)
  console.error(`${lines.length} events, ${text.length} characters, ${compressed.length} bytes`)
  console.error(await load)
} finally {
  await cluster.stop()
}
