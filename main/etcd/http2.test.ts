import { EventEmitter } from 'node:events'
import type { ClientHttp2Session, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { Call, type Host } from './call.ts'
import { CallerSession, CallerStream, NO_ERROR, TOO_MUCH, UpstreamSession } from './http2.ts'

// Node's sessions and streams, as far as the proxy uses them: they throw where Node throws, and count what Node would
// do in silence and a caller should not ask for. Their events are emitted in any order.

class FakeNode extends EventEmitter {
  destroyed = false
  closed = false
  rstCode = 0
  ended = false
  readableEnded = false
  writableLength = 0
  /** What Node would have done wrong without a word. */
  readonly faults: string[] = []

  get writable(): boolean {
    return !this.ended && !this.closed && !this.destroyed
  }

  write(_chunk: Uint8Array): boolean {
    if (!this.writable) this.faults.push('written after the end')
    return this.listenerCount('drain') === 0
  }

  end(): void {
    this.ended = true
  }

  pause(): void {}
  resume(): void {}

  close(code: number): void {
    if (this.closed) return
    this.closed = true
    this.rstCode = code
  }

  destroy(): void {
    this.destroyed = true
  }

  protected standing(): void {
    if (this.destroyed || this.closed) throw new Error('ERR_HTTP2_INVALID_STREAM')
  }
}

class FakeServerStream extends FakeNode {
  headersSent = false
  wants = false
  trailed = false

  waits = false

  respond(_head: unknown, { endStream = false, waitForTrailers = false }: Readonly<Record<string, boolean>>): void {
    this.standing()
    if (this.headersSent) throw new Error('ERR_HTTP2_HEADERS_SENT')
    this.headersSent = true
    this.waits = waitForTrailers
    if (endStream) this.ended = true
  }

  override write(chunk: Uint8Array): boolean {
    // Node sends a head of its own, and refuses the real one.
    if (!this.headersSent) this.faults.push('written before the head')
    return super.write(chunk)
  }

  override end(): void {
    if (!this.headersSent) this.faults.push('ended before the head')
    super.end()
  }

  override close(code: number): void {
    // A client learns from a status why its call failed, and whether to repeat it.
    if (!this.closed && code !== NO_ERROR && code !== TOO_MUCH) this.faults.push(`reset with ${code}`)
    super.close(code)
  }

  sendTrailers(): void {
    this.standing()
    if (!this.wants) throw new Error('ERR_HTTP2_TRAILERS_NOT_READY')
    if (this.trailed) throw new Error('ERR_HTTP2_TRAILERS_ALREADY_SENT')
    this.trailed = true
  }
}

class FakeSession extends FakeNode {
  readonly streams: FakeNode[] = []
  refuses = false

  setLocalWindowSize(): void {
    this.standing()
  }

  ping(): void {
    this.standing()
  }

  goaway(): void {
    this.standing()
  }

  request(): FakeNode {
    if (this.refuses) throw new Error('ERR_HTTP2_INVALID_CONNECTION_HEADERS')
    const stream = new FakeNode()
    this.streams.push(stream)
    return stream
  }
}

const as = {
  caller: (fake: FakeServerStream) => fake as unknown as ServerHttp2Stream,
  client: (fake: FakeSession) => fake as unknown as ClientHttp2Session,
  server: (fake: FakeSession) => fake as unknown as ServerHttp2Session,
}

const TO = { url: new URL('http://127.0.0.1:2379'), windowBytes: 1 }
const SOCKET = new Socket()

class Account implements Host {
  inside = 0
  held = 0
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  enter(): boolean {
    this.inside += 1
    return true
  }
  leave(): void {
    this.inside -= 1
  }
  hold(bytes: number): boolean {
    if (this.held + bytes > this.#most) return false
    this.held += bytes
    return true
  }
  release(bytes: number): void {
    this.held -= bytes
  }
}

/** One call between two fakes. */
class World {
  readonly down = new FakeServerStream()
  readonly session = new FakeSession()
  readonly account: Account
  readonly ends: string[] = []
  readonly call: Call
  #connect: (() => void) | undefined

  /** `most`: bytes that the client may have in memory. */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.account = new Account(most)
    const upstream = new UpstreamSession(as.client(this.session), SOCKET, TO, {
      ready: () => undefined,
      leaving: () => undefined,
      closed: () => undefined,
    })
    this.call = new Call(new CallerStream(as.caller(this.down)), [':path', '/etcdserverpb.KV/Put'], {
      connect: (use) => {
        this.#connect = () => use(upstream)
      },
      host: this.account,
    })
    this.call.observer = { ended: (status) => this.ends.push(status) }
    this.call.forward({ first: [Buffer.from('a')] })
  }

  get up(): FakeNode | undefined {
    return this.session.streams[0]
  }

  readonly events = {
    connect: () => {
      this.#connect?.()
      this.#connect = undefined
    },
    response: () => this.up?.emit('response', { ':status': 200 }, 0, [':status', '200']),
    last: () => this.up?.emit('response', { 'grpc-status': '5' }, 1, [':status', '200', 'grpc-status', '5']),
    data: () => this.up?.emit('data', Buffer.from('b')),
    trailers: () => this.up?.emit('trailers', { 'grpc-status': '0' }),
    end: () => this.up?.emit('end'),
    upDrain: () => this.up?.emit('drain'),
    upError: () => this.up?.emit('error', new Error('broken')),
    upReset: () => {
      if (this.up !== undefined) Object.assign(this.up, { closed: true, rstCode: 2 })
    },
    upClose: () => {
      if (this.up === undefined) return
      this.up.closed = true
      this.up.emit('close')
    },
    lost: () => this.session.destroy(),
    sessionError: () => this.session.emit('error', new Error('broken')),
    sessionClose: () => this.session.emit('close'),
    refuse: () => {
      this.session.refuses = true
    },
    received: () => this.down.emit('data', Buffer.from('c')),
    receivedAll: () => {
      this.down.readableEnded = true
      this.down.emit('end')
    },
    downDrain: () => this.down.emit('drain'),
    wantTrailers: () => {
      // Node asks once.
      if (!this.down.waits || this.down.wants) return
      this.down.wants = true
      this.down.emit('wantTrailers')
    },
    downError: () => this.down.emit('error', new Error('broken')),
    downReset: () => {
      this.down.closed = true
    },
    downClose: () => {
      this.down.closed = true
      this.down.emit('close')
    },
  }

  /** What follows in the end, whatever came before: how the call came out. */
  finish() {
    this.events.connect()
    this.events.upClose()
    this.events.wantTrailers()
    const { down } = this
    const complete = down.closed || (down.headersSent && down.ended)
    const trailed = down.closed || !down.wants || down.trailed || this.ends.length > 0
    this.events.downClose()
    // Nothing is heard after the close.
    for (const event of [this.events.response, this.events.data, this.events.end, this.events.upClose]) event()
    this.events.downClose()
    this.events.sessionClose()
    const { inside, held } = this.account
    const faults = [...down.faults, ...(this.up?.faults ?? [])]
    return { complete, trailed, ends: this.ends.length, inside, held, faults }
  }
}

/** The client has the whole of a response, or a reset; the call ended once, and nothing is left of it. */
const WELL = { complete: true, trailed: true, ends: 1, inside: 0, held: 0, faults: [] }

type EventName = keyof World['events']
const NAMES = Object.keys(new World().events).filter((name): name is EventName => name !== '')

function permutations<T>(list: readonly T[]): T[][] {
  if (list.length === 0) return [[]]
  return list.flatMap((one, index) => permutations(list.toSpliced(index, 1)).map((rest) => [one, ...rest]))
}

describe('a call between two streams of Node', () => {
  test('every order of the events of a response', () => {
    const order = ['response', 'data', 'trailers', 'end', 'upClose', 'lost'] as const
    for (const events of permutations(order)) {
      const world = new World()
      world.events.connect()
      for (const event of events) world.events[event]()
      expect(world.finish()).toEqual(WELL)
    }
  })

  test('any events of either side, in any order, any number of times', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...NAMES), { maxLength: 24 }),
        fc.integer({ max: 2_000_000 }),
        (events, most) => {
          const world = new World(most)
          for (const event of events) world.events[event]()
          expect(world.finish()).toEqual(WELL)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('a drain after the close of the caller gives nothing back twice', () => {
    const world = new World(262_201)
    for (const event of ['connect', 'received', 'downClose', 'upDrain'] as const) world.events[event]()
    expect(world.finish()).toEqual(WELL)
  })

  test.each([
    ['before the head', []],
    ['after the head', ['response', 'data']],
  ] as const)('a reset by etcd %s becomes a status', (_, events) => {
    const world = new World()
    world.events.connect()
    for (const event of events) world.events[event]()
    world.events.upReset()
    world.events.upClose()
    world.events.wantTrailers()
    expect(world.down).toMatchObject({ headersSent: true, ended: true, closed: false, faults: [] })
    expect(world.down.trailed).toBe(events.length > 0)
    expect(world.ends).toEqual(['14'])
    expect(world.finish()).toEqual(WELL)
  })

  test('data before its head is passed on behind it', () => {
    const world = new World()
    world.events.connect()
    world.events.data()
    world.events.trailers()
    world.events.end()
    expect(world.down.headersSent).toBe(false)
    world.events.response()
    world.events.wantTrailers()
    expect(world.down).toMatchObject({ headersSent: true, ended: true, trailed: true, faults: [] })
    expect(world.ends).toEqual(['0'])
    expect(world.finish()).toEqual(WELL)
  })
})

/** A session that Node keeps for good after its end keeps nothing else; a late error does not end the process. */
const NOTHING_HEARD = ['error']

describe('sessions of Node', () => {
  const steps = ['connect', 'remoteSettings', 'goaway', 'error', 'close', 'destroy'] as const

  test('every order of the events of a connection to etcd: it ends once, and is ready only while it stands', () => {
    for (const order of permutations(steps)) {
      const node = new FakeSession()
      let [ready, closed] = [0, 0]
      const session = new UpstreamSession(as.client(node), SOCKET, TO, {
        ready: () => {
          expect(node.destroyed).toBe(false)
          ready += 1
        },
        leaving: () => undefined,
        closed: () => (closed += 1),
      })
      for (const step of order) {
        if (step === 'destroy') node.destroy()
        else node.emit(step, step === 'error' ? new Error('broken') : 0)
        const up = session.request([], new World().call)
        if (node.destroyed || node.closed) expect(up).toBeUndefined()
      }
      session.destroy()
      node.emit('close')
      expect(closed).toBe(1)
      expect(node.eventNames()).toEqual(NOTHING_HEARD)
      expect(ready).toBeLessThanOrEqual(1)
    }
  })

  test('a connection that goes away has five minutes for its calls', () => {
    vi.useFakeTimers()
    const [upstream, caller] = [new FakeSession(), new FakeSession()]
    const nothing = (): void => undefined
    const sessions = [
      new UpstreamSession(as.client(upstream), SOCKET, TO, {
        ready: nothing,
        leaving: nothing,
        closed: nothing,
      }),
      new CallerSession(as.server(caller), SOCKET, {
        opened: nothing,
        call: nothing,
        pinged: nothing,
        closed: nothing,
      }),
    ]
    for (const node of [upstream, caller]) {
      node.emit('remoteSettings')
      node.emit('goaway', 0)
      node.closed = true
    }
    vi.advanceTimersByTime(299_000)
    expect([upstream.destroyed, caller.destroyed]).toEqual([false, false])
    vi.advanceTimersByTime(2_000)
    expect([upstream.destroyed, caller.destroyed]).toEqual([true, true])
    for (const node of [upstream, caller]) node.emit('close')
    // What was to be sent has a second.
    vi.advanceTimersByTime(1_000)
    expect(vi.getTimerCount()).toBe(0)
    expect(sessions).toHaveLength(2)
    vi.useRealTimers()
  })

  test('every order of the events of a connection of a client: it ends once', () => {
    for (const order of permutations(['remoteSettings', 'stream', 'ping', 'error', 'close', 'destroy'])) {
      const node = new FakeSession()
      let closed = 0
      const session = new CallerSession(as.server(node), SOCKET, {
        opened: () => undefined,
        call: () => undefined,
        pinged: () => undefined,
        closed: () => (closed += 1),
      })
      for (const step of order) {
        if (step === 'destroy') node.destroy()
        else if (step === 'stream') node.emit('stream', new FakeServerStream(), {}, 0, [])
        else node.emit(step, step === 'error' ? new Error('broken') : 0)
      }
      session.refuse()
      node.emit('close')
      expect(closed).toBe(1)
      expect(node.eventNames()).toEqual(NOTHING_HEARD)
    }
  })
})
