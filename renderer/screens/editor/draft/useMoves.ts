import { useDeferredValue, useEffect, useMemo } from 'react'
import { create } from 'zustand'
import { useConnected } from '../../../state/connection.ts'
import { useDraft } from '../../../state/draft.ts'
import { useDump } from '../../../state/dumps.ts'
import { useViewPart } from '../../../state/view.ts'
import { movesOf, withSeen, type Moves, type SeenRequest } from './moves.data.ts'

const NOTHING: readonly SeenRequest[] = []

/** What dumps showed since the source was connected, also while another page was open. */
const seenStore = create<{ readonly connection: number; readonly seen: readonly SeenRequest[] }>(() => ({
  connection: 0,
  seen: NOTHING,
}))

/** Which of the requests that dumps showed would go elsewhere; `undefined` where there are no dumps. */
export function useMoves(): Moves | undefined {
  const draft = useDeferredValue(useDraft())
  const connection = useConnected()?.id ?? 0
  const server = useViewPart((view) => view.server?.id)
  const dump = useDump(server)
  useEffect(() => {
    const before = seenStore.getState()
    const seen = withSeen(before.connection === connection ? before.seen : NOTHING, dump?.requests ?? [])
    if (seen !== before.seen || connection !== before.connection) seenStore.setState({ connection, seen })
  }, [connection, dump])
  const seen = useDeferredValue(seenStore((store) => (store.connection === connection ? store.seen : NOTHING)))
  return useMemo(() => {
    const { base, proposal } = draft
    if (base === undefined || proposal === undefined || seen.length === 0) return undefined
    return movesOf(base.objects, proposal.objects, seen)
  }, [draft, seen])
}
