import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { manifestOf, versionOf } from '../../core/config/content.ts'
import { ProxySpecSchema, type ProxyMode } from '../../core/contract/live.ts'
import { openLiveConsole, smallServer, type LiveConsole, type SmallServer } from '../harness/live.ts'

const LEVEL = 'global-default'
/** One seat at a time, and one place in a queue. */
const NARROW = {
  nominalConcurrencyShares: 1,
  lendablePercent: 0,
  borrowingLimitPercent: 0,
  limitResponse: { type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } },
}
const PODS = '/api/v1/namespaces/default/pods/one'

/** One seat for all, so that a second request waits; the server holds all answers back. */
describe('the mode of a proxy, changed while requests come', () => {
  let desk: LiveConsole
  let server: SmallServer
  let held: (() => void)[] = []

  beforeEach(async () => {
    held = []
    server = await smallServer((_request, response) => void held.push(() => void response.end('done')))
    desk = await openLiveConsole('proxy')
  })
  afterEach(async () => {
    for (const answer of held.splice(0)) answer()
    await desk.close()
    await server.close()
  })

  const connect = async (mode: ProxyMode): Promise<void> => {
    await desk.connect(
      ProxySpecSchema.parse({
        kind: 'proxy',
        upstream: { kind: 'url', url: server.url },
        mode,
        identity: 'headers',
        objects: 'built-in',
        maxRequestsInFlight: 200,
        maxMutatingRequestsInFlight: 0,
      }),
    )
    await vi.waitFor(() => expect(desk.state()?.address).toBeDefined())
  }
  const ask = async (): Promise<number> =>
    (await fetch(`${desk.state()?.address ?? ''}${PODS}`, { headers: { 'X-Remote-User': 'alice' } })).status
  const answerAll = (): void => {
    for (const answer of held.splice(0)) answer()
  }
  const states = () => [...desk.rows.values()].map(({ state }) => state)
  const editing = () => desk.client.call('editing.switch', { on: true })
  const narrow = async (): Promise<void> => {
    await editing()
    const level = desk.objects()?.objects.levels.find(({ metadata }) => metadata.name === LEVEL)
    const base = versionOf(level ?? {})
    const wanted = manifestOf('PriorityLevelConfiguration', { ...level, spec: { type: 'Limited', limited: NARROW } })
    const change = { kind: 'PriorityLevelConfiguration' as const, name: LEVEL, object: { ...wanted } }
    const report = await desk.client.call('objects.apply', { changes: [{ ...change, ...(base && { base }) }] })
    expect(report.verdicts).toMatchObject([{ outcome: 'accepted' }])
  }

  test('wants editing to be switched on', async () => {
    await connect('enforce')
    await expect(desk.client.call('live.mode', { mode: 'observe' })).rejects.toMatchObject({
      problem: { code: 'forbidden' },
    })
    expect(desk.state()?.mode).toBe('enforce')
  })

  test('from enforcing to watching: what waits goes on waiting its turn, what comes then passes', async () => {
    await connect('enforce')
    await narrow()
    const first = [ask(), ask()]
    await vi.waitFor(() => expect(states()).toEqual(['executing', 'waiting']))
    const told = await desk.client.call('live.mode', { mode: 'observe' })
    expect(told).toMatchObject({ mode: 'observe', arrived: 2 })

    const passing = [ask(), ask(), ask()]
    await vi.waitFor(() => expect(held).toHaveLength(4))
    answerAll()
    // The waiting request is dispatched by the engine at which it arrived.
    await vi.waitFor(() => expect(held).toHaveLength(1))
    answerAll()
    expect(await Promise.all([...first, ...passing])).toEqual([200, 200, 200, 200, 200])
    await vi.waitFor(() => expect(states()).toEqual(['served', 'served', 'served', 'served', 'rejected']), 5_000)
    // The engine that started then has its own arrivals, and would have rejected the last.
    await vi.waitFor(
      () => expect(desk.frame()?.levels.reduce((sum, { dispatched }) => sum + (dispatched ?? 0), 0)).toBe(2),
      5_000,
    )
  })

  test('from watching to enforcing: what comes then waits, and the draft begins anew', async () => {
    await connect('observe')
    await narrow()
    const objects = desk.objects()?.objects
    if (objects === undefined) throw new Error('there are no objects')
    await desk.client.call('live.candidate', { wish: { on: true, objects } })
    const passing = [ask(), ask()]
    await vi.waitFor(() => expect(held).toHaveLength(2))
    await vi.waitFor(() => expect(desk.state()?.candidate?.a.arrived).toBe(2), 3_000)

    const told = await desk.client.call('live.mode', { mode: 'enforce' })
    expect(told).toMatchObject({ mode: 'enforce', candidate: { a: { arrived: 0 }, b: { arrived: 0 } } })
    const next = [ask(), ask()]
    await vi.waitFor(() => expect(states().slice(2)).toEqual(['executing', 'waiting']))
    await vi.waitFor(() => expect(held).toHaveLength(3))
    answerAll()
    await vi.waitFor(() => expect(held).toHaveLength(1))
    answerAll()
    expect(await Promise.all([...passing, ...next])).toEqual([200, 200, 200, 200])
    await vi.waitFor(() => expect(desk.state()?.candidate?.a.arrived).toBe(2), 3_000)
  })

  test('is that of a proxy alone', async () => {
    await desk.client.call('sources.connect', { spec: { kind: 'simulation' } })
    await editing()
    await expect(desk.client.call('live.mode', { mode: 'enforce' })).rejects.toMatchObject({
      problem: { code: 'unsupported' },
    })
  })
})
