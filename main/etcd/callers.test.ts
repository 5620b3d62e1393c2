import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Callers } from './callers.ts'

const peer = { clientIP: '10.0.0.1', name: 'cn' }
const jwt = (claims: unknown): string =>
  ['header', Buffer.from(JSON.stringify(claims)).toString('base64url'), 'signature'].join('.')

test('a caller is the user of a token that came by, of a JWT, or of its certificate', () => {
  const callers = new Callers()
  callers.learn('token.1', 'alice')
  expect(callers.userOf({ token: 'token.1' }, peer)).toBe('alice')
  expect(callers.userOf({ authorization: 'token.1' }, peer)).toBe('alice')
  expect(callers.userOf({ token: jwt({ username: 'bob', revision: 7 }) }, peer)).toBe('bob')
  expect(callers.userOf({}, peer)).toBe('cn')
  // For an unknown token the certificate does not identify the user: etcd goes by the token.
  expect(callers.userOf({ token: 'token.2' }, peer)).toBe('')
  expect(callers.userOf({ token: jwt({ username: 7 }) }, peer)).toBe('')
})

test('tokens are bounded, and whatever a client sends as one is read', () => {
  const callers = new Callers()
  for (let i = 0; i < 10_001; i++) callers.learn(`token${i}`, `user${i}`)
  expect(callers.userOf({ token: 'token0' }, peer)).toBe('')
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
