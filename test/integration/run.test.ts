import { expect, it } from 'vitest'
import type { RunSpec, WhatIfWish } from '../../core/contract/whatif.ts'
import { createRunSource } from '../../main/sources/run.ts'
import type { Archive } from '../../main/ports/archive.ts'

const variant = (name: string, maxRequestsInFlight = 40) => ({
  name,
  maxRequestsInFlight,
  maxMutatingRequestsInFlight: 20,
  servers: 1,
  version: 'v1.36.3',
  algorithm: 'upstream' as const,
  executionFactor: 1,
})
const wish: WhatIfWish = {
  from: { kind: 'cluster', seed: 1, seconds: 40 },
  clients: 'open',
  baseline: variant('baseline'),
  candidates: [
    { ...variant('half', 10), servers: 2 },
    { ...variant('filter'), algorithm: 'max-in-flight' },
  ],
}
const runOf = (place: number, clients: WhatIfWish['clients'] = 'open'): RunSpec => ({
  kind: 'run',
  of: { kind: 'comparison', wish: { ...wish, clients }, variant: place },
})

/** A run is the same at an instant, whichever instant was requested before. */
const runs = new Map<string, Required<Archive>>()
function opened(place: number, clients?: WhatIfWish['clients']): Required<Archive> {
  const key = `${place} ${clients ?? 'open'}`
  const known = runs.get(key) ?? openedAnew(runOf(place, clients))
  runs.set(key, known)
  return known
}

function openedAnew(spec: RunSpec): Required<Archive> {
  const made = createRunSource(spec)
  if (!made.ok) return expect.fail(made.problem.message)
  const { archive } = made
  const { step } = archive ?? {}
  if (archive === undefined || step === undefined) return expect.fail('a run can be stepped through')
  return { ...archive, step }
}

it.each(['open', 'closed'] as const)(
  'a run of %s-loop clients is the same at an instant however it is reached',
  (clients) => {
    const archive = opened(0, clients)
    const at = 17_345.678
    const there = JSON.stringify([archive.moment(at).frame, archive.dump('simulated-apiserver', at)])
    archive.moment(39_000)
    archive.moment(2_000)
    archive.requests(20_000, 100)
    expect(JSON.stringify([archive.moment(at).frame, archive.dump('simulated-apiserver', at)])).toBe(there)
    expect(archive.dump('simulated-apiserver', at)?.requests?.length).toBeGreaterThan(0)
    expect(archive.extent()).toMatchObject({ first: 0, last: 40_000 })
  },
)

it('steps forwards and back, and stands between two events of one instant', () => {
  const archive = opened(0)
  const start = archive.step({ at: 10_000, stride: 'decision', back: false })
  expect(start.event).toMatch(/^(dispatched|rejected|finished)/)
  const there: number[] = []
  let { at } = start.moment
  for (let i = 0; i < 30; i++) {
    const next = archive.step({ at, stride: 'event', back: false })
    at = next.moment.at
    there.push(next.events)
    // Requests for the instant of a step are answered from where the step ended.
    expect(archive.dump('simulated-apiserver', at)?.at).toBe(next.moment.frame?.at)
    archive.requests(at, 50)
  }
  expect(there).toEqual(there.map((_, index) => start.events + 1 + index))
  const back = archive.step({ at, stride: 'event', back: true })
  expect(back.events).toBe(start.events + 29)
  expect(back.event).toBeUndefined()
  const limits = archive.step({ at, stride: 'recomputation', back: false })
  expect(limits.moment.at % 10_000).toBeCloseTo(0, 3)
})

it('shows requests as they were at the instant', () => {
  const archive = opened(0)
  const { requests, complete, state } = archive.requests(20_000, 500)
  expect(requests).toHaveLength(500)
  expect(complete).toBe(false)
  expect(state?.arrived).toBeGreaterThan(500)
  expect(requests.every(({ at, waitMs = 0 }) => at <= 20_000 && at + waitMs <= 20_000 + 1e-6)).toBe(true)
  expect(new Set(requests.map((row) => row.state))).toContain('executing')
})

it('has a sample of each server each second, and their charts', () => {
  const archive = opened(1)
  const { frame, derived, objects } = archive.moment(30_000)
  expect(frame?.servers.map(({ id }) => id)).toEqual(['simulated-apiserver-1', 'simulated-apiserver-2'])
  expect(derived.map(({ id }) => id)).toEqual(['simulated-apiserver-1', 'simulated-apiserver-2'])
  expect(objects?.objects.levels.length).toBeGreaterThan(5)
  const series = archive.series('simulated-apiserver-2', { from: 0, to: 40_000, maxPoints: 100 })
  expect(series.times.length).toBeGreaterThan(30)
  expect(archive.steps('simulated-apiserver-1', 0, 40_000).length).toBeGreaterThan(2)
  expect(() => archive.series('other', { from: 0, to: 1, maxPoints: 10 })).toThrow('The run has no server "other".')
})

it('refuses in a sentence what has no levels or does not exist', () => {
  const problemOf = (spec: RunSpec) => {
    const made = createRunSource(spec)
    return made.ok ? expect.fail('it is refused') : made.problem.message
  }
  expect(problemOf(runOf(2))).toBe(
    'filter uses the max-in-flight filter, which has no priority levels to show. Step through another variant.',
  )
  expect(problemOf(runOf(5))).toBe('The comparison has 3 variants, counted from 0.')
  expect(problemOf({ kind: 'run', of: { kind: 'scenario', name: 'S99', seed: 1, variant: 'x' } })).toContain(
    'no scenario',
  )
})
