import { useCallback, useState } from 'react'
import { builtInObjects } from '../../../../core/config/builtIn.ts'
import type { ObjectSet } from '../../../../core/config/objects.ts'
import { toProblem, type Problem } from '../../../../core/contract/errors.ts'
import type { Elsewhere } from '../../../../core/contract/objects.ts'
import { client } from '../../../state/client.ts'
import type { Reference } from './drift.text.ts'

interface Other {
  readonly reference: Reference
  readonly objects: ObjectSet
  /** What could not be read, in sentences. */
  readonly notes: readonly string[]
}

export interface ReferenceChoice extends Other {
  readonly busy: boolean
  readonly problem?: Problem
  /** Compares with objects from elsewhere; those from before stay until they are read. */
  readonly compareWith: (from: () => Promise<Elsewhere>) => void
  readonly compareWithBuiltIn: () => void
}

/** What the present objects are compared with: the built-in ones of their version until somebody asks for others. */
export function useReference(version: string): ReferenceChoice {
  const [other, setOther] = useState<Other>()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const compareWith = useCallback((from: () => Promise<Elsewhere>): void => {
    setBusy(true)
    setProblem(undefined)
    const read = async (): Promise<void> => {
      try {
        const { name, objects, notes } = await client().call('objects.elsewhere', { from: await from() })
        setOther({ reference: { kind: 'elsewhere', name }, objects, notes })
      } catch (thrown) {
        setProblem(toProblem(thrown))
      } finally {
        setBusy(false)
      }
    }
    void read()
  }, [])
  const compareWithBuiltIn = useCallback((): void => {
    setOther(undefined)
    setProblem(undefined)
  }, [])
  const shown = other ?? {
    reference: { kind: 'built-in' as const, version },
    objects: builtInObjects(version),
    notes: [],
  }
  return { ...shown, busy, ...(problem !== undefined && { problem }), compareWith, compareWithBuiltIn }
}
