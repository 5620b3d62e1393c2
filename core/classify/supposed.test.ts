import { expect, it } from 'vitest'
import { contextOf, isUnreadable } from './supposed.ts'

it('takes whole numbers and leaves out the rest', () => {
  expect(contextOf({ count: '42', averageSize: '3900', watchers: '' })).toEqual({
    objects: { count: 42, averageSize: 3900 },
  })
  expect(contextOf({ count: 'many', averageSize: '3900', watchers: ' 25 ' })).toEqual({ watchers: 25 })
  expect([isUnreadable(''), isUnreadable('4.5'), isUnreadable('7')]).toEqual([false, true, false])
})
