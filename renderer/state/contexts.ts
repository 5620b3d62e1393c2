import { useEffect, useState } from 'react'
import { toProblem, type Problem } from '../../core/contract/errors.ts'
import type { FoundContext } from '../../core/contract/source.ts'
import { client } from './client.ts'
import { refusalOf } from './limits.ts'

export interface Contexts {
  readonly found?: readonly FoundContext[]
  readonly problem?: Problem
}

/** Contexts of the usual kubeconfig files, or of the named one. */
export function useContexts(file: string): Contexts {
  const [contexts, setContexts] = useState<Contexts>({})
  useEffect(() => {
    if (refusalOf('sources.contexts') !== undefined) return undefined
    let current = true
    // While a path is typed each letter would be asked for: wait for a pause.
    const timer = setTimeout(
      () => {
        client()
          .call('sources.contexts', file.trim() === '' ? {} : { file: file.trim() })
          .then(
            (found) => current && setContexts({ found }),
            (thrown: unknown) => current && setContexts({ problem: toProblem(thrown) }),
          )
      },
      file === '' ? 0 : 500,
    )
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [file])
  return contexts
}
