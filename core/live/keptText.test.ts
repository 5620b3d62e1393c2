import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRequestLine } from '../request/requestInfo.ts'
import { keptGroups, keptText, MOST_CHARACTERS, textOf } from '../run/keptText.ts'
import { RequestLog } from './requestLog.ts'
import { rowOf } from './rows.ts'

const rowFor = (target: string, user = 'alice', groups: readonly string[] = []) => {
  const read = readRequestLine('GET', target)
  return rowOf({ user: { name: user, groups }, method: 'GET', target }, 0, read.ok ? read.info : undefined)
}
const long = 'x'.repeat(100_000)

describe('texts that are kept', () => {
  it('show how much is missing', () => {
    expect(keptText('short', 5)).toBe('short')
    expect(keptText('longer', 4)).toBe('long… (2 more characters)')
    expect(keptGroups(['a', 'b'])).toEqual(['a', 'b'])
    expect(keptGroups([long, 'b', 'c'])).toEqual([
      expect.stringMatching(/^x+… \(99744 more characters\)$/),
      '… (2 more groups)',
    ])
  })

  it('have a budget in every part of a row whose length the client controls', () => {
    const most = Object.values(MOST_CHARACTERS).reduce((sum, one) => sum + one, 0) + 5 * MOST_CHARACTERS.name
    const text = fc.oneof(
      fc.string(),
      fc.nat(100_000).map((n) => 'x'.repeat(n)),
    )
    fc.assert(
      fc.property(
        text,
        text,
        text,
        text,
        fc.array(text, { maxLength: 20 }),
        (user, namespace, resource, name, groups) => {
          const path = [namespace, resource, name].map(encodeURIComponent)
          const row = rowFor(`/api/v1/namespaces/${path[0]}/${path[1]}/${path[2]}?q=${path[2]}`, user, groups)
          expect(textOf(row)).toBeLessThanOrEqual(most)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('are unchanged for usual requests', () => {
    const target = '/apis/apps/v1/namespaces/shop/deployments/web?fieldManager=kubectl'
    expect(rowFor(target, 'system:serviceaccount:shop:web', ['system:authenticated'])).toMatchObject({
      url: target,
      resource: 'deployments.apps',
      namespace: 'shop',
      name: 'web',
      groups: ['system:authenticated'],
    })
  })

  it('have a common budget: the oldest rows leave', () => {
    const log = new RequestLog(1_000, 1_000, { mostText: 50_000 })
    for (let i = 0; i < 100; i++) log.begin(rowFor(`/api/v1/pods?q=${long}`))
    const kept = log.before(1_000)
    expect(kept.reduce((sum, row) => sum + textOf(row), 0)).toBeLessThanOrEqual(50_000)
    expect(kept.length).toBeGreaterThan(10)
    expect(kept.at(-1)?.seq).toBe(99)
    for (let i = 0; i < 400; i++) log.begin(rowFor('/healthz'))
    expect(log.before(1_000).length).toBeGreaterThanOrEqual(400)
  })
})
