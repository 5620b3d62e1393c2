import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { Delivered, HttpRequest, Send } from './http.ts'
import { METRICS_LIMITS } from './httpProblems.ts'
import { inTurn } from './inTurn.ts'

const DELIVERED: Delivered = { ok: true, status: 200, headers: {}, bytes: 0, ms: 0 }

/** A server that answers when the test says so, and counts the requests that it has at once. */
function server() {
  const open = new Map<string, { readonly head: () => void; readonly end: () => void }>()
  let reads = 0
  let mostReads = 0
  const sent: string[] = []
  const send = inTurn((request) => {
    const { promise, resolve } = Promise.withResolvers<Delivered>()
    const costs = request.write === undefined && request.signal?.aborted !== true
    let costing = costs
    if (costs) mostReads = Math.max(mostReads, ++reads)
    sent.push(request.url.pathname)
    const cease = (): void => {
      if (costing) reads--
      costing = false
    }
    open.set(request.url.pathname, {
      head: () => {
        if (request.url.searchParams.has('watch')) cease()
        request.onHead?.()
      },
      end: () => {
        cease()
        resolve(DELIVERED)
      },
    })
    return promise
  })
  return { send, open, sent, most: () => mostReads }
}

const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0))
let host = 0
const nextOrigin = (): string => `https://server-${(host += 1)}`
const ask = (send: Send, address: string, more: Partial<HttpRequest> = {}) =>
  send(
    {
      url: new URL(address),
      settings: { send, headers: {}, secrets: [] },
      limits: METRICS_LIMITS,
      ...more,
    },
    () => undefined,
  )

test('a server has one read at a time, in the order in which they were asked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('get', 'watch'), { minLength: 1, maxLength: 8 }), async (kinds) => {
      const origin = nextOrigin()
      const { send, open, sent, most } = server()
      const asked = kinds.map((kind, at) => ask(send, `${origin}/${at}${kind === 'watch' ? '?watch=true' : ''}`))
      for (const [at, kind] of kinds.entries()) {
        await settled()
        expect(sent).toHaveLength(at + 1)
        if (kind === 'watch') open.get(`/${at}`)?.head()
        else open.get(`/${at}`)?.end()
      }
      for (const { end } of open.values()) end()
      await Promise.all(asked)
      expect(sent).toEqual(kinds.map((_, at) => `/${at}`))
      expect(most()).toBe(1)
    }),
  )
})

test('a write waits for no read, and servers do not wait for each other', async () => {
  const { send, open, sent } = server()
  const origin = nextOrigin()
  const write = { method: 'PUT', contentType: 'application/json' } as const
  const asked = [
    ask(send, `${origin}/read`),
    ask(send, `${origin}/write`, { write }),
    ask(send, `${origin}/write-again`, { write }),
    ask(send, `${nextOrigin()}/other`),
  ]
  await settled()
  expect(sent).toEqual(['/read', '/write', '/other'])
  open.get('/write')?.end()
  await settled()
  expect(sent.at(-1)).toBe('/write-again')
  for (const { end } of open.values()) end()
  await Promise.all(asked)
})

test('a cancelled request does not wait for its turn, and gives it to the next', async () => {
  const { send, open, sent } = server()
  const origin = nextOrigin()
  const stop = new AbortController()
  const first = ask(send, `${origin}/first`)
  const cancelled = ask(send, `${origin}/cancelled`, { signal: stop.signal })
  const last = ask(send, `${origin}/last`)
  await settled()
  stop.abort()
  await settled()
  expect(sent).toEqual(['/first', '/cancelled'])
  open.get('/cancelled')?.end()
  await cancelled
  await settled()
  expect(sent).toHaveLength(2)
  open.get('/first')?.end()
  await first
  await settled()
  expect(sent.at(-1)).toBe('/last')
  open.get('/last')?.end()
  await last
})

test('a request learns when it is sent, so that a page is not dated to when it was wanted', async () => {
  const { send, open } = server()
  const origin = nextOrigin()
  let turns = 0
  const asked = [ask(send, `${origin}/a`), ask(send, `${origin}/b`, { onTurn: () => void turns++ })]
  await settled()
  expect(turns).toBe(0)
  open.get('/a')?.end()
  await settled()
  expect(turns).toBe(1)
  open.get('/b')?.end()
  await Promise.all(asked)
})

test('a request that hangs does not hold up the others for long', async () => {
  vi.useFakeTimers()
  try {
    const { send, open, sent } = server()
    const origin = nextOrigin()
    const asked = [ask(send, `${origin}/hangs`), ask(send, `${origin}/page`)]
    await vi.advanceTimersByTimeAsync(1_900)
    expect(sent).toEqual(['/hangs'])
    await vi.advanceTimersByTimeAsync(100)
    expect(sent).toEqual(['/hangs', '/page'])
    for (const { end } of open.values()) end()
    await Promise.all(asked)
  } finally {
    vi.useRealTimers()
  }
})

test('a request that throws gives up its turn', async () => {
  const origin = nextOrigin()
  const failing = inTurn(() => Promise.reject(new Error('broken')))
  await expect(ask(failing, `${origin}/a`)).rejects.toThrow('broken')
  const { send, open } = server()
  const asked = ask(send, `${origin}/b`)
  await settled()
  open.get('/b')?.end()
  expect(await asked).toBe(DELIVERED)
})
