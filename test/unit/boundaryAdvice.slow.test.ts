import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { advise } from '../../core/advice/advise.ts'
import { createUsageTally } from '../../core/advice/usage.ts'
import type { Suggestion } from '../../core/contract/advice.ts'
import { createRunSource } from '../../main/sources/run.ts'

const text = (name: string): string =>
  // Advice on levels takes five minutes of samples.
  readFileSync(`assets/scenarios/${name}.yaml`, 'utf8').replace(/^seconds: .*$/m, 'seconds: 330')

/** What is advised on the flows of a scenario, from its samples and its last 2,000 requests. */
function advisedOn(scenario: string, variant: string): readonly Suggestion[] {
  const of = { kind: 'scenario', name: 'own', seed: 1, variant } as const
  const made = createRunSource({ kind: 'run', of, given: { scenario } })
  if (!made.ok || made.archive === undefined) throw new Error(made.ok ? 'no archive' : made.problem.message)
  const { first = 0, last = 0 } = made.archive.extent()
  const tally = createUsageTally()
  for (const { event } of made.archive.events(first, last)) tally.take(event)
  const requests = made.archive.requests?.(last, 2_000).requests ?? []
  tally.take({ kind: 'requests', changes: { event: 1, from: 0, dropped: 0, requests: [...requests] } })
  return advise(tally.read()).suggestions.filter(({ kind }) => kind === 'boundary')
}

test('users of one namespace that fill the queues of others are to be one flow (S17)', () => {
  const [suggestion, ...more] = advisedOn(text('S17'), 'by user')
  expect(more).toEqual([])
  expect(suggestion).toMatchObject({
    title: 'Let tenants distinguish flows by namespace',
    level: 'tenants',
    verdict: 'edit',
  })
  expect(suggestion?.evidence[0]).toMatch(
    /^20\d users sent \d+ % of [\d,. ]+ requests of tenants to namespace x, between /,
  )
  expect(suggestion?.changes[0]?.text).toContain('type: ByNamespace')
  expect(advisedOn(text('S17'), 'by namespace')).toEqual([])
})

test('a user who floods the one flow of its namespace is to be a flow of its own', () => {
  const shared = text('S17')
    .replaceAll('namespaces/y/', 'namespaces/x/')
    .replace('count: 200', 'count: 1')
    .replace('threads: 5', 'threads: 500')
  const [suggestion, ...more] = advisedOn(shared, 'by namespace')
  expect(more).toEqual([])
  expect(suggestion).toMatchObject({ title: 'Let tenants distinguish flows by user', verdict: 'edit' })
  expect(suggestion?.evidence[0]).toMatch(
    /^bad-0 sent .* to namespace x under tenants, .*; 1 other user sent 5 or more\.$/,
  )
  expect(suggestion?.changes[0]?.text).toContain('type: ByUser')
  expect(advisedOn(shared, 'by user')).toEqual([])
})
