import { secondsToNs } from '../units.ts'
import type { SimulatedTraffic } from '../whatif/simulated.ts'
import { SETTLE_SECONDS } from './forecast.ts'
import { type Twin, twinRun } from './twin.ts'

/** The clients of the best guess of a twin, which go on sending after the observed time. */
export function twinClients(twin: Twin, seed: number): SimulatedTraffic {
  const { run } = twinRun(twin, (level) => twin.guesses.get(level)?.[0], seed)
  const { workload, smoothed, warmSeconds, seconds } = run
  const from = warmSeconds + SETTLE_SECONDS
  return {
    workload,
    seed,
    startUnixMs: 0,
    fromNs: secondsToNs(from),
    untilNs: secondsToNs(from + seconds),
    smoothed,
  }
}
