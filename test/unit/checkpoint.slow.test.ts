import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApfEngine } from '../../core/engine/createEngine.ts'
import { type Algorithm, ALGORITHMS, AS_UPSTREAM, rulesOf } from '../../core/engine/profiles.ts'
import { type Step, SteppedRun } from '../harness/engine/steppedRun.ts'

const step: fc.Arbitrary<Step> = fc.record({
  op: fc.oneof(
    { weight: 12, arbitrary: fc.constant('arrive' as const) },
    { weight: 6, arbitrary: fc.constant('finish' as const) },
    fc.constantFrom('cancel', 'initialise', 'end-watch', 'configure', 'statistics', 'watches'),
  ),
  pick: fc.nat(10_000),
  // Now and then a wait ends, or the limits are computed anew.
  gap: fc.oneof({ weight: 20, arbitrary: fc.nat(40_000_000) }, fc.nat(20_000_000_000)),
})
const steps = fc.array(step, { minLength: 1, maxLength: 150 })

/** The output of the run after the checkpoint, and the checkpoint. */
function interrupted(algorithm: Algorithm, before: readonly Step[], after: readonly Step[]) {
  const run = new SteppedRun(algorithm)
  run.take(before)
  const checkpoint = run.checkpoint()
  run.log = []
  run.take(after)
  return { checkpoint, log: run.log, state: run.state() }
}

/** Starting it costs more than what it continues. */
let thread: Worker
beforeAll(() => void (thread = new Worker(new URL('../harness/engine/continueRun.ts', import.meta.url))))
afterAll(() => thread.terminate())

describe.each(ALGORITHMS)('a checkpoint under %s', (algorithm) => {
  test('continues decision for decision, and disturbs nothing', () => {
    fc.assert(
      fc.property(steps, steps, (before, after) => {
        const { checkpoint, log, state } = interrupted(algorithm, before, after)
        const whole = new SteppedRun(algorithm)
        whole.take(before)
        whole.log = []
        whole.take(after)
        expect(log).toEqual(whole.log)
        expect(state).toBe(whole.state())

        const restored = SteppedRun.from(structuredClone(checkpoint))
        restored.take(after)
        expect(restored.log).toEqual(log)
        expect(restored.state()).toBe(state)
      }),
      { numRuns: 60 },
    )
  })

  test('can be continued more than once', () => {
    fc.assert(
      fc.property(steps, steps, (before, after) => {
        const { checkpoint, log } = interrupted(algorithm, before, after)
        for (let time = 0; time < 2; time++) {
          const restored = SteppedRun.from(checkpoint)
          restored.take(after)
          expect(restored.log).toEqual(log)
        }
      }),
      { numRuns: 20 },
    )
  })

  test('continues in another thread', async () => {
    await fc.assert(
      fc.asyncProperty(steps, steps, async (before, after) => {
        const { checkpoint, log, state } = interrupted(algorithm, before, after)
        thread.postMessage({ checkpoint, steps: after }, [])
        const [told] = (await once(thread, 'message')) as [unknown]
        expect(told).toEqual({ log, state })
      }),
      { numRuns: 5 },
    )
  })

  test('refuses what cannot be copied, and a checkpoint of the other engine', () => {
    const options = {
      maxRequestsInFlight: 8,
      maxMutatingRequestsInFlight: 4,
      corrections: AS_UPSTREAM,
      startUnixMs: 0,
      onDispatch: () => undefined,
      onTimeOut: () => undefined,
    }
    const otherwise = algorithm === 'max-in-flight' ? 'upstream' : 'max-in-flight'
    const [engine, other] = ([algorithm, otherwise] as const).map((one) =>
      createApfEngine<() => void>({ ...rulesOf(one, 'v1.36.3'), ...options }),
    )
    if (engine === undefined || other === undefined) throw new Error('there are two engines')
    expect(() => other.restore(engine.checkpoint([]))).toThrow('the checkpoint is from an engine of the other mode')
  })
})
