/**
 * A process of its own: an HTTP server whose every response sends one event and stays open. Prints its port as JSON;
 * each line on its input is answered with the number of connections that it has.
 */
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'

const server = createServer((_request, response) => response.write('{"type":"ADDED"}\n'))
let connections = 0
server.on('connection', (socket) => {
  connections += 1
  socket.once('close', () => (connections -= 1))
})
const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`)
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  const address = server.address()
  print(typeof address === 'object' ? address?.port : undefined)
})
createInterface({ input: process.stdin })
  .on('line', () => print(connections))
  .on('close', () => process.exit())
