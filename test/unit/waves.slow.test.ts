import { expect, it } from 'vitest'
import { diagnose } from '../../core/diagnose/diagnose.ts'
import { createKeptPages } from '../../main/recordings/keptPages.ts'
import { createSimulationSource } from '../../main/sources/simulation.ts'
import { unixMsOf } from '../../core/units.ts'
import { standingClock } from '../harness/standingClock.ts'

const START_MS = 1_795_957_887_298
/** Of the simulated cluster, in which the crawler floods for about 50 s in each 140. */
const SECONDS = { from: 30, to: 480, step: 5 } as const
/** When the requests of each wave have come, seconds. */
const WAVES = [-14, 126, 266, 406] as const

it('names whoever floods in waves at each instant, and never as the one who suffers', () => {
  const clock = standingClock(START_MS)
  const spec = {
    kind: 'simulation',
    seed: 2,
    version: 'v1.37.2',
    algorithm: 'upstream',
    maxRequestsInFlight: 400,
    maxMutatingRequestsInFlight: 200,
  } as const
  // However busy this machine is, the simulation keeps up.
  const source = createSimulationSource(spec, clock.environment, { stopwatch: () => 0 })
  const kept = createKeptPages()
  const stop = new AbortController()
  let dumpedAt = 0
  source.start(stop.signal, (event) => {
    kept.take(event)
    if (event.kind === 'dump') dumpedAt = unixMsOf(event.dump.at)
  })
  let seen = 0
  let named = 0
  for (let second = 0; second <= SECONDS.to; second++, clock.advance(1_000)) {
    if (second < SECONDS.from || second % SECONDS.step > 0) continue
    const { now, findings } = diagnose(kept.all(undefined))
    if (now.level !== 'workload-low') continue
    seen += 1
    const ofLevel = findings.filter(({ place }) => place.level === 'workload-low')
    const began = WAVES.findLast((wave) => wave <= second) ?? 0
    // Until the first dump of a wave nothing shows who it is.
    const isShown = dumpedAt > START_MS + began * 1_000
    expect(ofLevel[0]?.culprit, `${second} s`).toBe(isShown ? 'inventory:crawler' : undefined)
    named += Number(isShown)
    expect(ofLevel.flatMap(({ victims }) => victims.map(({ name }) => name))).not.toContain('inventory:crawler')
  }
  expect(seen).toBeGreaterThan(30)
  expect(named).toBeGreaterThan(seen - 5)
  stop.abort()
})
