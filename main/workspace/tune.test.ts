import { expect, test, vi } from 'vitest'
import { builtInObjects } from '../../core/config/builtIn.ts'
import type { LiveRequest } from '../../core/contract/live.ts'
import type { ForecastWish } from '../../core/contract/forecast.ts'
import { type TuneEvent, TuneWishSchema } from '../../core/contract/tune.ts'
import type { SearchTask, WhatIfRunner } from '../ports/whatIf.ts'
import type { ConnectedSource } from './connectedSource.ts'
import { tuneHandlers } from './tune.ts'

const request = (at: number): LiveRequest => ({
  seq: at,
  at,
  user: 'alice',
  groups: ['system:authenticated'],
  verb: 'get',
  url: '/api/v1/namespaces/a/pods/b',
  resource: 'pods',
  namespace: 'a',
  name: 'b',
  state: 'served',
  level: 'global-default',
  schema: 'global-default',
  flow: 'alice',
  seats: { initial: 1, final: 0 },
  waitMs: 0,
  runMs: 10,
  status: 200,
})

async function searched(from: number) {
  const tasks: SearchTask[] = []
  const events: TuneEvent[] = []
  const source = { call: async () => ({ requests: [request(1_000), request(2_000), request(3_000)] }) }
  const handlers = tuneHandlers({
    runner: { search: (task: SearchTask) => void tasks.push(task) } as unknown as WhatIfRunner,
    openPast: async () => 9,
    sourceOf: () => source as unknown as ConnectedSource,
    twinOf: async () => expect.fail('no twin is needed'),
    environment: { now: () => 0 },
  })
  const wish = TuneWishSchema.parse({
    from: { kind: 'recorded', connection: 1, from, to: 3_000 },
    before: builtInObjects('v1.36.0'),
    serverLimit: 600,
    version: 'v1.36.0',
    goals: ['workload-low never waits'],
    guardRails: [],
    levels: ['workload-low'],
    seeds: 3,
  })
  handlers.tune(wish, (event) => void events.push(event), new AbortController().signal)
  await new Promise((resolve) => void setImmediate(resolve))
  return { tasks, events }
}

test('searches on the requests of the range alone', async () => {
  const { tasks, events } = await searched(2_000)
  expect(events).toEqual([])
  const base = tasks[0]?.base
  expect(base?.kind === 'requests' && base.arrivals.list.length).toBe(2)
  expect(base?.variant.maxRequestsInFlight).toBe(600)
})

test('says at once that a goal or guard rail is misspelt, and fits no twin', async () => {
  const twinOf = vi.fn<() => Promise<never>>(async () => expect.fail('no twin is needed'))
  const said = async (goal: string, guardRail: string) => {
    const events: TuneEvent[] = []
    const handlers = tuneHandlers({
      runner: { search: () => expect.fail('nothing is searched') } as unknown as WhatIfRunner,
      openPast: async () => 9,
      sourceOf: () => expect.fail('nothing is read'),
      twinOf,
      environment: { now: () => 0 },
    })
    const wish = TuneWishSchema.parse({
      from: { kind: 'twin', connection: 1, server: 'a' },
      before: builtInObjects('v1.36.0'),
      serverLimit: 600,
      version: 'v1.36.0',
      goals: ['workload-low never waits', goal],
      guardRails: [guardRail],
      levels: ['workload-low'],
      seeds: 3,
    })
    handlers.tune(wish, (event) => void events.push(event), new AbortController().signal)
    await new Promise((resolve) => void setImmediate(resolve))
    return events
  }
  expect(await said('workload-lov never waits', 'system never waits')).toMatchObject([
    { kind: 'failed', problem: { code: 'invalid-input', message: expect.stringContaining('“workload-lov”') } },
  ])
  expect(await said('system never waits', 'wait p98 of system < 1 s')).toMatchObject([
    { kind: 'failed', problem: { message: expect.stringContaining('There is no measure “wait p98”') } },
  ])
  expect(twinOf).not.toHaveBeenCalled()
})

test('fits the twin of a past instant to what is recorded before it', async () => {
  const wishes: ForecastWish[] = []
  const handlers = tuneHandlers({
    runner: {} as unknown as WhatIfRunner,
    openPast: async () => 9,
    sourceOf: () => expect.fail('the forecast asks'),
    twinOf: async (wish) => {
      wishes.push(wish)
      return Promise.reject(new Error('enough'))
    },
    environment: { now: () => 0 },
  })
  const wish = TuneWishSchema.parse({
    from: { kind: 'twin', connection: 1, server: 'a', at: 60_000 },
    before: builtInObjects('v1.36.0'),
    serverLimit: 600,
    version: 'v1.36.0',
    goals: ['workload-low never waits'],
    guardRails: [],
    levels: ['workload-low'],
    seeds: 3,
  })
  handlers.tune(wish, () => undefined, new AbortController().signal)
  await new Promise((resolve) => void setImmediate(resolve))
  expect(wishes.map(({ of }) => of)).toEqual([{ connection: 9, server: 'a', at: 60_000 }])
})

test('says that nothing is recorded in the range', async () => {
  const { tasks, events } = await searched(4_000)
  expect(tasks).toEqual([])
  expect(events).toEqual([
    {
      kind: 'failed',
      problem: {
        code: 'not-found',
        message: 'No requests are recorded in this range. Select another one, or the twin.',
      },
    },
  ])
})
