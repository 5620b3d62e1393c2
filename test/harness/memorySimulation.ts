import type { ProcedureHandlers, StreamHandlers } from '../../core/contract/contract.ts'
import type { SimulationState } from '../../core/contract/simulation.ts'

type Simulated = Extract<keyof ProcedureHandlers, `simulation.${string}`>

/** A simulation that keeps what it is told and in which nothing happens. */
export function memorySimulation(): {
  readonly procedures: Pick<ProcedureHandlers, Simulated>
  readonly stream: StreamHandlers['simulation']
} {
  let state: SimulationState = {
    speed: 1,
    paused: false,
    reachedSpeed: 1,
    at: new Date(0).toISOString(),
    elapsedSeconds: 0,
    ended: false,
    retryAfterSeconds: { 'workload-low': 4 },
    epochs: { 'workload-low': 0 },
  }
  const listeners = new Set<(state: SimulationState) => void>()
  return {
    procedures: {
      'simulation.state': async () => state,
      'simulation.control': async ({ speed = state.speed, paused = state.paused, step }) => {
        state = { ...state, speed, paused: paused || step !== undefined }
        for (const emit of listeners) emit(state)
        return state
      },
    },
    stream: (_params, emit, signal) => {
      listeners.add(emit)
      signal.addEventListener('abort', () => void listeners.delete(emit), { once: true })
      emit(state)
    },
  }
}
