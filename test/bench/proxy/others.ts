import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, startServer } from '../../cluster/process.ts'

/** A proxy that a distribution has, with one worker as ours, and its ports. */
export interface OtherProxy {
  readonly version: string
  readonly http1: number
  readonly http2: number
  stop(): Promise<void>
}

interface Place {
  readonly folder: string
  readonly upstream: number
  readonly http1: number
  readonly http2: number
}

interface Kind {
  /** Arguments that make it print its version. */
  readonly version: readonly string[]
  readonly config: (place: Place) => string
  /** Arguments that make it serve in the foreground. */
  readonly serve: (folder: string, file: string) => readonly string[]
}

/** Keep-alive on both sides, HTTP/1.1 to the upstream, no log of requests: as the bare proxy. */
const nginxConfig = ({ folder, upstream, http1, http2 }: Place): string => `
daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  upstream up { server 127.0.0.1:${upstream}; keepalive 256; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${http1};
    listen 127.0.0.1:${http2} ssl http2;
    ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;
    keepalive_requests 1000000000; keepalive_timeout 120s;
    location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`

const haproxyConfig = ({ folder, upstream, http1, http2 }: Place): string => `
global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 120s
  timeout server 120s
  http-reuse always
frontend front
  bind 127.0.0.1:${http1}
  bind 127.0.0.1:${http2} ssl crt ${folder}/both.pem alpn h2
  default_backend back
backend back
  server up 127.0.0.1:${upstream}
`

export const OTHERS: ReadonlyMap<string, Kind> = new Map([
  ['nginx', { version: ['-v'], config: nginxConfig, serve: (folder, file) => ['-p', folder, '-c', file] }],
  ['haproxy', { version: ['-v'], config: haproxyConfig, serve: (_, file) => ['-db', '-f', file] }],
])

/** Debian installs servers in folders that only root has in `PATH`. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/local/sbin', '/usr/sbin']

/** Starts one in front of `upstream`, with the certificate of `folder`; a sentence where that is not possible. */
export async function startOther(
  name: string,
  kind: Kind,
  upstream: number,
  folder: string,
): Promise<OtherProxy | string> {
  const file = FOLDERS.map((each) => path.join(each, name)).find((each) => saysVersion(each, kind) !== undefined)
  if (file === undefined) return `${name} is not installed; with apt-get install ${name} it takes part.`
  const place: Place = { folder, upstream, http1: await freePort(), http2: await freePort() }
  const config = path.join(folder, `${name}.conf`)
  writeFileSync(config, kind.config(place))
  const server = startServer(name, file, kind.serve(folder, config), folder)
  for (let tries = 0; tries < 100; tries++) {
    if ((await accepts(place.http1)) && (await accepts(place.http2))) {
      return {
        version: saysVersion(file, kind) ?? '',
        http1: place.http1,
        http2: place.http2,
        stop: () => server.stop(),
      }
    }
    if ((await server.ended()) !== undefined) break
    await sleep(50)
  }
  await server.stop()
  return `${name} did not begin to serve: ${readFileSync(path.join(folder, `${name}.log`), 'utf8').trim()}`
}

/** `1.22.1`; `undefined` where there is no such program. */
function saysVersion(file: string, { version }: Kind): string | undefined {
  const { status, stdout, stderr } = spawnSync(file, version, { encoding: 'utf8' })
  return status === 0 ? (/\d+\.\d+\.\d+/.exec(stdout + stderr)?.[0] ?? '') : undefined
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (answer: boolean): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
