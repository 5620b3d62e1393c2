import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createGatherer } from './readPage.ts'

test('what is handed on is what was pushed, in order, and no piece is larger than need be', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 })
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 32 }), (pushed, size) => {
      const blocks: number[][] = []
      const gatherer = createGatherer((block) => blocks.push([...block]), size)
      for (const piece of pushed) gatherer.push(piece)
      gatherer.flush()
      expect(blocks.flat()).toEqual(pushed.flatMap((piece) => [...piece]))
      const largest = Math.max(size, ...pushed.map((piece) => piece.length))
      expect(blocks.every((block) => block.length > 0 && block.length <= largest)).toBe(true)
    }),
  )
})

test('pieces are gathered up to the size of a block', () => {
  const blocks: number[] = []
  const gatherer = createGatherer((block) => blocks.push(block.length), 10)
  for (let i = 0; i < 8; i++) gatherer.push(new Uint8Array(3))
  gatherer.flush()
  expect(blocks).toEqual([9, 9, 6])
})
