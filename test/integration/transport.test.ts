import * as fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createClient, type ConnectedClient } from '../../core/contract/client.ts'
import { checked } from '../../core/contract/shapes.ts'
import type { Port } from '../../core/contract/protocol.ts'
import { serve } from '../../core/contract/server.ts'
import { messagePort } from '../../main/transport/messagePort.ts'
import { memoryPorts } from '../harness/ports.ts'
import { fakeWorkspace, type FakeWorkspace } from '../harness/handlers.ts'
import { electronPorts } from '../harness/electronPorts.ts'
import { webWorld } from '../harness/web.ts'

interface World {
  readonly workspace: FakeWorkspace
  readonly connect: () => Promise<Port>
  readonly close: () => Promise<void>
}

const direct = (ports: () => readonly [Port, Port]) => async (): Promise<World> => {
  const workspace = fakeWorkspace()
  return {
    workspace,
    connect: async () => {
      const [asking, serving] = ports()
      serve(serving, workspace.handlers)
      return asking
    },
    close: async () => undefined,
  }
}

const TRANSPORTS: Record<string, () => Promise<World>> = {
  'in memory': direct(memoryPorts),
  'a MessagePort': direct(() => {
    const [asking, serving] = electronPorts()
    return [messagePort(asking), messagePort(serving)]
  }),
  'a WebSocket': async () => {
    const world = await webWorld()
    return { workspace: world.workspace, connect: () => world.port(), close: () => world.close() }
  },
}

const after = (ms: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, ms)
  return () => clearTimeout(timer)
}

describe.each(Object.keys(TRANSPORTS))('over %s', (name) => {
  const ended: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const end of ended.splice(0)) await end()
  })
  async function open(): Promise<World & { readonly client: ConnectedClient; readonly lines: Port[] }> {
    const world = await (TRANSPORTS[name] ?? direct(memoryPorts))()
    const lines: Port[] = []
    const connect = async (): Promise<Port> => {
      const line = await world.connect()
      lines.push(line)
      return line
    }
    const client = createClient({ connect, after, random: () => 0, reading: checked })
    ended.push(async () => {
      client.close()
      await world.close()
    })
    return { ...world, client, lines }
  }

  test('calls are answered, in whatever number', async () => {
    const { client } = await open()
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.call('settings.read', null)))
    expect(answers).toHaveLength(50)
    await expect(client.call('sources.cadence', { connection: 1, intervalMs: 1 })).rejects.toMatchObject({
      problem: { code: 'invalid-input' },
    })
  })

  test('settings arrive as they were sent, whatever their text', async () => {
    const { client } = await open()
    const text = fc.string({ unit: 'binary', maxLength: 200 })
    await fc.assert(
      fc.asyncProperty(fc.array(text), async (dismissed) => {
        const written = await client.call('settings.write', { dismissed })
        expect(written.dismissed).toEqual(dismissed)
      }),
      { numRuns: 50 },
    )
  })

  test('a large message is one message', async () => {
    const { client } = await open()
    const dismissed = ['x'.repeat(20_000_000)]
    const written = await client.call('settings.write', { dismissed })
    expect(written.dismissed[0]).toHaveLength(20_000_000)
  })

  test('frames arrive in order, and the last one always', async () => {
    const { client, workspace } = await open()
    const seen: number[] = []
    client.subscribe('frames', { connection: 1 }, ({ seq }) => seen.push(seq))
    await vi.waitFor(() => expect(workspace.openFrames()).toBe(1))
    for (let seq = 1; seq <= 500; seq += 1) {
      workspace.emitFrame(seq, 150_000)
      if (seq % 50 === 0) await new Promise((resolve) => void setTimeout(resolve, 1))
    }
    await vi.waitFor(() => expect(seen.at(-1)).toBe(500))
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.length).toBeLessThan(500)
  })

  test('ending a subscription ends it on the other side', async () => {
    const { client, workspace } = await open()
    const stop = client.subscribe('frames', { connection: 1 }, () => undefined)
    await vi.waitFor(() => expect(workspace.openFrames()).toBe(1))
    stop()
    await vi.waitFor(() => expect(workspace.openFrames()).toBe(0))
  })

  test('after a cut, subscriptions come back by themselves', async () => {
    const { client, workspace, lines } = await open()
    const seen: number[] = []
    const links: boolean[] = []
    client.onLink((up) => links.push(up))
    client.subscribe('frames', { connection: 1 }, ({ seq }) => seen.push(seq))
    await vi.waitFor(() => expect(workspace.openFrames()).toBe(1))
    lines[0]?.close()
    await vi.waitFor(() => expect(workspace.openFrames()).toBe(0))
    await vi.waitFor(() => expect(workspace.openFrames()).toBe(1))
    workspace.emitFrame(7)
    await vi.waitFor(() => expect(seen).toEqual([7]))
    expect(links).toEqual([false, true, false, true])
  })
})
