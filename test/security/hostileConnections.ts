import { connect as connectSession } from 'node:http2'
import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'
import { connect as connectSocket, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import { putKey } from '../harness/smallEtcd.ts'

export interface Listener {
  readonly name: string
  readonly port: number
  readonly secure: boolean
  /** A path to read, or a call of gRPC; and the status, unless it is 200 or OK. */
  readonly ask: string
  readonly status?: number
}

/** A random number below another one. */
type Random = (below: number) => number

/** Numbers from a seed (mulberry32), so that a failure can be repeated. */
export function randomFrom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const one = <T>(random: Random, of: readonly T[]): T => {
  const chosen = of[random(of.length)]
  if (chosen === undefined) throw new Error('nothing to choose from')
  return chosen
}
const NOISE = Buffer.alloc(65_536)
const fill = randomFrom(0)
for (let index = 0; index < NOISE.length; index++) NOISE[index] = fill(256)
const noise = (random: Random, bytes: number): Buffer => {
  const from = random(NOISE.length - bytes)
  return NOISE.subarray(from, from + bytes)
}

function frame(type: number, flags: number, stream: number, payload: Buffer, length = payload.length): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}
const field = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0x00, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)])
const CALL = Buffer.concat([
  Buffer.from([0x83, 0x86]),
  field(':path', '/etcdserverpb.KV/Put'),
  field(':authority', 'localhost'),
  field('content-type', 'application/grpc'),
])
const GET = Buffer.concat([Buffer.from([0x82, 0x86, 0x84]), field(':authority', 'localhost')])
const PUT = Buffer.from([0, 0, 0, 0, 4, 0x0a, 2, 0x2f, 0x78])

/** Frames of HTTP/2: sensible ones, ones out of place, ones that are none. */
function frames(random: Random): readonly Buffer[] {
  const stream = 1 + 2 * random(4)
  const END = random(2)
  const any = (): Buffer =>
    one(random, [
      () => frame(0, END, stream, one(random, [PUT, PUT.subarray(0, 3), noise(random, random(2_000))])),
      () => frame(0, 8, stream, Buffer.concat([Buffer.from([random(256)]), PUT])),
      () => frame(1, 4 + END, stream, one(random, [CALL, GET, noise(random, random(60))])),
      () => frame(1, END, stream, CALL.subarray(0, random(CALL.length))),
      () => frame(2, 0, stream, Buffer.concat([number(stream), Buffer.from([1])])),
      () => frame(3, 0, stream, number(random(14))),
      () => frame(4, random(2), 0, Buffer.concat([Buffer.from([0, random(7)]), number(random(2 ** 31) * 2)])),
      () => frame(5, 4, stream, noise(random, 20)),
      () => frame(6, random(2), 0, noise(random, 8)),
      () => frame(7, 0, 0, Buffer.concat([number(stream), number(random(14))])),
      () => frame(8, 0, random(2) * stream, number(random(2 ** 31))),
      () => frame(9, random(5), stream, noise(random, random(40))),
      () => frame(random(256), random(256), random(2 ** 31), noise(random, random(30))),
      () => frame(random(10), random(256), stream, noise(random, random(30)), random(2 ** 24)),
    ])()
  const opened = [
    frame(4, 0, 0, Buffer.alloc(0)),
    frame(1, 4 + END, 1, one(random, [CALL, GET])),
    frame(0, END, 1, PUT),
  ]
  return [PREFACE, ...opened.slice(0, random(4)), ...Array.from({ length: random(12) }, any)]
}

/** Requests of HTTP/1.1, most of them wrong. */
function lines(random: Random): readonly Buffer[] {
  const head = one(random, [
    'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'POST /audit HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab',
    'POST /audit HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\nContent-Length: 11\r\n\r\nabc',
    'GET /rpc HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n\x81\xff',
    'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'y'.repeat(random(20) === 0 ? 150_000 : 20_000)}\r\n\r\n`,
    `GET /${'%'.repeat(random(2_000))} HTTP/1.1\r\nHost: \r\n\r\n`,
    'CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
  ])
  const text = Buffer.from(head.repeat(1 + random(3)), 'latin1')
  return [text.subarray(0, random(3) === 0 ? random(text.length) : text.length)]
}

/** Pieces to send; each is a write of its own. */
function sayings(random: Random): readonly Buffer[] {
  const said = one(random, [frames, frames, frames, lines, lines, () => [noise(random, random(3_000))], () => []])(
    random,
  )
  if (random(4) > 0 || said.length === 0) return said
  // Damaged, and cut somewhere else.
  const all = Buffer.concat(said)
  for (let flips = random(5); flips > 0 && all.length > 0; flips--) all[random(all.length)] = random(256)
  const cut = random(all.length + 1)
  return [all.subarray(0, cut), all.subarray(cut)]
}

/** Who ended a connection first; neither did if it was kept. */
type Outcome = 'client' | 'listener' | 'kept'

/** One connection from its beginning to its end. Never rejects. */
function attack({ port, secure }: Listener, random: Random, keep: (socket: Socket) => void): Promise<Outcome> {
  return new Promise((resolve) => {
    // Some clients do not speak TLS although the listener does.
    const tls = secure && random(4) > 0
    let outcome: Outcome = 'listener'
    const leave = (end: () => void, later = 0): void => {
      const left = (): void => {
        if (!tcp.destroyed) outcome = 'client'
        end()
      }
      if (later > 0) setTimeout(left, later)
      else left()
    }
    const destroy = (): unknown => socket.destroy()
    const begun = (): void => {
      for (const piece of sayings(random)) socket.write(piece)
      const end = one(random, ['reset', 'end', 'destroy', 'destroy later', 'keep'] as const)
      if (end === 'reset') leave(() => tcp.resetAndDestroy())
      else if (end === 'destroy') leave(destroy)
      else if (end === 'end') leave(() => socket.end(() => setTimeout(destroy, random(20))))
      else if (end === 'destroy later') leave(destroy, 1 + random(20))
      else {
        keep(socket)
        resolve('kept')
      }
    }
    const tcp = connectSocket({ port, host: '127.0.0.1', allowHalfOpen: random(2) === 0 })
    tcp.on('error', () => undefined)
    const ALPNProtocols = one(random, [['h2'], ['http/1.1'], ['h2', 'http/1.1'], []])
    const socket = tls ? connectTls({ socket: tcp, rejectUnauthorized: false, ALPNProtocols }) : tcp
    socket.once(tls ? 'secureConnect' : 'connect', begun)
    // Some are over in the middle of the handshake.
    if (tls && random(8) === 0) leave(destroy, 1 + random(5))
    if (random(3) > 0) socket.resume()
    socket.on('error', () => undefined)
    tcp.once('close', () => {
      socket.destroy()
      resolve(outcome)
    })
  })
}

/** Connections that are kept, silent or half open, while others come. */
const MOST_KEPT = 200
const AT_ONCE = 256

/**
 * So many hostile connections, in an order that the seed decides up to the timing of the other side. Resolves to how
 * many ended in which way.
 */
export async function attackMany(
  listener: Listener,
  connections: number,
  seed: number,
): Promise<Readonly<Record<Outcome, number>>> {
  const kept: Socket[] = []
  const keep = (socket: Socket): void => {
    kept.push(socket)
    if (kept.length > MOST_KEPT) kept.shift()?.destroy()
  }
  const outcomes = { client: 0, listener: 0, kept: 0 }
  let begun = 0
  const attacker = async (): Promise<void> => {
    while (begun < connections) outcomes[await attack(listener, randomFrom(seed + begun++), keep)] += 1
  }
  await Promise.all(Array.from({ length: AT_ONCE }, attacker))
  for (const socket of kept) socket.destroy()
  return outcomes
}

/** A machine that is busy with the attack answers late. */
const PATIENCE_MS = 60_000

/** What an honest client receives: the status of HTTP, or of gRPC; a word when nothing. */
export async function honest({ port, secure, ask }: Listener): Promise<number | string> {
  const url = `${secure ? 'https' : 'http'}://localhost:${port}`
  if (ask === 'put') {
    const session = connectSession(url, { rejectUnauthorized: false })
    session.on('error', () => undefined)
    const status = await Promise.race([putKey(session, '/x'), sleep(PATIENCE_MS, 'no answer')])
    session.destroy()
    return Number.isNaN(Number(status)) ? status : Number(status)
  }
  return new Promise((resolve) => {
    const asked = (secure ? getSecure : getPlain)(
      `${url}${ask}`,
      {
        agent: false,
        rejectUnauthorized: false,
        timeout: PATIENCE_MS,
        headers: { 'X-Remote-User': 'alice', host: `127.0.0.1:${port}` },
      },
      (answer) => resolve(answer.resume().statusCode ?? 'no status'),
    )
    asked.on('timeout', () => asked.destroy())
    asked.on('error', ({ message }) => resolve(message))
  })
}
