/** Simulations of random scenarios that can be checkpointed, sent elsewhere, and continued there. */
import { builtInObjects } from '../../../core/config/builtIn.ts'
import type { EngineMode } from '../../../core/engine/profiles.ts'
import { AS_UPSTREAM, profileFor } from '../../../core/engine/profiles.ts'
import { CLUSTER } from '../../../core/simulate/cluster.ts'
import { createSimulation, type Simulation, type SimulationCheckpoint } from '../../../core/simulate/simulation.ts'
import type { ClientGroup } from '../../../core/simulate/workload.ts'

/** All that a simulation is made from. */
export interface Scenario {
  readonly mode: EngineMode
  readonly seed: number
  readonly seats: number
  readonly groups: readonly ClientGroup[]
}

export interface Continuation {
  readonly scenario: Scenario
  readonly checkpoint: SimulationCheckpoint
  readonly untilNs: number
}

const VERSION = 'v1.36.3'

export const simulationOf = ({ mode, seed, seats, groups }: Scenario): Simulation =>
  createSimulation({
    seed,
    mode,
    startUnixMs: 1_700_000_000_000,
    maxRequestsInFlight: seats,
    maxMutatingRequestsInFlight: seats,
    profile: profileFor(VERSION),
    corrections: AS_UPSTREAM,
    configuration: builtInObjects(VERSION),
    workload: { ...CLUSTER, groups },
  })

/** Every request and its outcome, and the state at the end, as text. */
export function goOn(simulation: Simulation, untilNs: number): readonly string[] {
  const lines: string[] = []
  const { engine } = simulation
  const leave = engine.subscribe((event) => {
    const whose =
      'ticket' in event
        ? JSON.stringify([
            event.ticket.payload.user.name,
            event.ticket.payload.info.path,
            event.ticket.payload.payload.owner,
          ])
        : ''
    lines.push(`${engine.nowNs} ${event.kind} ${whose}`)
  })
  simulation.runTo(untilNs)
  leave()
  lines.push(JSON.stringify([...simulation.tallies()]), JSON.stringify(simulation.facts(), listed))
  lines.push(JSON.stringify(engine.snapshot(), listed), `${simulation.runningSeats}`)
  return lines
}

const listed = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `${value}n` : value instanceof Map ? [...value] : value

export function continued({ scenario, checkpoint, untilNs }: Continuation): readonly string[] {
  const simulation = simulationOf(scenario)
  simulation.restore(checkpoint)
  return goOn(simulation, untilNs)
}
