/** A reverse proxy as Node's documentation writes one. `bare.ts PORT`: where the upstream listens. Prints its own port. */
import http from 'node:http'

const upstream = Number(process.argv[2])
const agent = new http.Agent({ keepAlive: true })

const server = http.createServer((request, response) => {
  const { method = 'GET', url = '/', headers } = request
  const outgoing = http.request({ host: '127.0.0.1', port: upstream, agent, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  outgoing.on('error', () => response.destroy())
  request.pipe(outgoing)
})
server.keepAliveTimeout = 120_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${JSON.stringify(typeof address === 'object' ? address?.port : undefined)}\n`)
})
process.stdin.on('end', () => process.exit()).resume()
