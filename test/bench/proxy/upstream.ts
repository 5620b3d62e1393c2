/** The server behind the proxies: 1 KB of JSON for everything. Prints its port. */
import { createServer } from 'node:http'

const BODY = JSON.stringify({ kind: 'Pod', metadata: { name: 'one' }, spec: 'x'.repeat(960) })
const HEAD = {
  'Content-Type': 'application/json',
  'Content-Length': Buffer.byteLength(BODY),
  'Cache-Control': 'no-cache, private',
  'X-Kubernetes-PF-FlowSchema-UID': 'a5a9ee62-6a5d-4b0c-8f8e-6c4b70bb0a5c',
  'X-Kubernetes-PF-PriorityLevel-UID': 'c7b7d3a2-94f5-4a35-9d1b-fb2e6dcd9b5e',
}

const server = createServer((request, response) => {
  request.resume()
  response.writeHead(200, HEAD).end(BODY)
})
server.keepAliveTimeout = 120_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${JSON.stringify(typeof address === 'object' ? address?.port : undefined)}\n`)
})
process.stdin.on('end', () => process.exit()).resume()
