import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Callers, UNVERIFIED } from './callers.ts'

const peer = { clientIP: '10.0.0.1', name: 'cn' }
const jwt = (claims: unknown): string =>
  ['header', Buffer.from(JSON.stringify(claims)).toString('base64url'), 'signature'].join('.')

test('a caller is the user of a token that etcd issued here, or of its certificate', () => {
  const callers = new Callers()
  callers.learn('token.1', 'alice')
  expect(callers.userOf({ token: 'token.1' }, peer)).toBe('alice')
  expect(callers.userOf({ authorization: 'token.1' }, peer)).toBe('alice')
  expect(callers.userOf({}, peer)).toBe('cn')
})

test('no name that a client claims replaces a verified one, and none passes for one', () => {
  const callers = new Callers()
  callers.learn('token.1', 'alice')
  const anonymous = { ...peer, name: '' }
  for (const token of [
    'x.{"username":"bob"}.x',
    jwt({ username: 'bob' }),
    jwt({ username: 7 }),
    'token.2',
    '',
    'alice',
  ])
    for (const headers of [{ token }, { authorization: token }]) expect(callers.userOf(headers, peer)).toBe('cn')
  expect(callers.userOf({ token: jwt({ username: 'alice', revision: 7 }) }, anonymous)).toBe('unverified:alice')
  expect(callers.userOf({ token: 'token.2' }, anonymous)).toBe('')
  expect(callers.userOf({ token: jwt({ username: 7 }) }, anonymous)).toBe('')
  fc.assert(
    fc.property(fc.string(), (username) => {
      expect(callers.userOf({ token: jwt({ username }) }, anonymous)).toBe(`${UNVERIFIED}${username}`)
    }),
  )
})

test('tokens are bounded, and whatever a client sends as one is read', () => {
  const callers = new Callers()
  for (let i = 0; i < 10_001; i++) callers.learn(`token${i}`, `user${i}`)
  expect(callers.userOf({ token: 'token0' }, peer)).toBe('cn')
  expect(callers.userOf({ token: 'token10000' }, peer)).toBe('user10000')
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `a.${text}.c`),
        fc.json().map((text) => jwt(text)),
      ),
      (token) => {
        expect(typeof callers.userOf({ token }, peer)).toBe('string')
      },
    ),
  )
})
