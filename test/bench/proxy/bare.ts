/**
 * A reverse proxy as Node's documentation writes one. `bare.ts PORT [FOLDER]`: where the upstream listens, and where
 * the certificate is; with it, it serves HTTP/2. Prints its own port.
 */
import http, { type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { Server } from 'node:net'
import { readCertificate } from './certificate.ts'

const upstream = Number(process.argv[2])
const folder = process.argv[3]
const agent = new http.Agent({ keepAlive: true })

function overHttp1(): Server {
  const server = http.createServer((request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const outgoing = http.request(
      { host: '127.0.0.1', port: upstream, agent, method, path: url, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    outgoing.on('error', () => response.destroy())
    request.pipe(outgoing)
  })
  server.keepAliveTimeout = 120_000
  return server
}

function overHttp2(certificate: ReturnType<typeof readCertificate>): Server {
  return createSecureServer(certificate, (request: Http2ServerRequest, response: Http2ServerResponse) => {
    const { method, url } = request
    const headers = withoutPseudo(request.headers)
    const outgoing = http.request(
      { host: '127.0.0.1', port: upstream, agent, method, path: url, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, withoutConnection(answer.headers))
        answer.pipe(response)
      },
    )
    outgoing.on('error', () => response.stream.close())
    request.pipe(outgoing)
  })
}

const withoutPseudo = (headers: IncomingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')))

/** HTTP/2 forbids headers about a connection. */
function withoutConnection({ ...headers }: IncomingHttpHeaders): OutgoingHttpHeaders {
  delete headers.connection
  delete headers['keep-alive']
  return headers
}

const server = folder === undefined ? overHttp1() : overHttp2(readCertificate(folder))
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${JSON.stringify(typeof address === 'object' ? address?.port : undefined)}\n`)
})
process.stdin.on('end', () => process.exit()).resume()
