import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  endToEnd,
  headerObject,
  rawOf,
  trailerPairs,
  valueOf,
  valuesOf,
  withLength,
  withoutWebSocketToken,
} from './headers.ts'

test('headers of the connection stay behind, and those that it names', () => {
  const raw = [
    'Host',
    'a',
    'Connection',
    'close, X-Mine',
    'X-Mine',
    '1',
    'TE',
    'trailers',
    'X-Other',
    '2',
    ':path',
    '/',
  ]
  expect(endToEnd(raw)).toEqual(['Host', 'a', 'X-Other', '2'])
  expect(endToEnd(raw, new Set(['host']))).toEqual(['X-Other', '2'])
})

test('others keep their order, spelling and repetitions', () => {
  const name = fc.constantFrom('X-A', 'x-a', 'Accept', 'WARNING')
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.string())), (pairs) => {
      const raw = pairs.flat()
      expect(endToEnd(raw)).toEqual(raw)
      expect(trailerPairs(raw)).toEqual(pairs)
      expect(Object.values(headerObject(raw)).flat().toSorted()).toEqual(pairs.map(([, value]) => value).toSorted())
    }),
  )
})

test('values are found in any spelling', () => {
  const raw = ['X-A', '1', 'x-a', '2', 'Accept', '*']
  expect([valueOf(raw, 'x-a'), valueOf(raw, 'accept'), valueOf(raw, 'x-b')]).toEqual(['1', '*', undefined])
  expect([valuesOf(raw, 'x-a'), valuesOf(raw, 'x-b')]).toEqual([['1', '2'], []])
  expect(rawOf({ A: '1', B: ['2', '3'] })).toEqual(['A', '1', 'B', '2', 'B', '3'])
})

test('a request without a body says so where one would be expected', () => {
  expect(withLength('POST', ['A', '1'])).toEqual(['A', '1', 'Content-Length', '0'])
  expect(withLength('POST', ['content-length', '0'])).toEqual(['content-length', '0'])
  expect(withLength('GET', ['A', '1'])).toEqual(['A', '1'])
})

test('a token among the subprotocols of a WebSocket stays behind, the others go on', () => {
  const token = 'base64url.bearer.authorization.k8s.io.YWJj'
  expect(withoutWebSocketToken(['A', '1', 'Sec-WebSocket-Protocol', `${token}, v4.channel.k8s.io`])).toEqual([
    'A',
    '1',
    'Sec-WebSocket-Protocol',
    'v4.channel.k8s.io',
  ])
  const others = ['sec-websocket-protocol', 'v5.channel.k8s.io']
  expect(withoutWebSocketToken(others)).toBe(others)
})

test('cookies and the headers of a front proxy pass in neither direction', () => {
  const raw = [
    'Cookie',
    'apf-console-1=x',
    'X-Remote-User',
    'root',
    'x-remote-extra-a',
    '1',
    'Set-Cookie',
    'a=1',
    'X-A',
    '1',
  ]
  expect(endToEnd(raw)).toEqual(['X-A', '1'])
})
