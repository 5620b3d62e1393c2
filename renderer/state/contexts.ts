import { useEffect, useState } from 'react'
import type { Problem } from '../../core/errors.ts'
import type { FoundContext } from '../../core/contract/source.ts'
import { onAnswer } from './answer.ts'
import { client } from './client.ts'
import { refusalOf } from './limits.ts'

export interface Contexts {
  readonly found?: readonly FoundContext[]
  readonly problem?: Problem
}

/** Contexts of the usual kubeconfig files, or of the given one. */
export function useContexts(file: string): Contexts {
  const [contexts, setContexts] = useState<Contexts>({})
  useEffect(() => {
    if (refusalOf('sources.contexts') !== undefined) return undefined
    return onAnswer(
      () => client().call('sources.contexts', file.trim() === '' ? {} : { file: file.trim() }),
      (found) => setContexts({ found }),
      { restMs: file === '' ? 0 : 500, onProblem: (problem) => setContexts({ problem }) },
    )
  }, [file])
  return contexts
}
