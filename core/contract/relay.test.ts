import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fakeWorkspace, type FakeWorkspace } from '../../test/harness/handlers.ts'
import { handPeer, memoryPorts, settle, type Peer } from '../../test/harness/ports.ts'
import type { Port } from './protocol.ts'
import { serve } from './server.ts'

const SOURCE = { connection: 1 } as const

/** An action of a page: it calls a source or the workspace, receives an event, or something happens there. */
type Step =
  | { readonly type: 'call'; readonly name: string; readonly input: unknown }
  | { readonly type: 'subscribe'; readonly params: unknown }
  | { readonly type: 'ack' | 'unsubscribe'; readonly of: number }
  | { readonly type: 'frame' }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('call' as const),
    name: fc.constantFrom('app.info', 'settings.read', 'history.series', 'live.page', 'simulation.state', 'nothing'),
    input: fc.constantFrom(null, SOURCE, { connection: 'one' }, { ...SOURCE, count: 10 }),
  }),
  fc.record({ type: fc.constant('subscribe' as const), params: fc.constantFrom(SOURCE, { connection: null }) }),
  fc.record({ type: fc.constantFrom('ack' as const, 'unsubscribe' as const), of: fc.nat({ max: 5 }) }),
  fc.constant({ type: 'frame' as const }),
)

/** Plays the steps like a page that follows the protocol; an event is acknowledged once. */
async function play(steps: readonly Step[], peer: Peer, source: FakeWorkspace): Promise<unknown[]> {
  const heard: number[] = []
  let acknowledged = new Map<number, number>()
  let id = 0
  for (const [at, one] of steps.entries()) {
    if (one.type === 'frame') source.emitFrame(at)
    else if (one.type === 'call') peer.send({ type: 'call', id: ++id, name: one.name, input: one.input })
    else if (one.type === 'subscribe') {
      heard.push(++id)
      peer.send({ type: 'subscribe', id, name: 'frames', params: one.params })
    } else {
      const of = heard[one.of]
      const events = peer.received.filter((reply) => reply['type'] === 'event' && reply['id'] === of).length
      if (of === undefined) continue
      if (one.type === 'unsubscribe') peer.send({ type: 'unsubscribe', id: of })
      else if (events > (acknowledged.get(of) ?? 0)) {
        acknowledged = acknowledged.set(of, (acknowledged.get(of) ?? 0) + 1)
        peer.send({ type: 'ack', id: of })
      }
    }
    await settle()
  }
  return peer.received.toSorted((a, b) => Number(a['id']) - Number(b['id']))
}

describe('a relay', () => {
  /** A page whose source runs elsewhere, and the other ends of its lines. */
  const relayed = (source: FakeWorkspace) => {
    const peer = handPeer()
    const lines: Port[] = []
    serve(peer.port, fakeWorkspace().handlers, {
      lineTo(connection) {
        if (connection !== SOURCE.connection) return undefined
        const [own, other] = memoryPorts()
        serve(other, source.handlers)
        lines.push(other)
        return own
      },
    })
    return { peer, lines }
  }

  it('lets a page hear what it would hear without one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const [here, elsewhere] = [fakeWorkspace(), fakeWorkspace()]
        const direct = handPeer()
        serve(direct.port, here.handlers)
        const { peer, lines } = relayed(elsewhere)
        expect(await play(steps, peer, elsewhere)).toEqual(await play(steps, direct, here))
        expect(lines.length).toBeLessThanOrEqual(1)
        expect(peer.isClosed()).toBe(false)
      }),
    )
  })

  it('answers what is left unanswered when the source goes, and ends what was heard', async () => {
    const source = fakeWorkspace()
    source.handlers.procedures['simulation.state'] = () => new Promise(() => undefined)
    const { peer, lines } = relayed(source)
    peer.send({ type: 'subscribe', id: 1, name: 'frames', params: SOURCE })
    peer.send({ type: 'call', id: 2, name: 'simulation.state', input: SOURCE })
    await settle()
    expect(peer.received).toEqual([])
    lines[0]?.close()
    await settle()
    const gone = expect.objectContaining({ code: 'not-found' })
    expect(peer.received).toEqual([
      { type: 'end', id: 1, problem: gone },
      { type: 'problem', id: 2, problem: gone },
    ])
  })

  it('gives up its lines with the page', async () => {
    const source = fakeWorkspace()
    const { peer } = relayed(source)
    peer.send({ type: 'subscribe', id: 1, name: 'frames', params: SOURCE })
    await settle()
    expect(source.openFrames()).toBe(1)
    peer.port.close()
    await settle()
    expect(source.openFrames()).toBe(0)
  })

  it('closes a page that uses a number twice', async () => {
    const { peer } = relayed(fakeWorkspace())
    peer.send({ type: 'subscribe', id: 1, name: 'frames', params: SOURCE })
    peer.send({ type: 'subscribe', id: 1, name: 'frames', params: SOURCE })
    await settle()
    expect(peer.isClosed()).toBe(true)
  })
})
