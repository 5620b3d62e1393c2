import type { Client } from '../../core/contract/contract.ts'
import { limitsStore, refusalOf } from './limits.ts'
import { objectsStore } from './objects.ts'

/** Reads the limits whenever the other side is reached, and applies them. Returns the function that ends it. */
export function startLimits(client: Client): () => void {
  const stops = [
    client.onLink((link) => {
      if (!link) return
      client
        .call('app.info', null)
        .then(({ limits }) => limitsStore.setState(limits === undefined ? {} : { limits }, true))
        // A refused call returns its own error.
        .catch(() => undefined)
    }),
    limitsStore.subscribe(limitEditing),
    objectsStore.subscribe(limitEditing),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Editing that the other side refuses to switch on is impossible from here. */
function limitEditing(): void {
  const why = refusalOf('editing.switch')
  const { state } = objectsStore.getState()
  if (why === undefined || state === undefined || state.editing.state === 'impossible') return
  objectsStore.setState({ state: { ...state, editing: { state: 'impossible', why } } })
}
