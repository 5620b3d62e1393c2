import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { differences } from '../../test/harness/differences.ts'
import { dumpFrame, serverFrame } from '../simulate/serverFrame.ts'
import { STRIDES } from '../bounds.ts'
import { Timeline } from '../run/timeline.ts'
import { type Playback, playbackOf } from './playback.ts'
import { readScenario } from './read.ts'

const END_NS = 30e9
const TEXT = `name: small
seconds: 30
clients:
  - name: some
    count: 3
    user: 'system:serviceaccount:tenant-{i}:app'
    threads: 20
    thinkMs: 50
    calls: [{ request: GET /api/v1/namespaces/default/pods/one, executionMs: 200 }]
  - name: chained
    user: operator
    threads: 5
    calls: [{ request: POST /api/v1/namespaces/default/pods, executionMs: 50, needs: reviews, causes: reviews }]
  - name: reviews
    user: reviewer
    onDemand: true
    threads: 3
    thinkMs: 10
    calls: [{ request: POST /apis/authorization.k8s.io/v1/subjectaccessreviews, executionMs: 30 }]
controllers:
  - { name: a, everySeconds: 11, writes: { schema: probes, type: Dangling, status: 'True' } }
  - { name: b, everySeconds: 13, writes: { schema: probes, type: Dangling, status: 'False' } }
phases:
  - { at: 6, bug: { clients: chained, thinkMs: 1 } }
  - { at: 8, executionFactor: 3 }
  - { at: 11, restart: { seconds: 1 } }
  - { at: 18, disconnect: { seconds: 4 } }
  - { at: 12, pause: { clients: some, seconds: 4 } }
  - at: 20
    configuration:
      - apiVersion: flowcontrol.apiserver.k8s.io/v1
        kind: PriorityLevelConfiguration
        metadata: { name: workload-low }
        spec:
          type: Limited
          limited:
            nominalConcurrencyShares: 10
            limitResponse: { type: Queue, queuing: { queues: 8, handSize: 2, queueLengthLimit: 5 } }
variants: [{ name: now, maxRequestsInFlight: 40, maxMutatingRequestsInFlight: 20 }, { name: turns, algorithm: drr, maxRequestsInFlight: 40 }]
`
const { scenario } = readScenario(TEXT, 'small.yaml')
if (scenario === undefined) throw new Error('the scenario is sound')

function playback(variant = 0): Playback {
  const found = scenario?.variants[variant]
  if (scenario === undefined || found === undefined) throw new Error('there is such a variant')
  return playbackOf(scenario, found)
}
const timelineOf = (interval: number, most = 64, variant = 0) => {
  const run = playback(variant)
  return { run, timeline: new Timeline(run, { endNs: END_NS, interval, most }) }
}
/** Everything that screens show at an instant, copied because the run continues. */
const stateOf = (run: Playback) =>
  structuredClone({
    atNs: run.simulation.nowNs,
    frame: serverFrame(run.simulation.engine.snapshot(), { id: 's', version: 'v1.36.3' }),
    dump: dumpFrame('s', run.simulation.engine),
    tallies: run.simulation.tallies(),
    adjustments: run.adjustments(),
    counts: run.counts(),
  })

describe('a timeline', () => {
  it.each([0, 1])('shows at every instant what an uninterrupted run has there: variant %i', (variant) => {
    const second = fc.integer({ min: 0, max: 30_000 })
    const { run, timeline } = timelineOf(500, 8, variant)
    fc.assert(
      fc.property(fc.array(second, { minLength: 1, maxLength: 4 }), (instants) => {
        for (const ms of instants) {
          timeline.seek(ms * 1e6)
          const whole = playback(variant)
          whole.runTo(ms * 1e6)
          expect(differences(stateOf(run), stateOf(whole))).toEqual([])
        }
      }),
      { numRuns: 8 },
    )
  })

  it('lets every event be heard on the way to a later one, whatever checkpoints lie between', () => {
    const { timeline } = timelineOf(100)
    timeline.seek(9e9)
    const there = timeline.events
    const heard = (): number => {
      let count = 0
      timeline.seek(2e9)
      const leave = timeline.watch(() => (count += 1))
      timeline.hearTo(there)
      leave()
      return count
    }
    const first = heard()
    expect(first).toBeGreaterThan(100)
    expect(timeline.events).toBe(there)
    expect(heard()).toBe(first)
  })

  it('goes back event by event to the same states, and on to the same ones again', () => {
    const { run, timeline } = timelineOf(100)
    timeline.seek(9e9)
    const states = [stateOf(run)]
    for (let i = 0; i < 250; i++) {
      timeline.forward('event')
      states.push(stateOf(run))
    }
    const { events } = timeline
    for (const steps of [1, 3, 99, 100]) {
      timeline.toEvent(timeline.events - steps)
      expect(timeline.events).toBe(events - steps)
      expect(differences(stateOf(run), states[250 - steps])).toEqual([])
      while (timeline.events < events) timeline.forward('event')
      expect(differences(stateOf(run), states[250])).toEqual([])
    }
    timeline.toEvent(0)
    expect([timeline.events, timeline.nowNs]).toEqual([0, 0])
  })

  it.each(STRIDES)('goes on by one %s at a time, and stops at the end', (stride) => {
    const { run, timeline } = timelineOf(1_000)
    timeline.seek(5e9)
    let [decisions, recomputations] = [0, 0]
    timeline.watch(({ kind }) => {
      if (kind === 'dispatched' || kind === 'rejected') decisions += 1
      if (kind === 'limits-adjusted') recomputations += 1
    })
    const { events } = timeline
    expect(timeline.forward(stride)).toBe(true)
    if (stride === 'event') expect(timeline.events).toBe(events + 1)
    if (stride === 'decision') expect(decisions).toBeGreaterThan(0)
    if (stride === 'second') expect(run.nowNs).toBe(6e9)
    if (stride === 'recomputation') expect([recomputations, run.nowNs]).toEqual([1, 10e9])
    timeline.seek(END_NS)
    expect(timeline.forward(stride)).toBe(false)
    expect(run.nowNs).toBe(END_NS)
  })

  it('keeps no more checkpoints than it may, and can be told to stop on the way', () => {
    const { run, timeline } = timelineOf(10, 4)
    let taken = 0
    const checkpoint = run.checkpoint.bind(run)
    run.checkpoint = () => {
      taken += 1
      return checkpoint()
    }
    timeline.seek(END_NS)
    expect(timeline.events).toBeGreaterThan(2_000)
    // The interval doubles each time there are too many.
    expect(taken).toBeLessThan(40)
    let asked = 0
    const other = timelineOf(1e9).timeline
    expect(other.seek(END_NS, () => (asked += 1) < 100)).toBe(false)
    expect(other.events).toBe(99)
  })
})
