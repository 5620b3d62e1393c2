import { expect, test } from 'vitest'
import { constant } from '../../core/simulate/random.ts'
import { clients, CALLS, pagesAndDumps, workloadOf } from '../../core/twin/twin.fixture.ts'
import { createKeptPages } from './keptPages.ts'

test('dumps go back as far while somebody looks at ten of them a second', () => {
  const workload = workloadOf(clients('few', 1, { kind: 'closed', threads: 4, think: constant(0), calls: CALLS }))
  const { pages, dumps } = pagesAndDumps(workload, { from: 0, until: 200 })
  const kept = createKeptPages()
  for (const frame of pages) kept.take({ kind: 'frame', frame })
  const began = Date.parse(dumps[0]?.at ?? '')
  for (let ms = 0; ms < 200_000; ms += 100) {
    const at = new Date(began + ms).toISOString()
    for (const dump of dumps.slice(0, 1)) kept.take({ kind: 'dump', dump: { ...dump, at } })
  }
  const [server] = kept.all(undefined).servers
  const ages = server?.dumps.map(({ at }) => Date.parse(at) - began) ?? []
  expect(ages).toHaveLength(41)
  expect([ages[0], ages.at(-1)]).toEqual([0, 199_900])
})
