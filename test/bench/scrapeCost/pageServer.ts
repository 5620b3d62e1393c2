/**
 * API servers as far as a scrape sees them, in a process of their own: three, with pages that change from scrape to
 * scrape, over HTTP or TLS. Run as `pageServer.ts http|https`; prints `{ ports, ca, changing }` and serves until its input ends.
 *
 * The pages come in the pieces in which Go's server sends what Prometheus' encoder writes: chunks of 2 KiB in TLS records
 * of 4 KiB, that is about 460 records and 1,370 pieces of body for a page. Each piece costs the reader something.
 */
import type { RequestListener } from 'node:http'
import { TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { startHostileServer } from '../../harness/hostileServer.ts'
import { createAuthority } from '../../harness/hostileServerCertificates.ts'
import { createPages } from './page.ts'

const SERVERS = 3
const CHUNK_BYTES = 2_048
const RECORD_BYTES = 4_096

const authority = createAuthority()
const secure = process.argv[2] === 'https'
const options = secure ? { tls: authority.issue({ name: 'api', ips: ['127.0.0.1', '0.0.0.0'] }) } : {}
const pages = createPages({ levels: 30, schemas: 100, bytes: 1_850_000 })

function answer(page: () => string): RequestListener {
  return (request, response) => {
    const compressed = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    const body = compressed ? gzipSync(page()) : Buffer.from(page())
    if (request.socket instanceof TLSSocket) request.socket.setMaxSendFragment(RECORD_BYTES)
    response.writeHead(200, {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
      ...(compressed ? { 'Content-Encoding': 'gzip' } : {}),
    })
    for (let at = 0; at < body.length; at += CHUNK_BYTES) response.write(body.subarray(at, at + CHUNK_BYTES))
    response.end()
  }
}

const servers = await Promise.all(
  Array.from({ length: SERVERS }, () => {
    let step = 0
    return startHostileServer({ ...options, behaviour: answer(() => pages.page(step++)) })
  }),
)
process.stdout.write(
  `${JSON.stringify({ ports: servers.map(({ port }) => port), ca: authority.cert, changing: pages.changing })}\n`,
)
process.stdin.resume().on('end', () => process.exit())
