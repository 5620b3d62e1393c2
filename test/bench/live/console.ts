/**
 * The console in web mode with its proxy in front of a server: `console.ts UPSTREAM_PORT PAGE`, where the folder of the
 * page is. Prints `{ proxy, address }`; each line on its input is answered with the processor time that it has taken
 * (milliseconds), with the requests so far and with an address for a further browser. Ends with its input.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type LiveState, ProxySpecSchema } from '../../../core/contract/live.ts'
import { startWebServer } from '../../../main/server/webServer.ts'
import { systemEnvironment } from '../../../main/ports/environment.ts'
import { systemAccess } from '../../../main/workspace/access.ts'
import { openInThread } from '../../../main/threads/sourceThread.ts'
import { createWorkspace } from '../../../main/workspace/workspace.ts'
import { allNamed } from '../../harness/consent.ts'

const [upstream = '', root = ''] = process.argv.slice(2)
const stateDir = mkdtempSync(path.join(tmpdir(), 'apf-console-bench-'))
process.on('exit', () => rmSync(stateDir, { recursive: true, force: true }))
const workspace = createWorkspace({
  stateDir,
  environment: systemEnvironment,
  access: systemAccess('', stateDir, allNamed),
  version: '0.0.0-bench',
  mode: 'web',
  platform: 'bench',
  warn: (sentence) => void process.stderr.write(`${sentence}\n`),
  open: openInThread({
    file: path.join(import.meta.dirname, '..', '..', '..', 'main', 'threads', 'thread.ts'),
    stateDir,
    recording: '',
    words: [],
    consent: allNamed,
  }),
})
const { handlers, lineTo } = workspace
const server = await startWebServer({ root, handlers, lineTo })
const { id: connection } = await handlers.procedures['sources.connect']({
  spec: ProxySpecSchema.parse({
    kind: 'proxy',
    upstream: { kind: 'url', url: `http://127.0.0.1:${upstream}` },
    mode: 'enforce',
    identity: 'headers',
    objects: 'built-in',
  }),
})
const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`)
/** The newest state of the proxy. */
const state = (): Promise<LiveState> =>
  new Promise((resolve) => {
    const heard = new AbortController()
    handlers.streams.liveState({ connection }, (told) => (heard.abort(), resolve(told)), heard.signal)
  })
const proxy = (await state()).address
print({ proxy: proxy === undefined ? undefined : Number(new URL(proxy).port), address: server.newAddress().url })

createInterface({ input: process.stdin })
  .on('line', () => {
    const { user, system } = process.cpuUsage()
    void state().then(({ arrived }) =>
      print({ cpuMs: (user + system) / 1_000, requests: arrived, address: server.newAddress().url }),
    )
  })
  .on('close', () => process.exit())
