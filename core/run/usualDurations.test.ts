import { describe, expect, it } from 'vitest'
import { UsualDurations } from './usualDurations.ts'

const get = { verb: 'get', resource: 'pods', namespace: 'default', url: '/api/v1/namespaces/default/pods/one' }
const list = { verb: 'list', resource: 'pods', namespace: '', url: '/api/v1/pods' }
const path = (url: string) => ({ verb: 'get', resource: '', namespace: '', url })

describe('usual durations of requests', () => {
  it('are those of their kind, with more weight on the newest', () => {
    const usual = new UsualDurations()
    expect(usual.of(get)).toBe(10e6)
    usual.note(get, 100)
    expect(usual.of({ ...get, namespace: 'web', url: '/api/v1/namespaces/web/pods/two' })).toBe(100)
    usual.note(get, 200)
    expect(usual.of(get)).toBe(120)
    usual.note(list, 1_000)
    expect(usual.of(get)).toBe(120)
    expect(usual.of(list)).toBe(1_000)
  })

  it('are those of all requests for a new kind, and those of the path for a path', () => {
    const usual = new UsualDurations()
    usual.note(path('/healthz?verbose'), 100)
    usual.note(path('/metrics'), 600)
    expect(usual.of(path('/healthz'))).toBe(100)
    expect(usual.of(path('/metrics?x=1'))).toBe(600)
    expect(usual.of(get)).toBe(200)
  })

  it('are kept for a bounded number of kinds', () => {
    const usual = new UsualDurations()
    for (let i = 0; i < 10_000; i++) usual.note(path(`/${i}`), 100)
    usual.note(path('/0'), 50)
    expect(usual.of(path('/0'))).toBe(90)
    usual.note(path('/9999'), 5)
    expect(usual.of(path('/9999'))).toBeGreaterThan(50)
  })
})
