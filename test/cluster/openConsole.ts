import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import type { ObjectsState } from '../../core/contract/objects.ts'
import { CadenceSchema } from '../../core/contract/source.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { memoryClient } from '../harness/ports.ts'
import { oneSource, type OneSource } from '../harness/oneSource.ts'
import { testWorkspace } from '../harness/workspace.ts'

/** The console's own side without a user interface: a test makes the calls of the screens. */
export interface OpenConsole {
  readonly call: OneSource['call']
  readonly states: readonly ObjectsState[]
  /** Connects through a kubeconfig and waits until the objects are loaded. */
  connect(kubeconfig: string, context?: string): Promise<ObjectsState>
  /** The first state, from the present one on, that meets the condition. */
  until(what: (state: ObjectsState) => boolean, timeoutMs?: number): Promise<ObjectsState>
  close(): Promise<void>
}

const NO_STATE: ObjectsState = {
  connection: 0,
  origin: 'none',
  target: '',
  targetKey: '',
  state: 'loading',
  objects: { levels: [], schemas: [] },
  editing: { state: 'off' },
}

/** `stateDir` of an earlier console starts it again; otherwise it has a folder of its own, which goes with it. */
export async function openConsole(stateDir?: string): Promise<OpenConsole> {
  const folder = stateDir ?? (await mkdtemp(join(tmpdir(), 'apf-console-')))
  const workspace = testWorkspace(folder)
  const states: ObjectsState[] = []
  const line = memoryClient(workspace.handlers, systemEnvironment)
  const client = oneSource(line)
  client.subscribe('objects', null, (state) => states.push(state))
  const until = async (what: (state: ObjectsState) => boolean, timeout = 20_000): Promise<ObjectsState> => {
    await vi.waitUntil(() => what(states.at(-1) ?? NO_STATE), { timeout, interval: 20 })
    const found = states.at(-1)
    if (found === undefined) throw new Error('no state')
    return found
  }
  return {
    call: (name, input) => client.call(name, input),
    states,
    async connect(file, context) {
      const target = { kind: 'kubeconfig' as const, file, ...(context !== undefined && { context }) }
      await client.call('sources.connect', { spec: { kind: 'scrape', target, cadence: CadenceSchema.parse({}) } })
      return until(({ state, version }) => state === 'current' && version !== undefined)
    },
    until,
    async close() {
      line.close()
      await workspace.close()
      if (stateDir === undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}
