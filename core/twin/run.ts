import type { ObjectSet } from '../config/objects.ts'
import type { Observation } from '../contract/forecast.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { serverFrame } from '../simulate/serverFrame.ts'
import type { Workload } from '../simulate/workload.ts'
import { type Seats, secondsToNs } from '../units.ts'
import type { Simulation } from '../simulate/simulation.ts'
import { simulationOf } from '../whatif/simulated.ts'
import type { Variant } from '../whatif/variant.ts'
import { observe } from './observe.ts'

export interface TwinRun {
  readonly workload: Workload
  /** The present server. */
  readonly variant: Variant
  /** Objects that are applied after `warmSeconds`; absent for a run without an edit. */
  readonly edit?: ObjectSet | undefined
  /** Smoothed demand at the start, by level. */
  readonly smoothed: ReadonlyMap<string, Seats>
  readonly warmSeconds: number
  /** Time after an edit that is not measured, while earlier queues and limits remain. */
  readonly settleSeconds: number
  readonly seconds: number
  readonly seed: number
  /** Called with the simulation when the edit has been applied. */
  readonly watched?: (simulation: Simulation) => void
}

/** Interval between pages, seconds. */
const PAGE_SECONDS = 5
/** Maximum number of events in one run: an edit may let clients send far more than before. */
const MOST_EVENTS = 600_000
/** Number of events between two calls of `mayGoOn`. */
export const EVENTS_AT_ONCE = 64

/** What pages of the twin would show for the measured time; `undefined` if it was ended or the time is too short. */
export function runTwin(run: TwinRun, mayGoOn: () => boolean = () => true): Observation | undefined {
  const { workload, variant, edit, smoothed, warmSeconds, settleSeconds, seconds, seed, watched } = run
  const measuredFrom = warmSeconds + (edit === undefined ? 0 : settleSeconds)
  const end = measuredFrom + seconds
  const [fromNs, untilNs] = [secondsToNs(measuredFrom), secondsToNs(end)]
  const simulation = simulationOf({ workload, seed, startUnixMs: 0, fromNs, untilNs, smoothed }, variant)
  let events = 0
  let ended = false
  const goOn = (): boolean => {
    events += EVENTS_AT_ONCE
    ended ||= !mayGoOn()
    return events < MOST_EVENTS && !ended
  }
  if (!simulation.runTo(secondsToNs(warmSeconds), goOn)) return undefined
  if (edit !== undefined) simulation.configure(edit)
  watched?.(simulation)
  const pages: ServerFrame[] = []
  for (let at = measuredFrom; at <= end; at += PAGE_SECONDS) {
    if (!simulation.runTo(secondsToNs(at), goOn)) break
    pages.push(serverFrame(simulation.engine.snapshot(), { id: 'twin', version: variant.version }))
  }
  return ended ? undefined : observe(pages)
}
