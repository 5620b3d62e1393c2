import { useEffect, useState } from 'react'
import type { Effect, EffectsState } from '../../../../core/contract/effect.ts'
import { client } from '../../../state/client.ts'
import { useConnected } from '../../../state/connection.ts'

/** The state of the watched edits of the shown source; `undefined` before the main side reported it. */
export function useEffectsState(): EffectsState | undefined {
  const connection = useConnected()?.id
  const [state, setState] = useState<EffectsState>()
  useEffect(
    () => (connection === undefined ? undefined : client().subscribe('effects', { connection }, setState)),
    [connection],
  )
  return state?.connection === connection ? state : undefined
}

interface AppliedEffect {
  readonly effect: Effect
  /** Set while it is measured. */
  readonly watched: EffectsState['watched']
}

/** The effect of a journal entry's edit, as it is measured; `undefined` where it was not watched. */
export function useAppliedEffect(id: string | undefined): AppliedEffect | undefined {
  const connection = useConnected()?.id
  const [held, setHeld] = useState<AppliedEffect>()
  useEffect(() => {
    if (connection === undefined || id === undefined) return undefined
    let gone = false
    const take = async ({ watched }: EffectsState): Promise<void> => {
      // Earlier measurements stay; the store reports read failures.
      const effect = await client()
        .call('effects.read', { connection, id })
        .catch(() => null)
      if (!gone && effect !== null) setHeld({ effect, watched: watched?.id === id ? watched : null })
    }
    const stop = client().subscribe('effects', { connection }, (state) => void take(state))
    return () => {
      gone = true
      stop()
    }
  }, [connection, id])
  return held?.effect.id === id ? held : undefined
}
