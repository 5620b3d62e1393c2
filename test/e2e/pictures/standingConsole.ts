import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { EtcdSpecSchema } from '../../../core/contract/etcd.ts'
import type { SourceSpec } from '../../../core/contract/source.ts'
import { systemEnvironment, type Environment } from '../../../main/ports/environment.ts'
import { startWebServer } from '../../../main/server/webServer.ts'
import { createSimulationSource } from '../../../main/sources/simulation.ts'
import { whatIfInThread } from '../../../main/threads/whatIf.ts'
import { systemAccess } from '../../../main/workspace/access.ts'
import { SIMULATION } from '../../fixtures/sources.ts'
import { syntheticStory } from '../../fixtures/synthetic.ts'
import { allNamed } from '../../harness/consent.ts'
import { recordStory } from '../../harness/recordStory.ts'
import { standingClock } from '../../harness/standingClock.ts'
import { testWorkspace } from '../../harness/workspace.ts'

const ROOT = path.join(import.meta.dirname, '../../..')

/** The instant that every picture shows, Unix milliseconds. */
export const NOW = Date.UTC(2026, 10, 20, 3, 10)
/** For so long sources have run by then: a lap of the demo, which stands where it begins, when levels reject. */
const LIVED_MS = 210_000
/** A session gathers what it sends for at most this long. */
const GATHERED_MS = 100

const ETCD: SourceSpec = EtcdSpecSchema.parse({ kind: 'etcd', of: { kind: 'story' } })

/** A console in this process. Its address opens it once. */
export interface StandingConsole {
  readonly address: string
  close(): Promise<void>
}

/**
 * The built page on the recorded demo, on a recording, a seeded simulation and a seeded etcd. Their clock has been run
 * up to one instant and stands, so nothing that a page shows changes, however long it waits.
 */
export async function startStandingConsole(): Promise<StandingConsole> {
  const stateDir = mkdtempSync(path.join(tmpdir(), 'apf-pictures-'))
  const recording = await recordProd(stateDir)
  const startAt = NOW - LIVED_MS
  const sources = standingClock(startAt)
  const sessions = standingClock(startAt)
  let stands = false
  const environment: Environment = {
    ...sources.environment,
    // Pages get in real time what they request. Nothing else happens any more.
    after: (ms, call) => (stands && ms <= GATHERED_MS ? systemEnvironment : sessions.environment).after(ms, call),
  }
  const access = systemAccess(path.join(ROOT, 'assets/demo/recording.ndjson.br'), stateDir, allNamed)
  const workspace = testWorkspace(stateDir, {
    environment,
    whatIf: {
      ...whatIfInThread({
        file: path.join(ROOT, 'main/threads/whatIfThread.ts'),
        scenarioFolder: path.join(ROOT, 'assets/scenarios'),
      }),
      // Takes more processor time than all pictures; its pane shows how it begins.
      forecast: () => undefined,
    },
    access: {
      ...access,
      async makeSource(spec) {
        if (spec.kind !== 'simulation') return access.makeSource(spec, sources.environment)
        const simulation = createSimulationSource(spec, sources.environment, {
          stopwatch: sources.environment.now,
        })
        return { ok: true, source: simulation, simulation }
      },
      // Of this machine.
      listContexts: async () => [],
    },
  })
  const { procedures } = workspace.handlers
  const connect = (spec: SourceSpec) => procedures['sources.connect']({ spec })
  await connect(ETCD)
  const simulated = await connect(SIMULATION)
  await procedures['editing.switch']({ connection: simulated.id, on: true })
  await connect({ kind: 'recording', ids: [recording] })
  await connect({ kind: 'demo' })
  for (let lived = 0; lived < LIVED_MS; lived += GATHERED_MS) {
    sources.advance(GATHERED_MS)
    sessions.advance(GATHERED_MS)
  }
  sessions.advance(GATHERED_MS)
  stands = true
  const server = await startWebServer({ root: path.join(ROOT, 'out/renderer'), handlers: workspace.handlers })
  return {
    address: server.newAddress().url,
    async close() {
      await server.close()
      await workspace.close()
      rmSync(stateDir, { recursive: true, force: true })
    },
  }
}

/** Records four minutes of a cluster, in which a scanner floods a level; returns the name of the recording. */
async function recordProd(stateDir: string): Promise<string> {
  const seconds = 240
  const startAt = NOW - 3_600_000
  await recordStory({
    stateDir,
    name: 'prod',
    startAt,
    events: [],
    story: syntheticStory({ seconds, startAt }),
    dumps: true,
  })
  const [id = ''] = readdirSync(path.join(stateDir, 'recordings'))
  return id
}
