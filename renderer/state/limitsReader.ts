import type { Client } from '../../core/contract/contract.ts'
import { onAnswer } from './answer.ts'
import { limitsStore, refusalOf } from './limits.ts'
import { objectsStore } from './objects.ts'

/** Reads the limits whenever the other side is reached, and applies them. Returns the function that ends it. */
export function startLimits(client: Client): () => void {
  let end = (): void => undefined
  const stops = [
    client.onLink((link) => {
      end()
      if (!link) return
      // Without an answer everything is offered: a refused call returns its own error.
      end = onAnswer(
        () => client.call('app.info', null),
        ({ limits }) => limitsStore.setState(limits === undefined ? {} : { limits }, true),
      )
    }),
    limitsStore.subscribe(limitEditing),
    objectsStore.subscribe(limitEditing),
  ]
  return () => {
    end()
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
