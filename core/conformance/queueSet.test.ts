import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventHeap } from './queueSet.ts'

test('events come by time, and at one instant in the order in which they were put in', () => {
  const turn = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant('take' as const))
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 60 }), (turns) => {
      const queue = new EventHeap<number>()
      let model: { ns: number; id: number }[] = []
      const happened: number[] = []
      const expected: number[] = []
      const take = (): void => {
        const [next] = model.toSorted((a, b) => a.ns - b.ns || a.id - b.id)
        expect(queue.next).toBe(next?.ns)
        queue.take()?.()
        if (next !== undefined) expected.push(next.id)
        model = model.filter((entry) => entry !== next)
        expect(queue.size).toBe(model.length)
      }
      turns.forEach((ns, id) => {
        if (ns === 'take') return take()
        queue.put(ns, () => happened.push(id))
        model.push({ ns, id })
      })
      while (model.length > 0) take()
      expect(queue.take()).toBeUndefined()
      expect(happened).toEqual(expected)
    }),
  )
})
