import { useEffect, useState } from 'react'
import type { Problem } from '../../../core/errors.ts'
import type { LibraryScenario } from '../../../core/contract/whatif.ts'
import { onAnswer } from '../../state/answer.ts'
import { client } from '../../state/client.ts'

/** The library, which does not change while the console runs. */
export function useScenarios(): {
  readonly scenarios: readonly LibraryScenario[]
  readonly problem: Problem | undefined
} {
  const [scenarios, setScenarios] = useState<readonly LibraryScenario[]>([])
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    return onAnswer(() => client().call('whatIf.scenarios', null), setScenarios, { onProblem: setProblem })
  }, [])
  return { scenarios, problem }
}
