import { createNoter } from '../../core/compare/noted.ts'
import type { Noted } from '../../core/contract/recording.ts'
import { notedStore } from './noted.ts'
import { objectsStore } from './objects.ts'
import { nowAt, viewStore, type View } from './view.ts'

const MOST = 500

/** Notes changes of objects and processes until the returned function is called; each connection begins anew. */
export function startNoting(): () => void {
  let connection: number | undefined
  let noter = createNoter()
  const note = (found: readonly Noted[]): void => {
    if (found.length > 0) notedStore.setState(({ noted }) => ({ noted: [...noted, ...found].slice(-MOST) }))
  }
  const takeObjects = ({ state }: ReturnType<typeof objectsStore.getState>): void => {
    if (state === undefined) return
    if (state.connection !== connection) {
      connection = state.connection
      noter = createNoter()
      notedStore.setState({ noted: [] })
    }
    note(noter.takeObjects(state, nowAt(viewStore.getState(), Date.now())))
  }
  const takeView = ({ frame, mode }: View): void => {
    if (mode === 'past') return
    for (const server of frame?.servers ?? []) note(noter.takeServer(server))
  }
  takeObjects(objectsStore.getState())
  takeView(viewStore.getState())
  const stops = [objectsStore.subscribe(takeObjects), viewStore.subscribe(takeView)]
  return () => {
    for (const stop of stops) stop()
    notedStore.setState({ noted: [] })
  }
}
