import { createServer } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import { serveSimulation } from '../../main/cli/web.ts'
import { createSimulationSource } from '../../main/sources/simulation.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

const simulatedServer = (seed: number) =>
  createSimulationSource(SimulationSpecSchema.parse({ kind: 'simulation', seed }), systemEnvironment, {
    backfillSeconds: 1,
  }).server

function serving(port: number) {
  const printed: string[] = []
  const told: string[] = []
  const serve = serveSimulation(port, {
    print: (lines) => printed.push(...lines),
    tell: (sentence) => told.push(sentence),
  })
  const connect = (seed: number): (() => void) => {
    const abort = new AbortController()
    cleanups.push(() => abort.abort())
    serve(simulatedServer(seed), abort.signal)
    return () => abort.abort()
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
  const disconnect = connect(1)
  await vi.waitFor(() => expect(printed).toHaveLength(1))
  const first = addressIn(printed[0])
  expect(await uidOf(first)).toBe(
    simulatedServer(1).objects.objects.levels.find(({ metadata }) => metadata.name === 'system')?.metadata.uid,
  )
  const uid = await uidOf(first)
  disconnect()
  connect(2)
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
  connect(1)
  await vi.waitFor(() => expect(told).toHaveLength(1))
  expect(told[0]).toContain(String(address.port))
  expect(printed).toEqual([])
})
