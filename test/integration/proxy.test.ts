import http from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../../core/config/builtIn.ts'
import { type Cleanups, cleanUp, inUse, portOf, proxied as proxiedTo, upstreamServer } from '../harness/proxied.ts'

const cleanups: Cleanups = []
afterEach(() => cleanUp(cleanups))

const serve = (handle: Parameters<typeof upstreamServer>[1]) => upstreamServer(cleanups, handle)
const proxied = async (server: http.Server, options: Parameters<typeof proxiedTo>[2] = {}) => {
  const { run, ...proxy } = await proxiedTo(cleanups, portOf(server), options)
  return { run, proxy }
}

const alice = { 'X-Remote-User': 'alice' }
describe('the proxy', () => {
  test('passes requests and answers on, and keeps a row of each', async () => {
    const server = await serve((request, response) => {
      response.writeHead(201, { 'X-Seen': `${request.method} ${request.url} ${String(request.headers['x-mine'])}` })
      request.pipe(response)
    })
    const { run, proxy } = await proxied(server)
    const answer = await fetch(`${proxy.url}/api/v1/namespaces/default/pods?dryRun=All`, {
      method: 'POST',
      headers: { ...alice, 'X-Mine': 'yes' },
      body: 'hello '.repeat(10_000),
    })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('x-seen')).toBe('POST /api/v1/namespaces/default/pods?dryRun=All yes')
    expect(answer.headers.has('x-kubernetes-pf-flowschema-uid')).toBe(true)
    expect(await answer.text()).toBe('hello '.repeat(10_000))
    await vi.waitFor(() => expect(run.log.before(1)[0]?.state).toBe('served'))
    expect(run.log.before(1)).toMatchObject([
      {
        user: 'alice',
        address: '127.0.0.1',
        verb: 'create',
        resource: 'pods',
        namespace: 'default',
        level: 'global-default',
        schema: 'global-default',
        flow: 'alice',
        status: 201,
        seats: { initial: 1 },
      },
    ])
    expect(inUse(run)).toBe(0)
  })

  test('lets requests wait for a seat, and refuses those that find their queue full', async () => {
    const waiting: (() => void)[] = []
    const server = await serve((_request, response) => void waiting.push(() => response.end('done')))
    const { run, proxy } = await proxied(server, { seats: 8 })
    run.configure({
      levels: [...mandatoryLevels, ...suggestedLevels].map((level) =>
        level.metadata.name !== 'global-default' || level.spec.limited === undefined
          ? level
          : {
              ...level,
              spec: {
                ...level.spec,
                limited: {
                  ...level.spec.limited,
                  lendablePercent: 0,
                  borrowingLimitPercent: 0,
                  limitResponse: { type: 'Queue', queuing: { queues: 2, handSize: 1, queueLengthLimit: 1 } },
                },
              },
            },
      ),
      schemas: [...mandatorySchemas, ...suggestedSchemas],
    })
    const ask = () => fetch(`${proxy.url}/api/v1/namespaces/default/pods/one`, { headers: alice })
    const first = ask()
    await vi.waitFor(() => expect(waiting).toHaveLength(1))
    const second = ask()
    await vi.waitFor(() => expect(run.log.before(1)[0]).toMatchObject({ seq: 1, state: 'waiting' }))
    const third = await ask()
    expect(third.status).toBe(429)
    expect(third.headers.get('retry-after')).toBe('1')
    expect(await third.text()).toBe('Too many requests, please try again later.\n')
    expect(run.log.before(1)[0]).toMatchObject({ state: 'rejected', reason: 'queue-full', status: 429 })
    waiting.shift()?.()
    expect(await (await first).text()).toBe('done')
    await vi.waitFor(() => expect(waiting).toHaveLength(1))
    waiting.shift()?.()
    expect(await (await second).text()).toBe('done')
    await vi.waitFor(() => expect(inUse(run)).toBe(0))
    expect(run.log.before(3).map(({ state }) => state)).toEqual(['served', 'served', 'rejected'])
  })

  test('gives the seats back when a client goes away, waiting or served', async () => {
    let broken = 0
    const server = await serve((request, response) => {
      response.write('begun')
      response.on('close', () => (broken += 1))
      request.resume()
    })
    const { run, proxy } = await proxied(server)
    const abort = new AbortController()
    const answer = await fetch(`${proxy.url}/api/v1/pods/one`, { headers: alice, signal: abort.signal })
    expect(inUse(run)).toBe(1)
    abort.abort()
    await expect(answer.text()).rejects.toThrow(/abort/i)
    await vi.waitFor(() => expect(inUse(run)).toBe(0))
    await vi.waitFor(() => expect(broken).toBe(1))
    expect(run.log.before(1)[0]?.state).toBe('cancelled')
  })

  test('says so when the upstream is not there, and breaks off when it dies within its answer', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/healthz') return void request.socket.destroy()
      response.write('half')
      setTimeout(() => response.destroy(), 20)
    })
    const { run, proxy } = await proxied(server)
    const refused = await fetch(`${proxy.url}/healthz`, { headers: alice })
    expect(refused.status).toBe(502)
    expect(await refused.text()).toMatch(
      /^127\.0\.0\.1:\d+ closed the connection before its response was complete\.\n$/,
    )
    const half = await fetch(`${proxy.url}/api/v1/pods`, { headers: alice })
    await expect(half.text()).rejects.toThrow(/terminated/)
    await vi.waitFor(() => expect(inUse(run)).toBe(0))
    expect(run.log.before(2).map(({ state }) => state)).toEqual(['failed', 'failed'])
  })

  test('answers under no foreign name', async () => {
    const server = await serve((_request, response) => response.end())
    const { run, proxy } = await proxied(server)
    const status = await new Promise((resolve) => {
      http.get(`${proxy.url}/api`, { headers: { Host: 'evil.example' } }, (answer) =>
        resolve(answer.resume().statusCode),
      )
    })
    expect(status).toBe(421)
    expect(run.log.count).toBe(0)
  })
})
