import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LiveRequest, LiveState } from '../../core/contract/live.ts'
import type { ObjectsState } from '../../core/contract/objects.ts'
import type { SourceSpec } from '../../core/contract/source.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { memoryClient } from './ports.ts'
import { oneSource, type OneSource } from './oneSource.ts'
import { testWorkspace } from './workspace.ts'

/** A workspace with everything behind it, over the contract, and the events of its streams. */
export interface LiveConsole {
  readonly client: OneSource
  readonly stateDir: string
  /** The last version of every row received. */
  readonly rows: ReadonlyMap<number, LiveRequest>
  /** Events of the stream `live` so far. */
  readonly events: () => number
  readonly state: () => LiveState | undefined
  readonly frame: () => ServerFrame | undefined
  readonly dump: () => DumpFrame | undefined
  readonly objects: () => ObjectsState | undefined
  /** What the source reports about itself. */
  readonly notes: () => readonly string[]
  connect(spec: SourceSpec): Promise<void>
  close(): Promise<void>
}

export async function openLiveConsole(server: string): Promise<LiveConsole> {
  const stateDir = await mkdtemp(join(tmpdir(), 'apf-live-'))
  const workspace = testWorkspace(stateDir)
  const line = memoryClient(workspace.handlers, systemEnvironment)
  const client = oneSource(line)
  const rows = new Map<number, LiveRequest>()
  let events = 0
  let state: LiveState | undefined
  let frame: ServerFrame | undefined
  let dump: DumpFrame | undefined
  let objects: ObjectsState | undefined
  let notes: readonly string[] = []
  client.subscribe('live', null, (event) => {
    events += 1
    for (const row of event.requests) rows.set(row.seq, row)
  })
  client.subscribe('liveState', null, (told) => (state = told))
  client.subscribe('frames', null, (told) => (frame = told.frame.servers[0]))
  client.subscribe('dumps', { server }, (told) => (dump = told))
  client.subscribe('objects', null, (told) => (objects = told))
  client.subscribe('connections', null, (told) => {
    notes = told.flatMap(({ servers }) => servers.flatMap((one) => one.notes ?? []))
  })
  return {
    client,
    stateDir,
    rows,
    events: () => events,
    state: () => state,
    frame: () => frame,
    dump: () => dump,
    objects: () => objects,
    notes: () => notes,
    async connect(spec) {
      await client.call('sources.connect', { spec })
    },
    async close() {
      await client.call('sources.disconnect', null)
      line.close()
      await workspace.close()
      await rm(stateDir, { recursive: true, force: true })
    },
  }
}

export interface SmallServer {
  readonly url: string
  close(): Promise<void>
}

/** An HTTP server whose responses the test defines, on a free port. */
export async function smallServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<SmallServer> {
  const server: Server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
