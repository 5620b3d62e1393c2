import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ReplySchema, RequestSchema, decode, encode } from './protocol.ts'
import type { Request } from './protocol.ts'

const read = (data: unknown, length = 1_000) => decode<Request>(RequestSchema, data, length)

test('reads what it writes', () => {
  const id = fc.nat()
  const request: fc.Arbitrary<Request> = fc.oneof(
    fc.record({ type: fc.constant('call' as const), id, name: fc.string(), input: fc.jsonValue() }),
    fc.record({ type: fc.constant('subscribe' as const), id, name: fc.string(), params: fc.jsonValue() }),
    fc.record({ type: fc.constant('ack' as const), id }),
    fc.record({ type: fc.constant('unsubscribe' as const), id }),
  )
  fc.assert(
    fc.property(request, (message) => {
      const text = encode(message)
      expect(encode(read(text, text.length) ?? { type: 'ack', id: -1 })).toBe(text)
    }),
  )
})

test('anything else is undefined, and nothing throws', () => {
  const data = fc.oneof(fc.anything(), fc.json())
  fc.assert(
    fc.property(data, (given) => {
      expect(read(given)).toBeUndefined()
    }),
  )
})

test.each([
  ['not text', new ArrayBuffer(8)],
  ['not JSON', '{"type":"ack","id":1'],
  ['no object', '[]'],
  ['an unknown type', '{"type":"eval","id":1}'],
  ['a type from the prototype', '{"type":"constructor","id":1}'],
  ['no id', '{"type":"ack"}'],
  ['a broken id', '{"type":"ack","id":1.5}'],
  ['a negative id', '{"type":"ack","id":-1}'],
  ['an id beyond numbers', '{"type":"ack","id":1e400}'],
  ['more than was agreed', '{"type":"ack","id":1,"more":true}'],
  ['a prototype in disguise', '{"type":"ack","id":1,"__proto__":{"admin":true}}'],
  ['a reply instead of a request', '{"type":"result","id":1,"output":1}'],
])('refuses %s', (_what, data) => {
  expect(read(data)).toBeUndefined()
})

test('does not even parse what is too long', () => {
  const long = encode({ type: 'call', id: 1, name: 'x', input: 'y'.repeat(1_000) })
  expect(read(long)).toBeUndefined()
  expect(read(long, long.length)).toBeDefined()
})

test('a reply with an unknown problem code is not a reply', () => {
  const text = '{"type":"problem","id":1,"problem":{"code":"boom","message":"x"}}'
  expect(decode(ReplySchema, text, 1_000)).toBeUndefined()
})
