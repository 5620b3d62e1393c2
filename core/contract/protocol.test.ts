import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ERROR_CODES } from '../errors.ts'
import { RequestSchema, decode, type Request } from './messages.ts'
import { encode, replyIn, type Reply } from './protocol.ts'

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

test('a reply is read as it was written', () => {
  const id = fc.nat()
  const problem = fc.record({ code: fc.constantFrom(...ERROR_CODES), message: fc.string() })
  const reply: fc.Arbitrary<Reply> = fc.oneof(
    fc.record({ type: fc.constant('result' as const), id, output: fc.jsonValue() }),
    fc.record({ type: fc.constant('event' as const), id, event: fc.jsonValue() }),
    fc.record({ type: fc.constantFrom('problem' as const, 'end' as const), id, problem }),
  )
  fc.assert(
    fc.property(reply, (message) => {
      const text = encode(message)
      expect(encode(replyIn(text, text.length) ?? { type: 'ack', id: -1 })).toBe(text)
      expect(replyIn(text, text.length - 1)).toBeUndefined()
    }),
  )
})

test('anything else is no reply, and nothing throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.json()), (given) => {
      expect(replyIn(given, 1_000)).toBeUndefined()
    }),
  )
})

test.each([
  ['not text', new ArrayBuffer(8)],
  ['not JSON', '{"type":"result","id":1'],
  ['no object', '[]'],
  ['nothing', 'null'],
  ['an unknown type', '{"type":"eval","id":1}'],
  ['a type from the prototype', '{"type":"constructor","id":1}'],
  ['no id', '{"type":"result","output":1}'],
  ['a broken id', '{"type":"result","id":1.5,"output":1}'],
  ['a negative id', '{"type":"result","id":-1,"output":1}'],
  ['an id beyond numbers', '{"type":"result","id":1e400,"output":1}'],
  ['more than was agreed', '{"type":"result","id":1,"output":1,"more":true}'],
  ['what belongs to another type', '{"type":"result","id":1,"event":1}'],
  ['a prototype in disguise', '{"type":"result","id":1,"__proto__":{"admin":true}}'],
  ['a request instead of a reply', '{"type":"ack","id":1}'],
  ['no problem', '{"type":"end","id":1}'],
  ['a problem without words', '{"type":"problem","id":1,"problem":{"code":"internal"}}'],
  ['an unknown problem code', '{"type":"problem","id":1,"problem":{"code":"boom","message":"x"}}'],
  ['details that are no text', '{"type":"problem","id":1,"problem":{"code":"internal","message":"x","details":{}}}'],
])('refuses as a reply: %s', (_what, data) => {
  expect(replyIn(data, 1_000)).toBeUndefined()
})
