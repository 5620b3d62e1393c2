import { useEffect, useState } from 'react'
import type { Effect, EffectsState } from '../../../../core/contract/effect.ts'
import { client } from '../../../state/client.ts'
import { useConnected } from '../../../state/connection.ts'

/** How the watched edits of the shown source do; `undefined` before the other side reported it. */
export function useEffectsState(): EffectsState | undefined {
  const connection = useConnected()?.id
  const [state, setState] = useState<EffectsState>()
  useEffect(
    () => (connection === undefined ? undefined : client().subscribe('effects', { connection }, setState)),
    [connection],
  )
  return state?.connection === connection ? state : undefined
}

/** What came of the edit of a journal entry, as it is measured; nothing where it was not watched. */
export function useAppliedEffect(id: string | undefined): {
  readonly effect?: Effect
  readonly watched?: EffectsState['watched']
} {
  const { connection, revision, watched = null } = useEffectsState() ?? {}
  const [read, setRead] = useState<Effect>()
  useEffect(() => {
    if (connection === undefined || id === undefined) return undefined
    let gone = false
    client()
      .call('effects.read', { connection, id })
      .then(
        (effect) => !gone && setRead(effect ?? undefined),
        // What was measured before stays; the store reports what it cannot read.
        () => undefined,
      )
    return () => {
      gone = true
    }
  }, [connection, id, revision])
  return { ...(read !== undefined && read.id === id && { effect: read }), watched: watched?.id === id ? watched : null }
}
