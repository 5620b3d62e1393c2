import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requestInfo } from '../request/requestInfo.ts'
import { parseRequestTarget } from '../request/requestTarget.ts'
import { WatchTracker } from './watchTracker.ts'

const read = (method: string, url: string) => {
  const target = parseRequestTarget(url)
  if (target === undefined) throw new Error(url)
  return { info: requestInfo(method, target).info, query: target.query }
}

test('a watch that has ended is no longer counted', () => {
  const tracker = new WatchTracker()
  const interested = () => tracker.interested(read('PUT', '/api/v1/namespaces/ns1/pods/foo').info)
  const registered = ['/api/v1/pods?watch=1', '/api/v1/namespaces/ns1/pods?watch=1', '/api/v1/pods?watch=1'].map(
    (url) => {
      const { info, query } = read('GET', url)
      return tracker.register(info, query)
    },
  )
  expect(interested()).toBe(3)
  for (const [i, watch] of registered.entries()) {
    if (watch !== undefined) tracker.forget(watch)
    expect(interested()).toBe(2 - i)
  }
})

test('watches elsewhere count together with registered ones', () => {
  const tracker = new WatchTracker()
  const interested = (url: string) => tracker.interested(read('PUT', url).info)
  const { info, query } = read('GET', '/api/v1/pods?watch=1')
  const watch = tracker.register(info, query)
  tracker.setTotal('', 'pods', 12)
  tracker.setTotal('apps', 'deployments', 3)
  expect(interested('/api/v1/namespaces/ns1/pods/foo')).toBe(12)
  expect(interested('/apis/apps/v1/namespaces/ns1/deployments/foo')).toBe(3)
  expect(interested('/api/v1/nodes/foo')).toBe(0)
  if (watch !== undefined) tracker.forget(watch)
  expect(interested('/api/v1/namespaces/ns1/pods/foo')).toBe(11)
  // An outdated total, below the number registered here, removes nothing from it.
  tracker.register(info, query)
  tracker.setTotal('', 'pods', 0)
  expect(interested('/api/v1/namespaces/ns1/pods/foo')).toBe(1)
  expect(tracker.interested(info)).toBe(0)
})

// Names that share characters, so that parts that run together would be confused.
const part = fc.constantFrom('', 'a', 'aa', 'ab', 'b', ',', '1,')
const watchInfo = fc
  .record({ apiGroup: part, resource: part, namespace: part, name: part })
  .map((parts) => ({ ...read('GET', '/api/v1/pods?watch=1').info, ...parts }))

test('counts the open watches, and keeps nothing of ended ones', () => {
  const steps = fc.array(fc.oneof(watchInfo, fc.nat({ max: 20 })), { maxLength: 60 })
  fc.assert(
    fc.property(steps, watchInfo, (all, changed) => {
      const tracker = new WatchTracker()
      const open: { readonly info: typeof changed; readonly end: () => void }[] = []
      for (const step of all) {
        if (typeof step === 'number') {
          open.splice(step, 1).forEach(({ end }) => end())
          continue
        }
        const watch = tracker.register(step, new Map())
        if (watch !== undefined) open.push({ info: step, end: () => tracker.forget(watch) })
      }
      const told = open
        .map(({ info }) => info)
        .filter(
          ({ apiGroup, resource, namespace, name }) =>
            apiGroup === changed.apiGroup &&
            resource === changed.resource &&
            (namespace === '' ? name === '' || changed.namespace === '' : namespace === changed.namespace) &&
            (name === '' || name === changed.name),
        )
      expect(tracker.interested({ ...changed, verb: 'update' })).toBe(told.length)
      expect(tracker.size).toBeLessThanOrEqual(open.length)
      open.forEach(({ end }) => end())
      expect(tracker.size).toBe(0)
    }),
  )
})

test('a total that has become 0 leaves nothing', () => {
  const tracker = new WatchTracker()
  tracker.setTotal('', 'pods', 3)
  expect(tracker.size).toBe(1)
  tracker.setTotal('', 'pods', 0)
  expect(tracker.size).toBe(0)
})
