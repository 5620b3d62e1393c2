import { createServer } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import { serveSimulation } from '../../main/cli/web.ts'
import { openStore } from '../../main/store/store.ts'
import { openSource, type ConnectedSource } from '../../main/workspace/connectedSource.ts'
import { createSimulationSource } from '../../main/sources/simulation.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

const spec = (seed: number) => SimulationSpecSchema.parse({ kind: 'simulation', seed })
const made = (seed: number) => createSimulationSource(spec(seed), systemEnvironment, { backfillSeconds: 1 })

const connected = (seed: number): Promise<ConnectedSource> =>
  openSource(
    { id: seed, spec: spec(seed), onConnection: () => undefined },
    {
      environment: systemEnvironment,
      store: openStore(undefined),
      makeSource: async () => ({ ok: true, source: made(seed), simulation: made(seed) }),
    },
  )

function serving(port: number) {
  const printed: string[] = []
  const told: string[] = []
  const serve = serveSimulation(port, {
    print: (lines) => printed.push(...lines),
    tell: (sentence) => told.push(sentence),
  })
  const connect = async (seed: number): Promise<() => void> => {
    const source = await connected(seed)
    const end = (): void => void source.end()
    cleanups.push(end)
    serve(source)
    return end
  }
  return { printed, told, connect }
}

const addressIn = (text: string | undefined): string =>
  /^Simulated server: (http:\/\/127\.0\.0\.1:\d+)\/metrics$/.exec(text ?? '')?.[1] ?? `no address in ${text}`

async function uidOf(address: string): Promise<unknown> {
  const path = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/system'
  const answer = await fetch(address + path)
  const object = (await answer.json()) as { metadata: { uid: unknown } }
  return object.metadata.uid
}

test('each simulation that is connected answers over HTTP until it is not any more', async () => {
  const { printed, told, connect } = serving(0)
  const disconnect = await connect(1)
  await vi.waitFor(() => expect(printed).toHaveLength(1))
  const first = addressIn(printed[0])
  expect(await uidOf(first)).toBe(
    made(1).server.objects.objects.levels.find(({ metadata }) => metadata.name === 'system')?.metadata.uid,
  )
  const uid = await uidOf(first)
  disconnect()
  await connect(2)
  await vi.waitFor(() => expect(printed).toHaveLength(2))
  await expect(fetch(`${first}/metrics`)).rejects.toThrow(/fetch failed/)
  expect(await uidOf(addressIn(printed[1]))).not.toBe(uid)
  expect(told).toEqual([])
})

test('a port that is taken is told, and ends nothing', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => other.close())
  const address = other.address()
  if (address === null || typeof address === 'string') throw new Error('the other server has no port')
  const { printed, told, connect } = serving(address.port)
  await connect(1)
  await vi.waitFor(() => expect(told).toHaveLength(1))
  expect(told[0]).toContain(String(address.port))
  expect(printed).toEqual([])
})
