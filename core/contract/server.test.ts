import { expect, test } from 'vitest'
import { fakeWorkspace } from '../../test/harness/handlers.ts'
import { handPeer, settle } from '../../test/harness/ports.ts'
import { LIMITS, type Limits } from './protocol.ts'
import { serve } from './server.ts'
import { CadenceSchema, type Connected } from './source.ts'

const FIRST = { connection: 1 } as const
const CONNECTED: Connected = {
  id: 1,
  source: { kind: 'demo', name: 'Demo', via: 'test' },
  spec: { kind: 'demo' },
  cadence: CadenceSchema.parse({}),
  servers: [],
  still: false,
}

const serving = (limits: Partial<Limits> = {}) => {
  const workspace = fakeWorkspace()
  const peer = handPeer()
  serve(peer.port, workspace.handlers, { limits: { ...LIMITS, ...limits } })
  return { workspace, peer }
}
const problem = (id: number, code: string) => ({ id, problem: expect.objectContaining({ code }) })

test('answers a call', async () => {
  const { peer } = serving()
  peer.send({ type: 'call', id: 7, name: 'app.info', input: null })
  await settle()
  expect(peer.received).toEqual([
    { type: 'result', id: 7, output: { version: '0.0.0-test', mode: 'memory', platform: 'test' } },
  ])
})

test.each([
  ['__proto__'],
  ['constructor'],
  ['hasOwnProperty'],
  [''],
  ['app.infos'],
  ['a name that is cut short', 'x'.repeat(10_000)],
])('there is nothing named "%s"', async (shown, name = shown) => {
  const { peer } = serving()
  peer.send({ type: 'call', id: 1, name, input: null })
  peer.send({ type: 'subscribe', id: 1, name, params: null })
  await settle()
  expect(peer.received).toEqual([
    { type: 'problem', ...problem(1, 'unknown-procedure') },
    { type: 'end', ...problem(1, 'unknown-procedure') },
  ])
  expect(JSON.stringify(peer.received).length).toBeLessThan(1_000)
  expect(peer.isClosed()).toBe(false)
})

test('refuses input that the contract does not admit, and says where it is wrong', async () => {
  const { peer, workspace } = serving()
  peer.send({ type: 'call', id: 1, name: 'settings.write', input: { rangeSeconds: 5 } })
  peer.send({ type: 'call', id: 2, name: 'app.info', input: { a: 1 } })
  peer.send({ type: 'call', id: 3, name: 'app.info' })
  await settle()
  expect(peer.received.map(({ id }) => id)).toEqual([1, 2, 3])
  for (const answer of peer.received)
    expect(answer).toMatchObject({ type: 'problem', problem: { code: 'invalid-input' } })
  expect(peer.received[0]).toMatchObject({ problem: { message: expect.stringContaining('rangeSeconds') } })
  expect(workspace.calls).toEqual([])
})

test('strips what the contract does not name from answers, and refuses answers out of contract', async () => {
  const { peer, workspace } = serving()
  const info = { version: '1', mode: 'web' as const, platform: 'test', token: 'secret' }
  workspace.handlers.procedures['app.info'] = async () => info
  peer.send({ type: 'call', id: 1, name: 'app.info', input: null })
  await settle()
  expect(peer.received[0]).toEqual({ type: 'result', id: 1, output: { version: '1', mode: 'web', platform: 'test' } })
  info.version = JSON.parse('5')
  peer.send({ type: 'call', id: 2, name: 'app.info', input: null })
  await settle()
  expect(peer.received[1]).toMatchObject({ type: 'problem', id: 2, problem: { code: 'internal' } })
})

test('a failing handler is a problem, with its code if it has one', async () => {
  const { peer, workspace } = serving()
  workspace.handlers.procedures['sources.recent'] = () => Promise.reject(new Error('disk full'))
  peer.send({ type: 'call', id: 1, name: 'sources.recent', input: null })
  peer.send({
    type: 'call',
    id: 2,
    name: 'history.series',
    input: { ...FIRST, server: 'a', from: 0, to: 1, maxPoints: 10 },
  })
  await settle()
  expect(peer.received).toEqual([
    { type: 'problem', ...problem(1, 'internal') },
    { type: 'problem', ...problem(2, 'unsupported') },
  ])
})

test('a stream that cannot start ends with its problem', async () => {
  const { peer, workspace } = serving()
  workspace.handlers.streams.frames = () => {
    throw new Error('no frames')
  }
  peer.send({ type: 'subscribe', id: 1, name: 'frames', params: FIRST })
  peer.send({ type: 'subscribe', id: 2, name: 'dumps', params: { server: 5 } })
  await settle()
  expect(peer.received).toEqual([
    { type: 'end', ...problem(1, 'internal') },
    { type: 'end', ...problem(2, 'invalid-input') },
  ])
})

test('a reader that sleeps holds up nothing and gets the newest frame when it wakes', async () => {
  const { peer, workspace } = serving()
  peer.send({ type: 'subscribe', id: 1, name: 'frames', params: FIRST })
  await settle()
  for (let seq = 1; seq <= 1_000; seq += 1) workspace.emitFrame(seq)
  await settle()
  expect(peer.received.map(({ event }) => event)).toMatchObject([{ seq: 1 }, { seq: 2 }])
  peer.send({ type: 'ack', id: 1 })
  await settle()
  expect(peer.received.at(-1)).toMatchObject({ event: { seq: 1_000 } })
})

test('one sleeping subscription does not slow another', async () => {
  const { peer, workspace } = serving()
  peer.send({ type: 'subscribe', id: 1, name: 'frames', params: FIRST })
  peer.send({ type: 'subscribe', id: 2, name: 'frames', params: FIRST })
  await settle()
  for (let seq = 1; seq <= 5; seq += 1) {
    workspace.emitFrame(seq)
    peer.send({ type: 'ack', id: 2 })
    await settle()
  }
  expect(peer.received.filter(({ id }) => id === 1)).toHaveLength(2)
  expect(peer.received.filter(({ id }) => id === 2)).toHaveLength(5)
})

test('ends what was subscribed when asked to, and when the line closes', async () => {
  const { peer, workspace } = serving()
  peer.send({ type: 'subscribe', id: 1, name: 'frames', params: FIRST })
  peer.send({ type: 'subscribe', id: 2, name: 'frames', params: FIRST })
  await settle()
  expect(workspace.openFrames()).toBe(2)
  peer.send({ type: 'unsubscribe', id: 1 })
  peer.send({ type: 'unsubscribe', id: 1 })
  peer.send({ type: 'ack', id: 1 })
  await settle()
  expect(workspace.openFrames()).toBe(1)
  expect(peer.isClosed()).toBe(false)
  peer.close()
  expect(workspace.openFrames()).toBe(0)
})

test.each([
  ['no JSON', () => ['{']],
  ['an unknown type', () => ['{"type":"eval","id":1}']],
  ['a message that is too long', () => [`{"type":"ack","id":1}${' '.repeat(2_000)}`]],
  [
    'an acknowledgement of nothing',
    () => ['{"type":"subscribe","id":1,"name":"frames","params":{"connection":1}}', '{"type":"ack","id":1}'],
  ],
  ['an id twice', () => Array<string>(2).fill('{"type":"subscribe","id":1,"name":"frames","params":{"connection":1}}')],
])('%s closes the line', async (_what, messages) => {
  const { peer, workspace } = serving({ messageLength: 1_000 })
  for (const message of messages()) peer.sendText(message)
  await settle()
  expect(peer.isClosed()).toBe(true)
  expect(workspace.openFrames()).toBe(0)
})

test('a flood of calls is answered, most of them with a refusal', async () => {
  const { peer, workspace } = serving({ callsInFlight: 5 })
  const gate = Promise.withResolvers<void>()
  workspace.handlers.procedures['sources.tryNow'] = async () => {
    await gate.promise
    return null
  }
  for (let id = 0; id < 500; id += 1) peer.send({ type: 'call', id, name: 'sources.tryNow', input: FIRST })
  await settle()
  expect(peer.received).toHaveLength(495)
  expect(peer.received.every(({ type }) => type === 'problem')).toBe(true)
  expect(peer.received[0]).toMatchObject({ problem: { code: 'throttled' } })
  gate.resolve()
  await settle()
  expect(peer.received.filter(({ type }) => type === 'result')).toHaveLength(5)
})

test('a flood of subscriptions is refused beyond the limit', async () => {
  const { peer, workspace } = serving({ subscriptions: 3 })
  for (let id = 0; id < 10; id += 1) peer.send({ type: 'subscribe', id, name: 'frames', params: FIRST })
  await settle()
  expect(workspace.openFrames()).toBe(3)
  expect(peer.received).toHaveLength(7)
  expect(peer.received[0]).toMatchObject({ type: 'end', problem: { code: 'throttled' } })
})

test('events wait while the line is full, and a line that is never read is given up', async () => {
  const workspace = fakeWorkspace()
  const peer = handPeer()
  let backlog = 2 * LIMITS.backlogForEvents
  const drained: (() => void)[] = []
  const port = { ...peer.port, backlog: () => backlog, onDrain: (listener: () => void) => void drained.push(listener) }
  serve(port, workspace.handlers)
  peer.send({ type: 'subscribe', id: 1, name: 'frames', params: FIRST })
  await settle()
  for (let seq = 1; seq <= 10; seq += 1) workspace.emitFrame(seq)
  await settle()
  expect(peer.received).toEqual([])
  backlog = 0
  for (const listener of drained) listener()
  await settle()
  expect(peer.received).toMatchObject([{ event: { seq: 10 } }])
  backlog = 2 * LIMITS.backlogForResults
  peer.send({ type: 'call', id: 2, name: 'app.info', input: null })
  await settle()
  expect(peer.isClosed()).toBe(true)
})

test('an event out of contract is left out with a problem; the stream goes on, without what the contract does not name', async () => {
  const { peer, workspace } = serving()
  peer.send({ type: 'subscribe', id: 1, name: 'connections', params: null })
  workspace.handlers.streams.connections = (_params, emit) => {
    emit(JSON.parse('["nonsense"]'))
    emit(JSON.parse(JSON.stringify([{ ...CONNECTED, token: 'secret' }])))
  }
  await settle()
  expect(peer.received).toEqual([
    { type: 'problem', ...problem(1, 'internal') },
    { type: 'event', id: 1, event: [CONNECTED] },
  ])
})
