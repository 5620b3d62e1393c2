import { expect, test, vi } from 'vitest'
import { fakeWorkspace } from '../../test/harness/handlers.ts'
import { handClock, handPeer, memoryClient, memoryPorts, settle } from '../../test/harness/ports.ts'
import { createClient } from './client.ts'
import { checked } from './shapes.ts'
import type { Problem } from '../errors.ts'
import { LIMITS, type Port } from './protocol.ts'
import { serve } from './server.ts'
import type { Connected } from './source.ts'

const FIRST = { connection: 1 } as const

/** A client whose lines are served by one fake workspace and can be cut and rejected. */
function world() {
  const workspace = fakeWorkspace()
  const clock = handClock()
  let line: Port | undefined
  let refused = false
  const connect = vi.fn<() => Promise<Port>>(async () => {
    if (refused) throw new Error('refused')
    const [asking, serving] = memoryPorts()
    serve(serving, workspace.handlers)
    line = serving
    return asking
  })
  const client = createClient({ connect, reading: checked, ...clock })
  return {
    workspace,
    clock,
    client,
    connect,
    cut: () => line?.close(),
    refuse: (now: boolean) => {
      refused = now
    },
  }
}

test('calls wait for the first line and are answered', async () => {
  const { client } = world()
  await expect(client.call('app.info', null)).resolves.toMatchObject({ mode: 'memory' })
})

test('a problem of the other side rejects with its code and words', async () => {
  const { client } = world()
  await expect(
    client.call('sources.permissions', { target: { kind: 'urls', urls: ['http://a'] } }),
  ).rejects.toMatchObject({ problem: { code: 'unsupported', message: expect.stringContaining('sources.permissions') } })
})

test('tells whether the line is up, at once and on each change', async () => {
  const { client, clock, cut } = world()
  const heard: boolean[] = []
  const stop = client.onLink((up) => heard.push(up))
  await settle()
  cut()
  await clock.fire()
  expect(heard).toEqual([false, true, false, true])
  stop()
  cut()
  expect(heard).toHaveLength(4)
})

test('when the line is lost, calls under way are cancelled and new ones are refused at once', async () => {
  const { client, workspace, clock, cut } = world()
  workspace.handlers.procedures['sources.recent'] = () => new Promise(() => undefined)
  await settle()
  const pending = client.call('sources.recent', null)
  await settle()
  cut()
  await expect(pending).rejects.toMatchObject({ problem: { code: 'cancelled' } })
  await expect(client.call('app.info', null)).rejects.toMatchObject({ problem: { code: 'unreachable' } })
  await clock.fire()
  await expect(client.call('app.info', null)).resolves.toMatchObject({ mode: 'memory' })
})

test('when the first line cannot be made, waiting calls are refused', async () => {
  const { client, refuse } = world()
  refuse(true)
  const again = createClient({
    connect: () => Promise.reject(new Error('refused')),
    reading: checked,
    ...handClock(),
  })
  await expect(again.call('app.info', null)).rejects.toMatchObject({ problem: { code: 'unreachable' } })
  client.close()
})

test('subscriptions are made again on the next line, ended ones are not', async () => {
  const { client, workspace, clock, cut } = world()
  const seen: number[] = []
  client.subscribe('frames', FIRST, ({ seq }) => seen.push(seq))
  const stop = client.subscribe('frames', FIRST, () => seen.push(-1))
  await settle()
  stop()
  await settle()
  workspace.emitFrame(1)
  await settle()
  cut()
  expect(workspace.openFrames()).toBe(0)
  await clock.fire()
  expect(workspace.openFrames()).toBe(1)
  workspace.emitFrame(2)
  await settle()
  expect(seen).toEqual([1, 2])
})

test('the pause between tries doubles up to five seconds and starts over after success', async () => {
  const { clock, cut, refuse, connect } = world()
  await settle()
  refuse(true)
  cut()
  const pauses: number[] = []
  for (let i = 0; i < 7; i += 1) {
    pauses.push(...clock.pauses())
    await clock.fire()
  }
  // The random number of the clock is 0: half of each pause.
  expect(pauses).toEqual([125, 250, 500, 1_000, 2_000, 2_500, 2_500])
  refuse(false)
  await clock.fire()
  cut()
  expect(clock.pauses()).toEqual([125])
  expect(connect).toHaveBeenCalledTimes(9)
})

test('a fast reader gets every frame', async () => {
  const { client, workspace } = world()
  const seen: number[] = []
  client.subscribe('frames', FIRST, ({ seq }) => seen.push(seq))
  await settle()
  for (let seq = 0; seq < 20; seq += 1) {
    workspace.emitFrame(seq)
    await settle()
  }
  expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index))
})

test('a subscription that the other side ends is told why, and is not made again', async () => {
  const { client, workspace, clock, cut } = world()
  workspace.handlers.streams.dumps = () => {
    throw new Error('no dumps')
  }
  const onProblem = vi.fn<(problem: Problem) => void>()
  client.subscribe('dumps', { ...FIRST, server: 'a' }, () => undefined, onProblem)
  await settle()
  expect(onProblem).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'internal' }))
  cut()
  await clock.fire()
  expect(onProblem).toHaveBeenCalledOnce()
})

/** A client whose other side is the test itself. */
async function byHand() {
  const peer = handPeer()
  const clock = handClock()
  const client = createClient({ connect: async () => peer.port, reading: checked, ...clock })
  await settle()
  return { peer, client, clock }
}

test('an event out of contract is left out with a problem, and the stream goes on', async () => {
  const { peer, client } = await byHand()
  const onEvent = vi.fn<(event: Connected[]) => void>()
  const onProblem = vi.fn<(problem: Problem) => void>()
  client.subscribe('connections', null, onEvent, onProblem)
  await settle()
  const id = peer.received[0]?.['id']
  peer.send({ type: 'event', id, event: { state: 'nonsense' } })
  peer.send({ type: 'event', id, event: [] })
  await settle()
  expect(onProblem).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'bad-answer' }))
  expect(onEvent).toHaveBeenCalledExactlyOnceWith([])
  expect(peer.received.filter(({ type }) => type === 'ack')).toHaveLength(2)
})

test('a problem in place of an event is told and ends nothing', async () => {
  const { client, workspace } = world()
  const onProblem = vi.fn<(problem: Problem) => void>()
  const seen: number[] = []
  client.subscribe('frames', FIRST, ({ seq }) => seen.push(seq), onProblem)
  await settle()
  workspace.emitFrame(Number.NaN)
  workspace.emitFrame(2)
  await settle()
  expect(onProblem).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'internal' }))
  expect(seen).toEqual([2])
})

test('an answer out of contract rejects', async () => {
  const { peer, client } = await byHand()
  const answer = client.call('app.info', null)
  await settle()
  peer.send({ type: 'result', id: peer.received[0]?.['id'], output: { version: 1 } })
  await expect(answer).rejects.toMatchObject({ problem: { code: 'bad-answer' } })
})

test('answers to nobody are ignored; nonsense closes the line, which is then made again', async () => {
  const { peer, clock } = await byHand()
  peer.send({ type: 'result', id: 99, output: null })
  peer.send({ type: 'event', id: 99, event: null })
  peer.send({ type: 'end', id: 99, problem: { code: 'internal', message: 'x' } })
  await settle()
  expect(peer.isClosed()).toBe(false)
  peer.sendText('nonsense')
  await settle()
  expect(peer.isClosed()).toBe(true)
  expect(clock.pauses()).toHaveLength(1)
})

test('what is too large is refused before it is sent', async () => {
  const { peer, client } = await byHand()
  const text = 'x'.repeat(LIMITS.messageLength)
  const spec = { kind: 'files' as const, files: [{ name: 'a', text }] }
  await expect(client.call('sources.connect', { spec })).rejects.toMatchObject({ problem: { code: 'too-large' } })
  expect(peer.received).toEqual([])
})

test('closing is final', async () => {
  const { client, clock, workspace } = world()
  client.subscribe('frames', FIRST, () => undefined)
  await settle()
  client.close()
  expect(workspace.openFrames()).toBe(0)
  expect(clock.pauses()).toEqual([])
  await expect(client.call('app.info', null)).rejects.toMatchObject({ problem: { code: 'unreachable' } })
})

test('the in-memory client needs nothing but handlers', async () => {
  const client = memoryClient(fakeWorkspace().handlers, handClock())
  await expect(client.call('settings.write', { theme: 'dark' })).resolves.toMatchObject({
    theme: 'dark',
    sidebar: 'auto',
  })
})
