import type http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { mandatoryLevels, mandatorySchemas } from '../../core/config/builtIn.ts'
import type { Identify } from '../../main/proxy/identity.ts'
import { inUse } from '../harness/proxied.ts'
import { alice, edgeTls, POD, useEdges } from '../harness/proxyEdges.ts'
import { requestHead } from '../harness/rawClient.ts'

const { before, beforeBytes, cleanups, client, session } = useEdges()

describe('an upstream', () => {
  test('that changes the protocol unasked has not answered', async () => {
    const { port, run } = await beforeBytes((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    )
    const { socket, until } = client(port)
    socket.write(requestHead(port, `GET ${POD}`))
    await until('HTTP/1.1 502 ')
    expect(run.log.before(1)[0]?.state).toBe('failed')
  })

  test('that ends without a word has not either', async () => {
    const { port, run } = await beforeBytes((socket) => socket.end())
    const { socket, until } = client(port)
    socket.write(requestHead(port, `GET ${POD}`))
    await until('HTTP/1.1 502 ')
    expect(run.log.before(1)[0]?.state).toBe('failed')
  })

  test('whose chunks turn into garbage breaks its answer off', async () => {
    const { port, run } = await beforeBytes((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n')
      setTimeout(() => socket.write('no number\r\n'), 20)
    })
    const { socket, closed, text } = client(port)
    socket.write(requestHead(port, `GET ${POD}`))
    await closed
    expect(text()).toMatch(/\r\n3\r\nabc\r\n$/)
    expect(run.log.before(1)[0]?.state).toBe('failed')
  })
})

// Finish runs whatever the handler does (specification 4.10), so that a request that waits gets the seat.
describe('a handler that throws', () => {
  const failing = (): never => {
    throw new Error('not of this world')
  }
  const unsendable: Identify = () => ({
    kind: 'known',
    user: { name: 'alice', groups: [] },
    added: ['X-Remote-User', 'alice\nbob'],
    without: new Set(),
  })

  test.each([
    ['before the request is sent', { identify: unsendable }],
    ['when the answer comes', { serverSays: failing }],
  ] as const)('%s gives its seat to the request that waits', async (_when, options) => {
    const { port, run } = await before((_request, response) => void setTimeout(() => response.end('done'), 20), {
      seats: 1,
      ...options,
    })
    run.configure({ levels: mandatoryLevels, schemas: mandatorySchemas })
    for (const { socket, until } of [client(port), client(port)]) {
      socket.write(requestHead(port, `GET ${POD}`))
      await until('HTTP/1.1 502 ')
    }
    expect(inUse(run)).toBe(0)
    expect(run.log.before(2).map(({ state }) => state)).toEqual(['failed', 'failed'])
  })
})

test('targets arrive byte for byte', async () => {
  const seen: (string | undefined)[] = []
  const { port } = await before((request, response) => {
    seen.push(request.url)
    response.end()
  })
  const targets = ['//api//v1', '/a%2Fb/../c/./d', '/%zz', '/a?b=%2f&c=a+b;d', `/a'|{}"<>\\^\``, '/a#b', '/%C3%A4?']
  const { socket } = client(port)
  for (const target of targets) socket.write(requestHead(port, `GET ${target}`))
  await vi.waitFor(() => expect(seen).toEqual(targets))
})

describe('a watch', () => {
  const watch = async (url: string, query: string) => {
    const abort = new AbortController()
    cleanups.push(() => abort.abort())
    await fetch(`${url}/api/v1/pods?watch=1${query}`, { headers: alice, signal: abort.signal })
    return abort
  }

  test('that never falls silent gives its seats back all the same', async () => {
    let timer: NodeJS.Timeout | undefined
    const { url, run } = await before((_request, response) => {
      timer = setInterval(() => response.write('{"type":"MODIFIED"}\n'), 5)
    })
    const abort = await watch(url, '&resourceVersion=5')
    await vi.waitFor(() => expect(inUse(run)).toBe(0), 3_000)
    abort.abort()
    clearInterval(timer)
  })

  test('that will be told of the end of its initial events holds its seats until then, however slow they are', async () => {
    let answer: http.ServerResponse | undefined
    const { url, run } = await before((_request, response) => {
      answer = response
      response.flushHeaders()
    })
    const abort = await watch(url, '&sendInitialEvents=true&allowWatchBookmarks=true')
    await sleep(100)
    expect(inUse(run)).toBe(1)
    answer?.write('{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-ev')
    await sleep(50)
    expect(inUse(run)).toBe(1)
    answer?.write('ents-end":"true"}}}}\n')
    await vi.waitFor(() => expect(inUse(run)).toBe(0))
    abort.abort()
  })

  test('whose upstream dies ends over HTTP/2, too: of a reset clients think the worst, and list everything anew', async () => {
    const { url, run } = await before(
      (request, response) => {
        response.write('{"type":"ADDED"}\n{"ty')
        setTimeout(() => request.socket.destroy(), 20)
      },
      { tls: edgeTls },
    )
    const ended = async (target: string): Promise<string> => {
      const stream = session(url).request({ ':path': target, ...alice })
      let body = ''
      stream.on('data', (piece: Buffer) => (body += piece.toString()))
      return new Promise((resolve) => {
        stream.on('end', () => resolve(`ended after ${body}`))
        stream.on('error', ({ message }: Error) => resolve(message))
      })
    }
    expect(await ended('/api/v1/pods?watch=1&resourceVersion=5')).toBe('ended after {"type":"ADDED"}\n{"ty')
    expect(await ended('/api/v1/pods?resourceVersion=5')).toContain('NGHTTP2_INTERNAL_ERROR')
    expect(run.log.before(2).map(({ state }) => state)).toEqual(['failed', 'failed'])
  })

  test('that cannot be asked is to come again in a second, as it would where nobody listens', async () => {
    const { url } = await beforeBytes((socket) => socket.destroy())
    const answer = async (target: string) => {
      const { status, headers } = await fetch(`${url}${target}`, { headers: alice })
      return [status, headers.get('retry-after')]
    }
    expect(await answer('/api/v1/pods?watch=1')).toEqual([502, '1'])
    expect(await answer('/api/v1/pods')).toEqual([502, null])
  })
})
