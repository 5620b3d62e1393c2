/**
 * The server behind the proxies: 1 KB of JSON for everything. Prints its port. A number on its input makes it take up to so
 * many milliseconds for each answer, evenly spread, from then on. Ends with its input.
 */
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'

const BODY = JSON.stringify({ kind: 'Pod', metadata: { name: 'one' }, spec: 'x'.repeat(960) })
const HEAD = {
  'Content-Type': 'application/json',
  'Content-Length': Buffer.byteLength(BODY),
  'Cache-Control': 'no-cache, private',
  'X-Kubernetes-PF-FlowSchema-UID': 'a5a9ee62-6a5d-4b0c-8f8e-6c4b70bb0a5c',
  'X-Kubernetes-PF-PriorityLevel-UID': 'c7b7d3a2-94f5-4a35-9d1b-fb2e6dcd9b5e',
}
let slowestMs = 0

const server = createServer((request, response) => {
  request.resume()
  const answer = (): void => void response.writeHead(200, HEAD).end(BODY)
  if (slowestMs === 0) answer()
  else setTimeout(answer, Math.random() * slowestMs)
})
server.keepAliveTimeout = 120_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${JSON.stringify(typeof address === 'object' ? address?.port : undefined)}\n`)
})
createInterface({ input: process.stdin })
  .on('line', (line) => (slowestMs = Number(line)))
  .on('close', () => process.exit())
