import { expect, test } from 'vitest'
import { engineAnswer, refusalAnswer } from './answers.ts'

const SENTENCE = 'Nothing listens there.'

test('clients of Kubernetes get an object, others the sentence', () => {
  const refused = (accept?: string) =>
    refusalAnswer({ headers: accept === undefined ? {} : { accept } }, { status: 502, sentence: SENTENCE })
  for (const accept of [undefined, '*/*', 'text/html', 'application/vnd.kubernetes.protobuf']) {
    expect(refused(accept)).toMatchObject({ body: `${SENTENCE}\n`, headers: { 'Content-Type': /^text\/plain/ } })
  }
  for (const accept of [
    'application/json',
    'application/vnd.kubernetes.protobuf, application/json',
    'application/json;as=Table',
  ]) {
    expect(JSON.parse(refused(accept).body)).toMatchObject({ kind: 'Status', message: SENTENCE, code: 502 })
  }
})

test('who is not known is told how to say who they are', () => {
  const { headers, body } = refusalAnswer(
    { headers: { accept: 'application/json' } },
    { status: 401, sentence: SENTENCE },
  )
  expect(headers['WWW-Authenticate']).toBe('Bearer')
  expect(JSON.parse(body)).toMatchObject({ reason: 'Unauthorized', code: 401 })
})

test('what the engine refuses has the id that the client gave, or one of its own', () => {
  const refused = { status: 429, headers: { 'Retry-After': '1' }, body: 'no' } as const
  const given = engineAnswer({ headers: { 'audit-id': 'mine' } }, refused)
  expect(given).toEqual({
    status: 429,
    headers: { 'Audit-Id': 'mine', 'Cache-Control': 'no-cache, private', 'Retry-After': '1' },
    body: 'no',
  })
  const ids = [0, 1].map(() => engineAnswer({ headers: {} }, refused).headers['Audit-Id'])
  expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(ids[0]).not.toBe(ids[1])
})
