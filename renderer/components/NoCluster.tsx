import { useState, type ReactNode } from 'react'
import { toProblem, type Problem } from '../../core/errors.ts'
import { connectSource } from '../state/connection.ts'
import { openScreen } from '../state/route.ts'
import { Button } from './Button.tsx'
import { EmptyState, ProblemNote } from './States.tsx'

/** A screen without a source; `children` describes what it would show. One way on needs nothing, the other a cluster. */
export function NoCluster({ page, children }: { readonly page?: string; readonly children: ReactNode }) {
  const [problem, setProblem] = useState<Problem>()
  const explore = (): void => {
    setProblem(undefined)
    connectSource({ kind: 'simulation' }).catch((thrown: unknown) => setProblem(toProblem(thrown)))
  }
  return (
    <EmptyState
      {...(page !== undefined && { page })}
      title="No cluster is connected."
      actions={
        <>
          <Button primary asks="sources.connect" onClick={explore}>
            Explore a simulated cluster
          </Button>
          <Button onClick={() => openScreen('connection')}>Connect a cluster</Button>
        </>
      }
    >
      <div>{children}</div>
      {problem !== undefined && <ProblemNote problem={problem} alert />}
    </EmptyState>
  )
}
