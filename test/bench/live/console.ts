/**
 * The console in web mode with its proxy in front of a server: `console.ts UPSTREAM_PORT PAGE`, where the folder of the
 * page is. Prints `{ proxy, address }`; each line on its input is answered with the processor time that it has taken
 * (milliseconds), with the requests that ever came and with an address for a further browser. Ends with its input.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { ProxySpecSchema } from '../../../core/contract/live.ts'
import type { LiveTraffic } from '../../../main/ports/source.ts'
import { startWebServer } from '../../../main/server/webServer.ts'
import { systemEnvironment } from '../../../main/ports/environment.ts'
import { systemAccess } from '../../../main/workspace/access.ts'
import { createWorkspace } from '../../../main/workspace/workspace.ts'
import { allNamed } from '../../harness/consent.ts'

const [upstream = '', root = ''] = process.argv.slice(2)
const stateDir = mkdtempSync(path.join(tmpdir(), 'apf-console-bench-'))
process.on('exit', () => rmSync(stateDir, { recursive: true, force: true }))
let traffic: LiveTraffic | undefined
const workspace = createWorkspace({
  stateDir,
  environment: systemEnvironment,
  access: systemAccess('', stateDir, allNamed),
  version: '0.0.0-bench',
  mode: 'web',
  platform: 'bench',
  warn: (sentence) => void process.stderr.write(`${sentence}\n`),
  onTraffic: (connected) => void (traffic = connected),
})
const server = await startWebServer({ root, handlers: workspace.handlers })
await workspace.handlers.procedures['sources.connect']({
  spec: ProxySpecSchema.parse({
    kind: 'proxy',
    upstream: { kind: 'url', url: `http://127.0.0.1:${upstream}` },
    identity: 'headers',
    objects: 'built-in',
  }),
})
const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`)
const proxy = traffic?.state().address
print({ proxy: proxy === undefined ? undefined : Number(new URL(proxy).port), address: server.newAddress().url })

createInterface({ input: process.stdin })
  .on('line', () => {
    const { user, system } = process.cpuUsage()
    print({ cpuMs: (user + system) / 1_000, requests: traffic?.log.count, address: server.newAddress().url })
  })
  .on('close', () => process.exit())
