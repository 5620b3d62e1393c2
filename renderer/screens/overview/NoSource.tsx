import { useState } from 'react'
import { toProblem, type Problem } from '../../../core/contract/errors.ts'
import { SimulationSpecSchema } from '../../../core/contract/simulation.ts'
import { Button } from '../../components/Button.tsx'
import { EmptyState, ProblemNote } from '../../components/States.tsx'
import { connect, openConnection } from './actions.ts'

/** Nothing is connected: one choice that needs nothing, and one that needs a cluster. */
export function NoSource() {
  const [problem, setProblem] = useState<Problem>()
  const explore = () => {
    setProblem(undefined)
    connect(SimulationSpecSchema.parse({ kind: 'simulation' })).catch((thrown: unknown) =>
      setProblem(toProblem(thrown)),
    )
  }
  return (
    <EmptyState
      title="No cluster is connected."
      actions={
        <>
          <Button primary onClick={explore}>
            Explore a simulated cluster
          </Button>
          <Button onClick={openConnection}>Connect a cluster</Button>
        </>
      }
    >
      <p>Look around in a simulated cluster first; it runs on this machine.</p>
      {problem !== undefined && <ProblemNote problem={problem} alert />}
    </EmptyState>
  )
}
