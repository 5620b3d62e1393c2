import { expect, it } from 'vitest'
import { contextOf, contextOfFacts, isUnreadable } from './supposed.logic.ts'

it('takes whole numbers and leaves out the rest', () => {
  expect(contextOf({ count: '42', averageSize: '3900', watchers: '' })).toEqual({
    objects: { count: 42, averageSize: 3900 },
  })
  expect(contextOf({ count: 'many', averageSize: '3900', watchers: ' 25 ' })).toEqual({ watchers: 25 })
  expect([isUnreadable(''), isUnreadable('4.5'), isUnreadable('7')]).toEqual([false, true, false])
})

it('takes what the source reports of the resource that is asked for', () => {
  const facts = { objects: { pods: { count: 4_200, averageSize: 3_900 } }, watches: { 'deployments.apps': 12 } }
  const of = (resource: string, apiGroup = '') => contextOfFacts(facts, { isResource: true, resource, apiGroup })
  expect(of('pods')).toEqual({ objects: { count: 4_200, averageSize: 3_900 }, watchers: 0 })
  expect(of('deployments', 'apps')).toEqual({ objects: 'none', watchers: 12 })
  expect(contextOfFacts(facts, undefined)).toEqual({})
  expect(contextOfFacts(undefined, { isResource: true, resource: 'pods', apiGroup: '' })).toEqual({})
})
