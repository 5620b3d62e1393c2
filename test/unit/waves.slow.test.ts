import { expect, it } from 'vitest'
import { diagnose } from '../../core/diagnose/diagnose.ts'
import { createKeptPages } from '../../main/recordings/keptPages.ts'
import { createSimulationSource } from '../../main/sources/simulation.ts'
import { standingClock } from '../harness/standingClock.ts'

/** Of the simulated cluster, in which the crawler floods for about 50 s in each 140. */
const SECONDS = { from: 30, to: 480, step: 5 } as const

it('names whoever floods in waves at each instant, and never as the one who suffers', () => {
  const clock = standingClock(1_795_957_887_298)
  const spec = {
    kind: 'simulation',
    seed: 2,
    version: 'v1.37.2',
    algorithm: 'upstream',
    maxRequestsInFlight: 400,
    maxMutatingRequestsInFlight: 200,
  } as const
  const source = createSimulationSource(spec, clock.environment)
  const kept = createKeptPages()
  const stop = new AbortController()
  source.start(stop.signal, (event) => kept.take(event))
  let seen = 0
  for (let second = 0; second <= SECONDS.to; second++, clock.advance(1_000)) {
    if (second < SECONDS.from || second % SECONDS.step > 0) continue
    const { now, findings } = diagnose(kept.all(undefined))
    if (now.level !== 'workload-low') continue
    seen += 1
    const ofLevel = findings.filter(({ place }) => place.level === 'workload-low')
    expect(ofLevel[0]?.culprit, `${second} s`).toBe('inventory:crawler')
    expect(ofLevel.flatMap(({ victims }) => victims.map(({ name }) => name))).not.toContain('inventory:crawler')
  }
  expect(seen).toBeGreaterThan(30)
  stop.abort()
})
