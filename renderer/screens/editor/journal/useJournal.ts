import { useEffect, useState } from 'react'
import { toProblem, type Problem } from '../../../../core/contract/errors.ts'
import type { JournalEntry } from '../../../../core/contract/objects.ts'
import { client } from '../../../state/client.ts'

interface Journal {
  /** Newest first; `undefined` until they were read. */
  readonly entries?: readonly JournalEntry[]
  readonly problem?: Problem
}

const readJournal = (): Promise<Journal> =>
  client()
    .call('journal.read', null)
    .then(
      (entries) => ({ entries }),
      (thrown: unknown) => ({ problem: toProblem(thrown) }),
    )

/** What was applied to a target; read again whenever `objects` change, because they tell what became of it. */
export function useJournal(targetKey: string | undefined, objects: unknown): Journal & { readonly reload: () => void } {
  const [held, setHeld] = useState<Journal & { readonly of: string | undefined }>()
  useEffect(() => {
    let current = true
    void readJournal().then((read) => current && setHeld({ ...read, of: targetKey }))
    return () => {
      current = false
    }
  }, [targetKey, objects])
  const reload = (): void => void readJournal().then((read) => setHeld({ ...read, of: targetKey }))
  return held?.of === targetKey && held !== undefined ? { ...held, reload } : { reload }
}
