import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineSplitter } from './openFile.ts'

describe('lines', () => {
  it('are the same however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.array(fc.nat(40)), (text, cuts) => {
        const bytes = Buffer.from(text.replaceAll('a', '\n'))
        const splitter = new LineSplitter(1_000)
        const lines: string[] = []
        let at = 0
        for (const length of [...cuts, bytes.length]) {
          const part = Buffer.from(bytes.subarray(at, at + length))
          lines.push(...splitter.push(part))
          // The reader may reuse the bytes of a part.
          part.fill(0)
          at += length
        }
        const whole = bytes.toString('utf8').split('\n')
        expect(lines).toEqual(whole.slice(0, -1))
        expect(splitter.consumed).toBe(bytes.lastIndexOf(10) + 1)
        expect(splitter.rest()).toEqual(whole.slice(-1).filter((line) => line !== ''))
        expect(splitter.consumed).toBe(bytes.length)
      }),
    )
  })

  it('that are too long are left out and counted, and the next one is whole', () => {
    const splitter = new LineSplitter(10)
    expect(splitter.push(Buffer.from('short\nfar too '))).toEqual(['short'])
    expect(splitter.push(Buffer.from('long for'))).toEqual([])
    expect(splitter.push(Buffer.from(' anybody'))).toEqual([])
    expect(splitter.push(Buffer.from('\nnext\n'))).toEqual(['next'])
    expect(splitter.tooLong).toBe(1)
    expect(splitter.consumed).toBe('short\nfar too long for anybody\nnext\n'.length)
  })

  it('begin after the first newline when reading begins within one', () => {
    const splitter = new LineSplitter(100, true)
    expect(splitter.push(Buffer.from('half of'))).toEqual([])
    expect(splitter.push(Buffer.from(' it\nwhole\n'))).toEqual(['whole'])
    expect(splitter.consumed).toBe(17)
  })
})
