import { gzipSync } from 'node:zlib'
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ProblemError } from '../../core/errors.ts'
import { elementsOf } from '../../core/qos/request.ts'
import { FirstMessage, framed } from './messages.ts'
import { MOST_READ_BYTES, readRequest, readStatus } from './requests.ts'

const keys = (key: string, end: string): BinaryWriter =>
  new BinaryWriter().tag(1, 2).bytes(Buffer.from(key, 'latin1')).tag(2, 2).bytes(Buffer.from(end, 'latin1'))
const range = keys('/a\xff', '/b')
  .tag(3, 0)
  .int64(500)
  .tag(4, 0)
  .int64(7)
  .tag(9, 0)
  .bool(true)
  .tag(99, 0)
  .int32(1)
  .finish()

/** What is read of a message, `unreadable: ` and a sentence for one that cannot be read in full. */
function read(method: string, payload: Uint8Array, { compressed = false, encoding = 'identity' } = {}) {
  const first = new FirstMessage(MOST_READ_BYTES)
  const message = framed(payload)
  if (compressed) message[0] = 1
  first.push(message)
  try {
    return readRequest(method, first, encoding)
  } catch (error) {
    if (error instanceof ProblemError) return `unreadable: ${error.message}`
    throw error
  }
}
const unreadable = expect.stringMatching(/^unreadable: .*so rules cannot be applied\./)
const READ = {
  requestBytes: range.length,
  body: { op: 'Range', key: '/a\xff', rangeEnd: '/b', options: { limit: 500, revision: 7, countOnly: true } },
}

test('a Range is read with its options, and fields that are not known are passed over', () => {
  expect(read('KV/Range', range)).toEqual(READ)
})

test('a compressed request is read as gzip alone, and its size is that of what etcd stores', () => {
  const packed = (payload: Uint8Array, encoding = 'gzip') =>
    read('KV/Range', gzipSync(payload), { compressed: true, encoding })
  expect(packed(range)).toEqual(READ)
  const large = keys('/a', 'x'.repeat(100_000)).finish()
  expect(packed(large)).toMatchObject({ requestBytes: large.length })
  expect(packed(range, 'snappy')).toEqual(unreadable)
  expect(packed(range, 'identity')).toEqual(unreadable)
  expect(packed(range, 'gzip,gzip')).toEqual(unreadable)
  expect(packed(Buffer.alloc(64 << 20))).toEqual(unreadable)
  expect(read('KV/Range', range, { compressed: true, encoding: 'gzip' })).toEqual(unreadable)
  // Also of methods of which nothing but the size is read.
  expect(read('KV/Compact', range, { compressed: true, encoding: 'snappy' })).toEqual(unreadable)
})

const message = (field: number, payload: Uint8Array) => new BinaryWriter().tag(field, 2).bytes(payload)
const put = message(2, keys('/p', 'value').finish()).finish()
/** A Txn that contains itself so many times. */
function nested(levels: number): Uint8Array {
  let txn = message(2, put).finish()
  for (let depth = 0; depth < levels; depth++) txn = message(depth % 2 === 0 ? 2 : 3, message(4, txn).finish()).finish()
  return txn
}

test('a Txn is read in both branches at any depth, or not at all', () => {
  const element = { op: 'Put', key: '/p' }
  const txn = new BinaryWriter().tag(2, 2).bytes(put).tag(3, 2).bytes(put).finish()
  expect(read('KV/Txn', txn)).toMatchObject({ body: { op: 'Txn', success: [element], failure: [element] } })
  const deepest = read('KV/Txn', nested(32))
  if (typeof deepest === 'string' || deepest.body === undefined) throw new Error('not read')
  expect(elementsOf(deepest.body)).toEqual([element])
  for (const levels of [33, 100, 2_000])
    expect(read('KV/Txn', nested(levels))).toBe(
      'unreadable: Txns are nested deeper than 32 levels, so rules cannot be applied.',
    )
})

test('bytes that etcd reads otherwise are not read', () => {
  const key = (text: string) => keys(text, '').finish()
  // Field 1 with a bit above 32 in its tag: another field to some readers, which would hide the real key.
  const overlong = Buffer.concat([key('/real'), Buffer.from([0x8a, 0x80, 0x80, 0x80, 0x10, 1, 0x78])])
  expect(read('KV/Put', overlong)).toEqual(unreadable)
  // Field 1 as a number: its value is not the length of what follows.
  const number = Buffer.concat([Buffer.from([0x08, 7]), key('/real')])
  for (const method of ['KV/Put', 'KV/Range', 'KV/DeleteRange', 'Auth/Authenticate'])
    expect(read(method, number)).toEqual(unreadable)
  // A branch of a Txn and its element, too.
  for (const txn of [Buffer.from([0x10, 0]), message(2, Buffer.from([0x10, 0])).finish()])
    expect(read('KV/Txn', txn)).toEqual(unreadable)
  // The last of several values counts, as it does for etcd; all elements of a Txn do.
  expect(read('KV/Put', Buffer.concat([key('/a'), key('/b')]))).toMatchObject({ body: { key: '/b' } })
  const both = new BinaryWriter().tag(1, 2).bytes(key('/r')).tag(2, 2).bytes(key('/p')).finish()
  expect(read('KV/Txn', message(3, both).finish())).toMatchObject({
    body: {
      failure: [
        { op: 'Range', key: '/r' },
        { op: 'Put', key: '/p' },
      ],
    },
  })
})

test('a message that is cut short or too long is not read', () => {
  const short = new FirstMessage(MOST_READ_BYTES)
  short.push(framed(range).subarray(0, 8))
  const long = new FirstMessage(4)
  long.push(framed(range))
  for (const first of [short, long, new FirstMessage(4)])
    expect(() => readRequest('KV/Range', first, undefined)).toThrow('incomplete or longer than 8 MiB')
})

test('no bytes of a request make the reader fail otherwise', () => {
  fc.assert(
    fc.property(fc.constantFrom('KV/Range', 'KV/Txn', 'Auth/Authenticate'), fc.uint8Array(), (method, bytes) => {
      expect(() => read(method, bytes)).not.toThrow()
    }),
  )
})

test('a status is read, with 0 for what an older etcd does not say', () => {
  const status = new BinaryWriter().tag(2, 2).string('3.6.8').tag(3, 0).int64(20_480).tag(9, 0).int64(16_384).finish()
  expect(readStatus(status)).toMatchObject({ version: '3.6.8', dbSize: 20_480, dbSizeInUse: 16_384, dbSizeQuota: 0 })
})

test('the first message is gathered however it is cut, and what follows stays', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 50 }), (payload, cuts) => {
      const bytes = Buffer.concat([framed(payload), Buffer.from('rest')])
      const first = new FirstMessage(1_000)
      let at = 0
      for (let whole = false; !whole; at += cuts) whole = first.push(bytes.subarray(at, at + cuts))
      expect([...(first.read()?.payload ?? [])]).toEqual([...payload])
      expect(Buffer.concat(first.chunks).equals(bytes.subarray(0, at))).toBe(true)
    }),
  )
})

test('a message that announces more than is read is not waited for', () => {
  const first = new FirstMessage(10)
  expect(first.push(Buffer.from([0, 0xff, 0xff, 0xff, 0xff]))).toBe(true)
  expect(first.read()).toBeUndefined()
})
