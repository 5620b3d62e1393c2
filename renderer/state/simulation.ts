import { create } from 'zustand'
import type { SimulationControl, SimulationState } from '../../core/contract/simulation.ts'
import type { Connected } from '../../core/contract/source.ts'
import { ask, useConnected } from './connection.ts'
import { sampleDistanceMs } from './view.logic.ts'

interface SimulationStore {
  /** How the shown simulation goes. */
  readonly state?: SimulationState
}

export const simulationStore = create<SimulationStore>(() => ({}))

/** The connection when what is connected is a simulation. */
export function useSimulation(): Connected | undefined {
  const connected = useConnected()
  return connected?.source.kind === 'simulation' ? connected : undefined
}

/** How the connected simulation goes; nothing for other sources. */
export function useSimulationState(): SimulationState | undefined {
  const simulation = useSimulation()
  const state = simulationStore((store) => store.state)
  return simulation === undefined ? undefined : state
}

/** Usual distance of the samples of a connection, milliseconds. */
export function useSampleDistance(connection: Connected): number {
  const speed = useSimulationState()?.speed
  return sampleDistanceMs(connection.cadence.intervalMs, speed)
}

/** Steers the simulated server, for everybody who looks at it; rejects with `ProblemError`. */
export async function controlSimulation(change: SimulationControl): Promise<void> {
  simulationStore.setState({ state: await ask('simulation.control', change) })
}
