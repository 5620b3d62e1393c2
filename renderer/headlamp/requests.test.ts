import { expect, test, vi } from 'vitest'
import type { HeadlampReply, HeadlampRequest } from '../../core/contract/headlamp.ts'
import { answerRequests } from './requests.ts'

interface Asked {
  readonly path: string
  readonly params: { readonly cluster: string; readonly headers: object; readonly signal: AbortSignal }
}

/** A line of the frame, and a Headlamp with a configurable answer. */
function frame(answer: (path: string) => Promise<unknown>) {
  const { port1, port2 } = new MessageChannel()
  const heard: HeadlampReply[] = []
  const asked: Asked[] = []
  port2.addEventListener('message', ({ data }: MessageEvent<HeadlampReply>) => heard.push(data))
  port2.start()
  const stop = answerRequests(port1, 'kind', {
    clusterRequest: (path, params) => {
      asked.push({ path, params })
      return answer(path)
    },
  })
  return { asked, heard, stop, post: (message: unknown) => port2.postMessage(message) }
}
const get = (path: string, id = 1): HeadlampRequest => ({ kind: 'get', id, path, accept: 'text/plain' })

test('reads with the rights of the user, and passes on what comes', async () => {
  const { asked, heard, post } = frame(async () => new Response('up 1\n', { headers: { date: 'now' } }))
  post(get('/metrics'))
  await vi.waitFor(() => expect(heard.at(-1)).toEqual({ kind: 'end', id: 1 }))
  expect(asked[0]).toMatchObject({
    path: '/metrics',
    params: { cluster: 'kind', isJSON: false, autoLogoutOnAuthError: false, headers: { Accept: 'text/plain' } },
  })
  expect(heard[0]).toMatchObject({ kind: 'head', status: 200, headers: { date: 'now' } })
  const [piece] = heard.flatMap((reply) => (reply.kind === 'piece' ? [reply] : []))
  expect(new TextDecoder().decode(piece?.bytes)).toBe('up 1\n')
})

test('reads no other path and no other thing, whatever the frame says', async () => {
  const { asked, heard, post } = frame(async () => new Response(''))
  const odd = [null, 5, {}, { kind: 'get', id: 'x' }, { kind: 'post', id: 3, path: '/metrics', accept: '' }]
  for (const message of odd) post(message)
  post(get('/api/v1/secrets', 2))
  await vi.waitFor(() => expect(heard).toHaveLength(1))
  expect(heard).toEqual([{ kind: 'failed', id: 2, status: 403, words: 'The console may not read /api/v1/secrets.' }])
  expect(asked).toEqual([])
})

test('tells a refusal with its status', async () => {
  const { heard, post } = frame(() => Promise.reject(Object.assign(new Error('Forbidden - no'), { status: 403 })))
  post(get('/metrics'))
  await vi.waitFor(() => expect(heard).toEqual([{ kind: 'failed', id: 1, status: 403, words: 'Forbidden - no' }]))
})

test('stops what is not wanted any more', async () => {
  const { asked, heard, post, stop } = frame(() => new Promise(() => undefined))
  post(get('/metrics', 1))
  post(get('/version', 2))
  post({ kind: 'stop', id: 1 })
  await vi.waitFor(() => expect(asked.map(({ params }) => params.signal.aborted)).toEqual([true, false]))
  stop()
  expect(asked.map(({ params }) => params.signal.aborted)).toEqual([true, true])
  expect(heard).toEqual([])
})
