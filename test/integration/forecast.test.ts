import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { builtInObjects } from '../../core/config/builtIn.ts'
import { ObjectSetSchema } from '../../core/config/schema.ts'
import type { ForecastEvent, ForecastWish } from '../../core/contract/forecast.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { whatIfInThread } from '../../main/threads/whatIf.ts'
import { memoryClient } from '../harness/ports.ts'
import { testWorkspace } from '../harness/workspace.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const VERSION = 'v1.36.3'
const OBJECTS = builtInObjects(VERSION)

const runner = whatIfInThread({
  file: path.join(ROOT, 'main/threads/whatIfThread.ts'),
  scenarioFolder: path.join(ROOT, 'assets/scenarios'),
})
const workspace = testWorkspace(undefined, { whatIf: runner })
const client = memoryClient(workspace.handlers, systemEnvironment)
let connection = 0

beforeAll(async () => {
  const connected = await client.call('sources.connect', { spec: { kind: 'simulation', seed: 1, version: VERSION } })
  connection = connected.id
  // A twin is kept for a minute of the source's time, which stands still once its past is computed.
  await client.call('simulation.control', { connection, paused: true })
  await vi.waitFor(async () => {
    const { elapsedSeconds } = await client.call('simulation.state', { connection })
    if (elapsedSeconds < 600) throw new Error('the past is not computed yet')
  })
})
afterAll(async () => {
  client.close()
  await workspace.close()
})

const wishOf = (shares: number): ForecastWish => ({
  of: { connection, server: 'simulated-apiserver' },
  before: ObjectSetSchema.parse(OBJECTS),
  after: ObjectSetSchema.parse({
    ...OBJECTS,
    levels: OBJECTS.levels.map((level) =>
      level.metadata.name === 'workload-low' && level.spec.limited !== undefined
        ? { ...level, spec: { ...level.spec, limited: { ...level.spec.limited, nominalConcurrencyShares: shares } } }
        : level,
    ),
  }),
  serverLimit: 600,
  version: VERSION,
})

function lastEvent(wish: ForecastWish): Promise<ForecastEvent> {
  const { promise, resolve } = Promise.withResolvers<ForecastEvent>()
  const stop = client.subscribe('forecast', wish, (event) => {
    if (event.kind === 'progress') return
    stop()
    resolve(event)
  })
  return promise
}

/** The simulation computes its past while it is connected already. */
async function onceThereIsPast(wish: ForecastWish): Promise<ForecastEvent> {
  for (;;) {
    const event = await lastEvent(wish)
    if (event.kind !== 'failed' || event.problem.code !== 'not-found') return event
    await sleep(500)
  }
}

it('forecasts a draft of the simulated cluster, and the next one with the same twin', async () => {
  const first = await onceThereIsPast(wishOf(40))
  if (first.kind !== 'done') throw new Error(JSON.stringify(first))
  const low = first.report.levels.find(({ level }) => level === 'workload-low')
  expect(low?.nominal).toBe(130)
  const second = await lastEvent(wishOf(200))
  if (second.kind !== 'done') throw new Error(JSON.stringify(second))
  expect(second.report.fit).toEqual(first.report.fit)
  expect(second.report.levels.find(({ level }) => level === 'workload-low')?.nominal).toBe(348)
})

it('says why there is none', async () => {
  const wish = wishOf(40)
  expect(await lastEvent({ ...wish, of: { ...wish.of, server: 'another' } })).toMatchObject({
    kind: 'failed',
    problem: { code: 'not-found', message: expect.stringContaining('needs 20 s of metrics') },
  })
  expect(await lastEvent({ ...wish, of: { ...wish.of, connection: 99 } })).toMatchObject({
    kind: 'failed',
    problem: { code: 'not-found' },
  })
  expect(await onceThereIsPast(wishOf(-1))).toMatchObject({ kind: 'failed', problem: { code: 'invalid-input' } })
})
