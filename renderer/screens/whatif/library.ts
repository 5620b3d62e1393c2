import { useEffect, useState } from 'react'
import { toProblem, type Problem } from '../../../core/contract/errors.ts'
import type { LibraryScenario } from '../../../core/contract/whatif.ts'
import { client } from '../../state/client.ts'

/** The library, which does not change while the console runs. */
export function useScenarios(): {
  readonly scenarios: readonly LibraryScenario[]
  readonly problem: Problem | undefined
} {
  const [scenarios, setScenarios] = useState<readonly LibraryScenario[]>([])
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    let gone = false
    client()
      .call('whatIf.scenarios', null)
      .then(
        (found) => !gone && setScenarios(found),
        (thrown: unknown) => !gone && setProblem(toProblem(thrown)),
      )
    return () => {
      gone = true
    }
  }, [])
  return { scenarios, problem }
}
