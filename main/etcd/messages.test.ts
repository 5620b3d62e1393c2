import { afterEach, describe, expect, it, vi } from 'vitest'
import { framed, FirstMessage, MessageScanner } from './messages.ts'

const PAYLOAD = Buffer.from(Array.from({ length: 3_000 }, (_, index) => index % 251))

afterEach(() => vi.restoreAllMocks())

describe('the first message of a stream', () => {
  it.each([1, 2, 5, 7, 4_096])('is read in pieces of %i bytes', (size) => {
    const first = new FirstMessage(10_000)
    const bytes = framed(PAYLOAD)
    for (let at = 0; at < bytes.length; at += size)
      expect(first.push(bytes.subarray(at, at + size))).toBe(at + size >= bytes.length)
    expect(first.read()).toEqual({ compressed: false, payload: PAYLOAD })
    expect(Buffer.concat(first.chunks)).toEqual(bytes)
  })

  it('copies no more than a few bytes for each piece until it is whole', () => {
    const first = new FirstMessage(10_000)
    const concat = vi.spyOn(Buffer, 'concat')
    for (const byte of framed(PAYLOAD)) first.push(Buffer.of(byte))
    const copied = concat.mock.results.reduce((sum, { value }) => sum + (Buffer.isBuffer(value) ? value.length : 0), 0)
    expect(copied).toBeLessThan(2 * PAYLOAD.length)
  })

  it('is not gathered when it is too long', () => {
    const first = new FirstMessage(10)
    expect(first.push(framed(PAYLOAD).subarray(0, 6))).toBe(true)
    expect(first.read()).toBeUndefined()
  })
})

describe('messages that go by', () => {
  it.each([1, 3, 1_000])('are found in pieces of %i bytes', (size) => {
    const heads: number[] = []
    const scanner = new MessageScanner({ onHead: (_, length) => heads.push(length) })
    const bytes = Buffer.concat([framed(PAYLOAD), framed(Buffer.alloc(0)), framed(PAYLOAD)])
    for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size))
    expect(heads).toEqual([PAYLOAD.length, 0, PAYLOAD.length])
    expect(scanner.bytes).toBe(2 * PAYLOAD.length)
  })
})
