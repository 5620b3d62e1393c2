import { create } from 'zustand'
import type { Client } from '../../core/contract/contract.ts'
import type { UpdateState } from '../../core/contract/update.ts'
import { onAnswer } from './answer.ts'

/** State of the check for a newer version; nothing before the first answer. */
export const updateStore = create<{ readonly update?: UpdateState }>(() => ({}))

/** The other side checks at most once a day: a page that stays open receives the result within the hour. */
const AGAIN_MS = 3_600_000

/**
 * Requests from the other side whether there is a newer version, and again each hour. Returns the function that ends
 * it.
 */
export function startUpdates(client: Client): () => void {
  return onAnswer(
    () => client.call('app.update', null),
    (update) => updateStore.setState({ update }),
    { everyMs: AGAIN_MS },
  )
}
