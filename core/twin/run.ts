import type { ObjectSet } from '../config/objects.ts'
import type { Observation } from '../contract/forecast.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { serverFrame } from '../simulate/serverFrame.ts'
import type { Workload } from '../simulate/workload.ts'
import { type Seats, secondsToNs } from '../units.ts'
import { simulationOf } from '../whatif/simulated.ts'
import type { Variant } from '../whatif/variant.ts'
import { observe } from './observe.ts'

/** One run of a twin. */
export interface TwinRun {
  readonly workload: Workload
  /** The server as it is. */
  readonly variant: Variant
  /** Objects that are applied after `warmSeconds`; none without. */
  readonly edit?: ObjectSet | undefined
  /** Smoothed demand at the start, by level. */
  readonly smoothed: ReadonlyMap<string, Seats>
  readonly warmSeconds: number
  /** After an edit the queues and limits of before are left out. */
  readonly settleSeconds: number
  readonly seconds: number
  readonly seed: number
}

/** Before a run is measured. */
export const WARM_SECONDS = 15
/** Pages are read this often, seconds. */
const PAGE_SECONDS = 5
/** One run never takes more events than this: an edit may let clients send far more than they did. */
const MOST_EVENTS = 600_000
/** Of how many requests one asks whether it may go on. */
const EVENTS_AT_ONCE = 64

/** What pages of the twin would show of the measured time; `undefined` when it was ended or too little time was simulated. */
export function runTwin(run: TwinRun, mayGoOn: () => boolean = () => true): Observation | undefined {
  const { workload, variant, edit, smoothed, warmSeconds, settleSeconds, seconds, seed } = run
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
  const pages: ServerFrame[] = []
  for (let at = measuredFrom; at <= end; at += PAGE_SECONDS) {
    if (!simulation.runTo(secondsToNs(at), goOn)) break
    pages.push(serverFrame(simulation.engine.snapshot(), { id: 'twin', version: variant.version }))
  }
  return ended ? undefined : observe(pages)
}
