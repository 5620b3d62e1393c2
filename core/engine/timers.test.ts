import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Timed, Timers } from './timers.ts'

interface Owner extends Timed {
  readonly id: number
}

test('timers become due by time and then by order of setting, whatever is cancelled or put off', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ op: fc.constant('set' as const), value: fc.nat(40) }) },
    { weight: 4, arbitrary: fc.record({ op: fc.constant('cancel' as const), value: fc.nat(1000) }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('put off' as const), value: fc.nat(1000) }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('take' as const), value: fc.nat(40) }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('take and put off' as const), value: fc.nat(40) }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const timers = new Timers<Owner>()
      let model: { readonly owner: Owner; readonly due: number }[] = []
      let made = 0
      // Owners are numbered in the order of setting.
      const put = (owner: Owner, due: number): void => {
        model = [...model, { owner, due }].toSorted((a, b) => a.due - b.due || a.owner.id - b.owner.id)
      }
      for (const { op, value } of steps) {
        if (op === 'set') {
          const owner = { id: made, timerPlace: -1 }
          made += 1
          timers.set(owner, value)
          put(owner, value)
        } else if (op === 'cancel') {
          const victim = model[value % Math.max(1, model.length)]
          if (victim !== undefined) timers.remove(victim.owner)
          model = model.filter((other) => other !== victim)
        } else if (op === 'put off') {
          const chosen = model[value % Math.max(1, model.length)]
          if (chosen === undefined) continue
          timers.putOff(chosen.owner, value % 40)
          model = model.filter((other) => other !== chosen)
          put(chosen.owner, value % 40)
        } else {
          const due = model[0] !== undefined && model[0].due <= value ? model.shift() : undefined
          expect(timers.takeDue(value)?.id).toBe(due?.owner.id)
          if (op === 'take' || due === undefined) continue
          timers.putOff(due.owner, value)
          put(due.owner, value)
        }
        expect(timers.size).toBe(model.length)
        expect(timers.nextNs).toBeLessThanOrEqual(model[0]?.due ?? Number.POSITIVE_INFINITY)
        expect(timers.nextNs === Number.POSITIVE_INFINITY).toBe(model.length === 0)
      }
      for (const { owner } of model) expect(timers.takeDue(1000)).toBe(owner)
      expect(timers.takeDue(1000)).toBeUndefined()
    }),
  )
})

test('a timer that is cancelled may be set again', () => {
  const timers = new Timers<Owner>()
  const owner = { id: 1, timerPlace: -1 }
  timers.set(owner, 5)
  timers.remove(owner)
  timers.remove(owner)
  timers.set(owner, 3)
  expect(timers.takeDue(2)).toBeUndefined()
  expect(timers.takeDue(3)).toBe(owner)
  expect(timers.size).toBe(0)
})

test('cancelled timers do not accumulate', () => {
  const timers = new Timers<Owner>()
  const owners = Array.from({ length: 10_000 }, (_, id) => ({ id, timerPlace: -1 }))
  for (const owner of owners) timers.set(owner, 10_000 - owner.id)
  for (const owner of owners.slice(0, 9_990)) timers.remove(owner)
  const order = Array.from({ length: 10 }, () => timers.takeDue(20_000)?.id)
  expect(order).toEqual([9999, 9998, 9997, 9996, 9995, 9994, 9993, 9992, 9991, 9990])
})
