import { create } from 'zustand'
import type { Client } from '../../core/contract/contract.ts'
import type { UpdateState } from '../../core/contract/update.ts'

/** What is known of a newer version; nothing until it was asked for. */
export const updateStore = create<{ readonly update?: UpdateState }>(() => ({}))

/** The other side asks at most once a day: a page that is open for long hears of it in the hour. */
const AGAIN_MS = 3_600_000

/** Asks the other side whether there is a newer version, and again each hour. Returns the function that ends it. */
export function startUpdates(client: Client): () => void {
  const ask = (): void =>
    void client.call('app.update', null).then(
      (update) => updateStore.setState({ update }),
      // The next hour may tell.
      () => undefined,
    )
  ask()
  const timer = setInterval(ask, AGAIN_MS)
  return () => clearInterval(timer)
}
