import { expect, test } from 'vitest'
import { constant } from '../simulate/random.ts'
import { fitTwin } from '../twin/fit.ts'
import { flowsOf } from '../twin/flows.ts'
import { twinHistory } from '../twin/history.ts'
import { CALLS, clients, pagesAndDumps, SERVER, workloadOf } from '../twin/twin.fixture.ts'
import { nsToSeconds } from '../units.ts'
import { twinBase } from './ofTwin.ts'

test('a search simulates the part of a wave with the most requests under way', () => {
  const waves = { firstMs: 30_000, activeMs: 50_000, periodMs: 150_000 }
  const { pages, dumps } = pagesAndDumps(
    workloadOf(clients('crawler', 1, { kind: 'closed', threads: 100, think: constant(0), waves, calls: CALLS })),
    { from: 0, until: 500 },
  )
  const history = twinHistory(pages, 1_000)
  const twin = history && fitTwin({ history, variant: SERVER, flows: flowsOf(dumps) })
  if (twin === undefined) throw new Error('no twin')
  const simulated = (mostRequests?: number) => {
    const { base, text } = twinBase(twin, mostRequests)
    if (base.kind !== 'clients') throw new Error('no clients')
    const { fromNs, untilNs, workload } = base.traffic
    const threads = workload.groups.flatMap(({ behaviour }) =>
      behaviour.kind === 'closed' ? [...(behaviour.active?.values ?? [])] : [],
    )
    return { seconds: Math.round(nsToSeconds(untilNs - fromNs)), threads, text }
  }
  const [whole, part] = [simulated(), simulated(100)]
  expect(Math.abs(whole.seconds - 150)).toBeLessThanOrEqual(2)
  expect(whole.threads).toContain(0)
  expect(part.seconds).toBe(45)
  expect(Math.min(...part.threads)).toBeGreaterThan(50)
  expect(part.text.slice(whole.text.length)).toBe(' The search simulates the 45 s of them with the most requests.')
})
