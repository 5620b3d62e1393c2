import { useEffect, useState } from 'react'
import { toProblem, type Problem } from '../../../../core/contract/errors.ts'
import type { JournalEntry } from '../../../../core/contract/objects.ts'
import { client } from '../../../state/client.ts'
import { objectsStore } from '../../../state/objects.ts'

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

/** What was applied to a target; read again whenever its objects change, because they tell what became of it. */
export function useJournal(targetKey: string | undefined): Journal & { readonly reload: () => void } {
  const [held, setHeld] = useState<Journal & { readonly of: string | undefined }>()
  useEffect(() => {
    let asked = 0
    let shown = 0
    const load = async (): Promise<void> => {
      const own = ++asked
      const read = await readJournal()
      if (own < shown) return
      shown = own
      setHeld({ ...read, of: targetKey })
    }
    void load()
    const stop = objectsStore.subscribe(({ state }, before) => {
      if (state?.objects !== before.state?.objects) void load()
    })
    return () => {
      shown = Infinity
      stop()
    }
  }, [targetKey])
  const reload = (): void => void readJournal().then((read) => setHeld({ ...read, of: targetKey }))
  return held?.of === targetKey && held !== undefined ? { ...held, reload } : { reload }
}
