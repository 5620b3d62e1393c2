import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Tournament } from './tournament.ts'

/** The scan that the tree replaces. */
function scan(keys: readonly (readonly [number, number] | undefined)[], robin: number): number {
  let best = -1
  for (let step = 1; step <= keys.length; step++) {
    const index = (robin + step) % keys.length
    const key = keys[index]
    if (key === undefined) continue
    const champion = best === -1 ? undefined : keys[best]
    if (champion === undefined || key[0] < champion[0] || (key[0] === champion[0] && key[1] < champion[1])) best = index
  }
  return best
}

test('finds what a cyclic scan with strict comparison finds', () => {
  // Few different keys, so that most contests are ties.
  const key = fc.constantFrom<readonly [number, number]>([0, 1], [0, 2], [1, 0], [0xffff_ffff, 0xffff_ffff])
  const change = fc.record({ at: fc.nat(40), key: fc.option(key, { nil: undefined }), robin: fc.nat(40) })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 41 }), fc.array(change, { maxLength: 60 }), (size, changes) => {
      const tree = new Tournament(size)
      const keys: (readonly [number, number] | undefined)[] = Array.from({ length: size })
      for (const { at, key: next, robin } of changes) {
        const index = at % size
        keys[index] = next
        if (next === undefined) tree.clear(index)
        else tree.set(index, next[0], next[1])
        expect(tree.winnerAfter(robin % size)).toBe(scan(keys, robin % size))
      }
    }),
  )
})
