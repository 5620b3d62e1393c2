/** A bare pass-through of HTTP/2: what any proxy in Node costs at least. `node passThrough.ts URL` prints its port. */
import { connect, createServer } from 'node:http2'

const [url = ''] = process.argv.slice(2)
const server = createServer()
server.on('session', (session) => {
  const upstream = connect(url)
  session.on('close', () => upstream.destroy())
  session.on('error', () => undefined)
  session.on('stream', (down, headers) => {
    const up = upstream.request(headers)
    up.on('response', (answer) => down.respond(answer, { waitForTrailers: true }))
    up.on('trailers', (trailers) => down.once('wantTrailers', () => down.sendTrailers(trailers)))
    down.pipe(up)
    up.pipe(down)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address.port}\n`)
})
