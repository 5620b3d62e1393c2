import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'vite'

export interface HeadlampHost {
  readonly origin: string
  /** Requested paths of the cluster, in order. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

interface HostOptions {
  /** Where the API of the cluster begins. */
  readonly api: string
  /** Headers of each request to it. */
  readonly headers?: Readonly<Record<string, string>>
  readonly ca?: string
  /** Responds in place of the cluster, with a status and a message. */
  readonly refuse?: (path: string) => { readonly status: number; readonly message: string } | undefined
}

const run = promisify(execFile)
const PAGE =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Headlamp</title><link rel="icon" href="data:,"></head><body style="margin:0"><main id="root"></main><script type="module" src="/host.js"></script></body></html>'

/** A page that stands in for Headlamp, with its server: the plugin as it is packaged, and a cluster behind it. */
export async function startHeadlampHost({ api, headers = {}, refuse }: HostOptions): Promise<HeadlampHost> {
  const folder = await mkdtemp(join(tmpdir(), 'apf-headlamp-'))
  await run(process.execPath, ['main/bootstrap/headlamp.mjs', folder])
  const plugin = await readFile(join(folder, 'main.js'))
  await rm(folder, { recursive: true })
  const host = await hostScript()
  const asked: string[] = []
  const answer = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { url = '/' } = incoming
    const [, path] = /^\/clusters\/[^/]+(\/.*)$/.exec(url) ?? []
    if (path !== undefined) {
      asked.push(path)
      const refused = refuse?.(path)
      if (refused === undefined) return pass(new URL(api + path), headers, response)
      response.writeHead(refused.status, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ kind: 'Status', message: refused.message }))
    }
    const [type, body] =
      url === '/host.js' || url === '/plugins/apf-console/main.js'
        ? ['text/javascript', url === '/host.js' ? host : plugin]
        : ['text/html', PAGE]
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` })
    response.end(body)
  }
  const server = createServer(answer).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function pass(url: URL, headers: Readonly<Record<string, string>>, response: ServerResponse): void {
  const outgoing = request(url, { headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.headers)
    answer.pipe(response)
  })
  outgoing.on('error', () => response.writeHead(502).end('{"message":"the cluster does not answer"}'))
  response.on('close', () => outgoing.destroy())
  outgoing.end()
}

async function hostScript(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'chrome140',
      rolldownOptions: { input: join(import.meta.dirname, 'host.tsx'), output: { format: 'es' } },
    },
  })
  const files = [built].flat().flatMap((result) => ('output' in result ? result.output : []))
  return files.flatMap((file) => (file.type === 'chunk' ? [file.code] : [])).join('\n')
}
