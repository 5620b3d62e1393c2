import { create } from 'zustand'
import type { SimulationControl, SimulationState } from '../../core/contract/simulation.ts'
import type { Connected } from '../../core/contract/source.ts'
import { ask, useConnected } from './connection.ts'
import { sampleDistanceMs } from './view.logic.ts'

interface SimulationStore {
  readonly state?: SimulationState
}

export const simulationStore = create<SimulationStore>(() => ({}))

/** The connection when what is connected is a simulation. */
export function useSimulation(): Connected | undefined {
  const connected = useConnected()
  return connected?.source.kind === 'simulation' ? connected : undefined
}

/** State of the connected simulation; nothing for other sources. */
export function useSimulationState(): SimulationState | undefined {
  const simulation = useSimulation()
  const state = simulationStore((store) => store.state)
  return simulation === undefined ? undefined : state
}

/** Usual interval between samples of a connection, milliseconds. */
export function useSampleDistance(connection: Connected): number {
  const speed = useSimulationState()?.speed
  return sampleDistanceMs(connection.cadence.intervalMs, speed)
}

/** Controls the simulated server for everyone connected to it; rejects with `ProblemError`. */
export async function controlSimulation(change: SimulationControl): Promise<void> {
  simulationStore.setState({ state: await ask('simulation.control', change) })
}
