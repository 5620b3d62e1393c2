import { expect, test } from 'vitest'
import { builtInObjects, liveRun } from '../../test/harness/proxied.ts'
import { AS_UPSTREAM, profileFor } from '../../core/engine/profiles.ts'
import { RequestLog } from '../../core/live/requestLog.ts'
import { createLiveRun, type LiveArrival, type Verdict } from './liveRun.ts'

test('a request whose head does not fit is neither a rejection of the engine nor a failure of the server', () => {
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

test('a waiting request runs at the moment another one ends, although the clock advances meanwhile', () => {
  let ms = 0
  const run = createLiveRun('enforce', {
    engine: {
      mode: 'priority-and-fairness',
      maxRequestsInFlight: 226,
      maxMutatingRequestsInFlight: 0,
      profile: profileFor('v1.36.3'),
      corrections: AS_UPSTREAM,
      startUnixMs: 0,
    },
    // It advances with every reading, and nothing planned comes by itself.
    clock: { now: () => (ms += 0.01), after: () => () => undefined },
    log: new RequestLog(10, 10),
  })
  run.configure(builtInObjects)
  const began: number[] = []
  const calls = Array.from({ length: 60 }, (_, i) =>
    run.arrive({
      user: { name: 'alice', groups: ['system:authenticated'] },
      method: 'GET',
      target: '/api/v1/namespaces/default/pods/one',
      bytes: 1,
      decide: ({ kind }) => void (kind === 'run' && began.push(i)),
    }),
  )
  const [first = -1] = began
  const running = began.length
  expect(running).toBeLessThan(60)
  calls[first]?.finished(200, undefined)
  expect(began).toHaveLength(running + 1)
})
