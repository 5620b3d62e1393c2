import type { ObjectSet } from '../config/objects.ts'
import type { ApfEngine, ServerFacts } from '../engine/apfEngine.ts'
import { withEdit } from '../impact/applyManifests.ts'
import type { Call } from '../simulate/server.ts'
import type { Simulation, SimulationCheckpoint } from '../simulate/simulation.ts'
import { type Nanoseconds, secondsToNs, type UnixMs } from '../units.ts'
import type { ShownRun } from '../whatif/servers.ts'
import { simulationOf, type SimulatedTraffic } from '../whatif/simulated.ts'
import type { Variant } from '../whatif/variant.ts'
import { serverOf, trafficOf } from './traffic.ts'
import type { Phase, Scenario, ScenarioVariant } from './scenario.ts'

export interface PlaybackCheckpoint {
  readonly simulation: SimulationCheckpoint
  /** Phases that have begun. */
  readonly begun: number
  readonly objects: ObjectSet
}

/** A scenario before one of its variants. */
export const playbackOf = (scenario: Scenario, variant: ScenarioVariant): Playback =>
  new Playback(trafficOf(scenario), serverOf(variant), scenario.phases)

/** Simulated clients before one server of a variant, event by event, phases included. */
export class Playback implements ShownRun<PlaybackCheckpoint> {
  readonly simulation: Simulation
  readonly startUnixMs: UnixMs
  private readonly phases: readonly Phase[]
  private begun = 0
  private inForce: ObjectSet

  constructor(traffic: SimulatedTraffic, variant: Variant, phases: readonly Phase[] = []) {
    this.simulation = simulationOf(traffic, variant)
    this.startUnixMs = traffic.startUnixMs
    this.phases = phases.toSorted((a, b) => a.at - b.at)
    this.inForce = variant.objects
  }

  get engine(): ApfEngine<Call> {
    return this.simulation.engine
  }

  get engines(): readonly ApfEngine<Call>[] {
    return [this.engine]
  }

  get nowNs(): Nanoseconds {
    return this.simulation.nowNs
  }

  get objects(): ObjectSet {
    return this.inForce
  }

  facts(): ServerFacts {
    return this.simulation.facts()
  }

  step(untilNs: Nanoseconds): boolean {
    const phase = this.phases[this.begun]
    const beginsNs = phase === undefined ? Number.POSITIVE_INFINITY : secondsToNs(phase.at)
    if (this.simulation.step(Math.min(untilNs, beginsNs))) return true
    if (phase === undefined || beginsNs > untilNs) return false
    this.simulation.runTo(beginsNs)
    this.begun += 1
    this.begin(phase)
    return true
  }

  /** Lets everything happen until `ns`; `false` when `mayGoOn`, asked now and then, ended it before. */
  runTo(ns: Nanoseconds, mayGoOn?: () => boolean): boolean {
    for (let phase = this.phases[this.begun]; phase !== undefined; phase = this.phases[this.begun]) {
      const beginsNs = secondsToNs(phase.at)
      if (beginsNs > ns) break
      if (!this.simulation.runTo(beginsNs, mayGoOn)) return false
      this.begun += 1
      this.begin(phase)
    }
    return this.simulation.runTo(ns, mayGoOn)
  }

  checkpoint(): PlaybackCheckpoint {
    return { simulation: this.simulation.checkpoint(), begun: this.begun, objects: this.inForce }
  }

  restore({ simulation, begun, objects }: PlaybackCheckpoint): void {
    this.simulation.restore(simulation)
    this.begun = begun
    this.inForce = objects
  }

  private begin({ configuration, executionFactor, pause }: Phase): void {
    const { simulation } = this
    if (configuration !== undefined) simulation.configure((this.inForce = withEdit(this.inForce, configuration)))
    if (executionFactor !== undefined) simulation.slow(executionFactor)
    if (pause !== undefined) simulation.pause(pause.clients, simulation.nowNs + secondsToNs(pause.seconds))
  }
}
