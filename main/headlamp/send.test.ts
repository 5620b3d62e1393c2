import { expect, test } from 'vitest'
import type { HeadlampReply, HeadlampRequest } from '../../core/contract/headlamp.ts'
import { standingClock } from '../../test/harness/standingClock.ts'
import { getText, type RequestSettings } from '../cluster/http.ts'
import { headlampBase, sendThrough } from './send.ts'

const LIMITS = { connectMs: 5, firstByteMs: 5, idleMs: 10, totalMs: 1_000, maxWireBytes: 100, maxBytes: 100 }

function line(cluster = 'prod/eu 1') {
  const posted: HeadlampRequest[] = []
  let say: (reply: HeadlampReply) => void = () => undefined
  const clock = standingClock(0)
  const send = sendThrough(
    { post: (request) => posted.push(request), onReply: (listener) => void (say = listener) },
    cluster,
    clock.environment,
  )
  const settings: RequestSettings = { send, headers: {}, secrets: [] }
  const url = new URL(`${headlampBase(cluster)}/metrics?x=1`)
  const get = (more: object = {}) => getText({ url, settings, limits: LIMITS, ...more })
  return { posted, say: (reply: HeadlampReply) => say(reply), clock, get }
}
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const HEAD = { kind: 'head', id: 1, status: 200, headers: { date: 'x', 'content-type': 'text/plain' } } as const

test('asks for the path within the cluster, and hands on what comes', async () => {
  const { posted, say, get } = line()
  const asked = get()
  expect(posted).toEqual([{ kind: 'get', id: 1, path: '/metrics?x=1', accept: '*/*' }])
  say(HEAD)
  say({ kind: 'piece', id: 1, bytes: bytes('a ') })
  say({ kind: 'piece', id: 9, bytes: bytes('of another request') })
  say({ kind: 'piece', id: 1, bytes: bytes('b') })
  say({ kind: 'end', id: 1 })
  expect(await asked).toMatchObject({ ok: true, status: 200, bytes: 3, value: 'a b', headers: { date: 'x' } })
  expect(posted).toHaveLength(1)
})

test.each([
  [
    403,
    'Forbidden - no',
    'forbidden',
    'Your user may not read /metrics of kind (403); ask for the get permission on that path.',
  ],
  [401, '', 'unauthorized', 'kind does not accept Headlamp’s credentials (401). Sign in again.'],
  [undefined, 'Unreachable', 'unreachable', 'Headlamp could not reach kind; the details show the cause.'],
  [503, '', 'bad-answer', 'https://headlamp/clusters/kind/metrics failed with status 503; see the log of the server.'],
])('a failure with %s is a sentence', async (status, words, code, message) => {
  const { say, get } = line('kind')
  const asked = get()
  say({ kind: 'failed', id: 1, words, ...(status !== undefined && { status }) })
  expect(await asked).toMatchObject({ ok: false, problem: { code, message } })
})

test('gives up what takes too long, is too large, is a web page or is not wanted any more, and says so to Headlamp', async () => {
  const slow = line()
  const waited = slow.get()
  slow.clock.advance(10)
  expect(await waited).toMatchObject({ problem: { code: 'timeout' } })
  expect(slow.posted.at(-1)).toEqual({ kind: 'stop', id: 1 })

  const large = line()
  const grown = large.get()
  large.say(HEAD)
  large.say({ kind: 'piece', id: 1, bytes: new Uint8Array(101).fill(0x61) })
  expect(await grown).toMatchObject({ problem: { code: 'too-large' } })
  expect(large.posted.at(-1)).toEqual({ kind: 'stop', id: 1 })

  const page = line()
  const markup = page.get()
  page.say(HEAD)
  page.say({ kind: 'piece', id: 1, bytes: bytes('<html>') })
  expect(await markup).toMatchObject({ problem: { code: 'bad-answer' } })

  const left = line()
  const abort = new AbortController()
  const aborted = left.get({ signal: abort.signal })
  abort.abort()
  expect(await aborted).toMatchObject({ problem: { code: 'cancelled' } })
  expect(left.posted.at(-1)).toEqual({ kind: 'stop', id: 1 })
})

test('writes nothing', async () => {
  const { posted, get } = line()
  const write = { method: 'DELETE', contentType: 'application/json' }
  for (const more of [{ body: '{}' }, { write }]) {
    expect(await get(more)).toMatchObject({
      problem: { code: 'forbidden', message: 'In Headlamp the console is read-only.' },
    })
  }
  expect(posted).toEqual([])
})
