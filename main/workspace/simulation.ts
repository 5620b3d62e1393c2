import type { ProcedureHandlers } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import type { SimulationSource } from '../ports/source.ts'
import type { Session } from './session.ts'

type SimulationProcedures = Pick<ProcedureHandlers, Extract<keyof ProcedureHandlers, `simulation.${string}`>>

/** What may be asked of the connected source when it is a simulation; `unsupported` when it is none. */
export function simulationProcedures(connected: () => Session): SimulationProcedures {
  const simulated = (): { readonly session: Session; readonly simulation: SimulationSource } => {
    const session = connected()
    const { simulation } = session
    if (simulation === undefined) {
      throw new ProblemError('unsupported', 'The connected source is no simulation, so the console only reads it.')
    }
    return { session, simulation }
  }
  return {
    'simulation.state': async () => simulated().simulation.state(),
    'simulation.control': async (change) => {
      const { session, simulation } = simulated()
      const state = simulation.control(change)
      session.tellPace()
      return state
    },
  }
}
