import type { ObjectSet } from '../config/objects.ts'
import type { ApfEngine } from '../engine/apfEngine.ts'
import type { ServerFacts } from '../engine/facts.ts'
import type { Adjustment } from '../engine/ledger.ts'
import { withEdit } from '../impact/applyManifests.ts'
import type { ServerCall } from '../simulate/server.ts'
import type { Simulation, SimulationCheckpoint } from '../simulate/simulation.ts'
import { type Nanoseconds, secondsToNs, type UnixMs } from '../units.ts'
import type { ShownRun } from '../whatif/servers.ts'
import { simulationOf, type SimulatedTraffic } from '../whatif/simulated.ts'
import type { Variant } from '../whatif/variant.ts'
import type { Counts } from './check.ts'
import { Controllers } from './controllers.ts'
import { serverOf, trafficOf } from './traffic.ts'
import type { Phase, Scenario, ScenarioVariant } from './scenario.ts'

export interface PlaybackCheckpoint {
  readonly simulation: SimulationCheckpoint
  /** Number of agenda entries that have occurred. */
  readonly happened: number
  readonly objects: ObjectSet
  readonly controllers: ReturnType<Controllers['checkpoint']>
  readonly before: readonly Adjustment[]
}

/** Events other than client requests. */
interface Happenings {
  /** In order of time. */
  readonly agenda: readonly Entry[]
  readonly controllers: Controllers
  /** Called immediately before the server loses its requests. */
  readonly onRestart?: (() => void) | undefined
}

const NOTHING_ELSE: Happenings = { agenda: [], controllers: new Controllers([], 0) }

/** A scenario run against one of its variants. */
export const playbackOf = (scenario: Scenario, variant: ScenarioVariant, onRestart?: () => void): Playback =>
  new Playback(trafficOf(scenario), serverOf(variant), {
    agenda: agendaOf(scenario),
    controllers: new Controllers(scenario.controllers, scenario.seed),
    onRestart,
  })

/** Simulated clients and one server of a variant, event by event, including phases and controllers. */
export class Playback implements ShownRun<PlaybackCheckpoint> {
  readonly simulation: Simulation
  readonly startUnixMs: UnixMs
  private readonly happenings: Happenings
  private happened = 0
  private inForce: ObjectSet
  /** Recomputations of the limits before the last restart of the server. */
  private before: readonly Adjustment[] = []

  constructor(traffic: SimulatedTraffic, variant: Variant, happenings = NOTHING_ELSE) {
    this.simulation = simulationOf(traffic, variant)
    this.startUnixMs = traffic.startUnixMs
    this.happenings = happenings
    this.inForce = variant.objects
  }

  get engine(): ApfEngine<ServerCall> {
    return this.simulation.engine
  }

  get engines(): readonly ApfEngine<ServerCall>[] {
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

  counts(): Counts {
    return { backlog: this.simulation.backlog(), writes: this.happenings.controllers.writes() }
  }

  /** Recomputations of the limits, oldest first. */
  adjustments(): readonly Adjustment[] {
    return [...this.before, ...this.engine.adjustments()]
  }

  step(untilNs: Nanoseconds): boolean {
    const entry = this.happenings.agenda[this.happened]
    const beginsNs = entry?.atNs ?? Number.POSITIVE_INFINITY
    if (this.simulation.step(Math.min(untilNs, beginsNs))) return true
    if (entry === undefined || beginsNs > untilNs) return false
    this.simulation.runTo(beginsNs)
    this.happened += 1
    this.happen(entry)
    return true
  }

  /** Processes all events until `ns`; `false` if `mayGoOn`, called now and then, ended it earlier. */
  runTo(ns: Nanoseconds, mayGoOn?: () => boolean): boolean {
    for (
      let entry = this.happenings.agenda[this.happened];
      entry !== undefined;
      entry = this.happenings.agenda[this.happened]
    ) {
      if (entry.atNs > ns) break
      if (!this.simulation.runTo(entry.atNs, mayGoOn)) return false
      this.happened += 1
      this.happen(entry)
    }
    return this.simulation.runTo(ns, mayGoOn)
  }

  checkpoint(): PlaybackCheckpoint {
    const { simulation, happened, objects, before } = this
    return {
      simulation: simulation.checkpoint(),
      happened,
      objects,
      controllers: this.happenings.controllers.checkpoint(),
      before,
    }
  }

  restore({ simulation, happened, objects, controllers, before }: PlaybackCheckpoint): void {
    this.simulation.restore(simulation)
    this.happenings.controllers.restore(controllers)
    this.happened = happened
    this.inForce = objects
    this.before = before
  }

  private happen(entry: Entry): void {
    if (entry.kind === 'phase') return this.begin(entry.phase)
    this.configure(this.happenings.controllers.pass(entry.controller, this.objects, this.nowNs))
  }

  private begin({ configuration, executionFactor, pause, bug, restart }: Phase): void {
    const { simulation } = this
    if (configuration !== undefined) this.configure(withEdit(this.objects, configuration))
    if (executionFactor !== undefined) simulation.slow(executionFactor)
    if (pause !== undefined) simulation.pause(pause.clients, simulation.nowNs + secondsToNs(pause.seconds))
    if (bug !== undefined) simulation.hurry(bug.clients, bug.thinkMs)
    if (restart === undefined) return
    this.happenings.onRestart?.()
    this.before = this.adjustments()
    simulation.restart(simulation.nowNs + secondsToNs(restart.seconds))
  }

  private configure(objects: ObjectSet): void {
    if (objects === this.objects) return
    this.inForce = objects
    this.simulation.configure(objects)
  }
}

/** Something that happens at an instant of a scenario. */
type Entry = { readonly atNs: Nanoseconds } & (
  | { readonly kind: 'phase'; readonly phase: Phase }
  /** A controller, given by its index in the scenario, inspects the objects. */
  | { readonly kind: 'pass'; readonly controller: number }
)

/** Events of a scenario other than client requests, in order of time. */
function agendaOf({ phases, controllers, seconds }: Scenario): readonly Entry[] {
  const passes = controllers.flatMap(({ everySeconds }, controller) =>
    Array.from({ length: Math.floor(seconds / everySeconds) }, (_, turn): Entry => {
      return { kind: 'pass', controller, atNs: secondsToNs((turn + 1) * everySeconds) }
    }),
  )
  const begin = withoutStorage(phases).map((phase): Entry => ({ kind: 'phase', phase, atNs: secondsToNs(phase.at) }))
  return [...begin, ...passes].toSorted((a, b) => a.atNs - b.atNs)
}

/** The phases, with changes during a storage outage postponed until its end and applied together. */
function withoutStorage(phases: readonly Phase[]): readonly Phase[] {
  const inOrder = phases.toSorted((a, b) => a.at - b.at)
  const outages = inOrder.flatMap(({ at, disconnect }) =>
    disconnect === undefined ? [] : [{ from: at, to: at + disconnect.seconds }],
  )
  const late = new Map<number, ObjectSet>()
  const now = inOrder.map(({ configuration, ...phase }): Phase => {
    if (configuration === undefined) return phase
    let end = phase.at
    for (const { from, to } of outages) if (from <= end && end < to) end = to
    if (end === phase.at) return { ...phase, configuration }
    late.set(end, withEdit(late.get(end) ?? { levels: [], schemas: [] }, configuration))
    return phase
  })
  return [...now, ...[...late].map(([at, configuration]): Phase => ({ at, configuration }))]
}
