/**
 * The load of the Live screen on the console, without a page: `watcher.ts ADDRESS` subscribes to the streams `live` and
 * `liveState` as the page does and takes every event at once. Prints `{}` when it is subscribed; each line on its input
 * is answered with the counts so far. Ends with its input.
 */
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'
import { createClient } from '../../../core/contract/client.ts'
import { checked } from '../../../core/contract/shapes.ts'
import { webSocketPorts } from '../../../main/transport/webSocketPort.ts'
import { enter, openSocket } from '../../harness/http.ts'

const [address = ''] = process.argv.slice(2)
const { origin } = new URL(address)
const got = { messages: 0, bytes: 0, events: 0, rows: 0, dropped: 0, missed: 0 }

const { cookie, secret } = await enter(address)
const socket = await openSocket(origin, { origin, cookie }, { secret })
if (!(socket instanceof WebSocket)) throw new Error(`the console refused with ${socket}`)
socket.on('message', (data) => {
  got.messages += 1
  got.bytes += Buffer.isBuffer(data) ? data.length : 0
})
const port = webSocketPorts()(socket)
const client = createClient({
  connect: async () => port,
  after: () => () => undefined,
  random: Math.random,
  reading: checked,
})
let last: number | undefined
const connection = await new Promise<number>((resolve) =>
  client.subscribe('connections', null, ([first]) => first !== undefined && resolve(first.id)),
)
client.subscribe('live', { connection }, ({ from, event, requests, dropped }) => {
  got.events += 1
  got.rows += requests.length
  got.dropped += dropped
  if (last !== undefined) got.missed += from - last
  last = event
})
await new Promise<void>((resolve) => client.subscribe('liveState', { connection }, () => resolve()))

const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`)
print({})
createInterface({ input: process.stdin })
  .on('line', () => print(got))
  .on('close', () => process.exit())
