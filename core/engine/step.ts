import type { Nanoseconds } from '../units.ts'
import type { ApfEngine } from './apfEngine.ts'

/**
 * Processes everything that is due up to `ns`, each thing at its instant, and moves there; an earlier time counts as
 * the present. `false` when `mayGoOn`, called before each thing, returned `false`: the rest is then still to be done.
 */
export function runTo<T>(engine: ApfEngine<T>, ns: Nanoseconds, mayGoOn: () => boolean = () => true): boolean {
  for (let next = engine.nextWakeNs(); next <= ns; next = engine.nextWakeNs()) {
    if (!mayGoOn()) return false
    engine.moveTo(Math.max(next, engine.nowNs))
    engine.wake()
  }
  engine.moveTo(Math.max(ns, engine.nowNs))
  return true
}

/** Processes the next thing that is due by `untilNs`; `false` when nothing is due. */
export function stepOf<T>(engine: ApfEngine<T>, untilNs: Nanoseconds): boolean {
  for (let next = engine.nextWakeNs(); next <= untilNs; next = engine.nextWakeNs()) {
    engine.moveTo(Math.max(next, engine.nowNs))
    if (engine.wake()) return true
  }
  return false
}
