import { expect, test } from 'vitest'
import { liveRun } from '../../test/harness/proxied.ts'
import type { LiveArrival, Verdict } from './liveRun.ts'

test('a request for whose head there is no room is neither the engine’s rejection nor the server’s failure', () => {
  const run = liveRun(600)
  const verdicts: Verdict[] = []
  const arrival = (bytes: number): LiveArrival => ({
    user: { name: 'alice', groups: ['system:authenticated'] },
    method: 'GET',
    target: '/api/v1/namespaces/default/pods',
    bytes,
    decide: (verdict) => void verdicts.push(verdict),
  })
  run.arrive(arrival(64 * 1024 * 1024))
  run.arrive(arrival(1))
  run.close()
  const [ran, crowded] = run.log.before(2)
  expect(ran).toMatchObject({ state: 'executing' })
  expect(crowded).toMatchObject({ state: 'crowded-out', status: 429, retryAfter: 1, level: '' })
  expect(crowded).not.toHaveProperty('reason')
  expect(verdicts).toMatchObject([{ kind: 'run' }, { kind: 'refuse', answer: { status: 429 } }])
  expect(run.crowdedOut).toBe(1)
})
