import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../../core/config/jsonValues.ts'
import type { AppliedChange } from '../../core/contract/objects.ts'
import type { Cluster } from './cluster.ts'
import { flowControl, LEVEL } from './flowControl.ts'
import { ADMIN } from './identities.ts'
import { MARK } from './journalMark.ts'
import { openConsole, type OpenConsole } from './openConsole.ts'
import { noCluster, useCluster } from './suite.ts'

const KILLS = 200
/** About as long as one change takes from its first request to its last. */
const CHANGE_MS = 60
const LEVELS = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations'

const EventSchema = z.object({
  type: z.string(),
  object: z.looseObject({
    metadata: z.looseObject({ name: z.string().default(''), resourceVersion: z.string() }),
  }),
})

/** What happened to levels on the server, by a watch of the test: `set MARK`, `gone MARK`, each once. */
async function follow(cluster: Cluster, ended: AbortSignal): Promise<ReadonlySet<string>> {
  const seen = new Set<string>()
  const { metadata } = z
    .object({ metadata: z.object({ resourceVersion: z.string() }) })
    .parse(JSON.parse((await cluster.call(LEVELS, ADMIN)).body))
  let version = metadata.resourceVersion
  let last = false
  while (!last) {
    // One more read after the end, for the last changes.
    last = ended.aborted
    const { body } = await cluster.call(`${LEVELS}?watch=1&timeoutSeconds=2&resourceVersion=${version}`, ADMIN)
    for (const line of body.split('\n').filter((text) => text !== '')) {
      const { type, object } = EventSchema.parse(JSON.parse(line))
      if (type === 'ERROR') throw new Error(line)
      version = object.metadata.resourceVersion
      const mark = markOf(object)
      if (mark !== undefined) seen.add(`${type === 'DELETED' ? 'gone' : 'set'} ${mark}`)
    }
  }
  return seen
}

function markOf(object: JsonObject | null): string | undefined {
  const metadata = object?.['metadata']
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined
  const mark = isJsonObject(annotations) ? annotations[MARK] : undefined
  return typeof mark === 'string' ? mark : undefined
}

const told = ({ from, to }: AppliedChange): string => (to === null ? `gone ${markOf(from)}` : `set ${markOf(to)}`)

describe.skipIf(noCluster)('consoles that are killed while they apply', () => {
  const cluster = useCluster()
  const { read } = flowControl(cluster)
  let folder = ''
  let apf: OpenConsole | undefined
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'apf-kills-'))
  })
  afterEach(async () => {
    await apf?.close()
    await rm(folder, { recursive: true, force: true })
  })

  it(
    `two at once, ${KILLS} times: every change on the server has its entry, and each can be undone`,
    { timeout: 1_800_000 },
    async () => {
      const ended = new AbortController()
      const following = follow(cluster(), ended.signal)
      const state = join(folder, 'state')
      let kills = 0
      const killAgain = async (slot: string): Promise<void> => {
        while (kills < KILLS) {
          kills++
          const child = fork(new URL('journalKillsChild.ts', import.meta.url), [state, cluster().kubeconfig, slot], {
            stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
          })
          const exited = new Promise<NodeJS.Signals | null>((resolve) =>
            child.once('exit', (_code, signal) => resolve(signal)),
          )
          let left = 1 + Math.floor(Math.random() * 4)
          await new Promise<void>((resolve, reject) => {
            child.on('message', () => --left === 0 && resolve())
            child.once('exit', () => reject(new Error('The console ended by itself.')))
          })
          await pause(Math.random() * CHANGE_MS)
          child.kill('SIGKILL')
          expect(await exited).toBe('SIGKILL')
        }
      }
      await Promise.all([killAgain('a'), killAgain('b')])
      ended.abort()
      const happened = await following

      const survivor = await openConsole(state)
      apf = survivor
      await survivor.connect(cluster().kubeconfig)
      const changes = async () => (await survivor.call('journal.read', null)).flatMap((entry) => entry.changes)
      await vi.waitFor(async () => expect((await changes()).filter(({ sending }) => sending)).toEqual([]), 30_000)
      const journal = await changes()
      const applied = new Set(journal.filter(({ state: is }) => is === 'applied').map(told))
      console.info(
        `${kills} kills, ${happened.size} changes on the server, ${journal.length} in the journal: ` +
          [...Map.groupBy(journal, (change) => change.state)].map(([is, all]) => `${is} ${all.length}`).join(', '),
      )
      expect([...happened].filter((one) => !applied.has(one))).toEqual([])
      expect([...applied].filter((one) => !happened.has(one))).toEqual([])
      expect(journal.filter(({ state: is }) => is === 'unknown')).toEqual([])
      expect(happened.size).toBeGreaterThan(KILLS / 2)

      await survivor.call('editing.switch', { on: true })
      for (const { id, changes: all } of await survivor.call('journal.read', null)) {
        if (all[0]?.state !== 'applied') continue
        const { verdicts, entry } = await survivor.call('journal.undo', { id, force: true })
        expect(verdicts).toMatchObject([{ outcome: 'accepted' }])
        expect(entry?.changes).toMatchObject([{ state: 'undone' }])
      }
      for (const name of new Set(journal.map((change) => change.name))) expect(await read(LEVEL, name)).toBeUndefined()
    },
  )
})
