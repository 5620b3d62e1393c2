import { create } from 'zustand'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { unixMsOf } from '../../core/units.ts'
import { objectsStore } from './objects.ts'
import { objectChanges, pastWrites, processChanges, type Noted } from './noted.logic.ts'
import { nowAt, viewStore } from './view.ts'

const MOST = 500

/** What was noted of the connected source, oldest first. */
export const notedStore = create<{ readonly noted: readonly Noted[] }>(() => ({ noted: [] }))

/** Notes changes of objects and processes until the returned function is called; each connection begins anew. */
export function startNoting(): () => void {
  let connection: number | undefined
  let objects = objectsStore.getState().state?.objects
  let servers = new Map<string, ServerFrame>()
  const note = (found: readonly Noted[]): void => {
    if (found.length > 0) notedStore.setState(({ noted }) => ({ noted: [...noted, ...found].slice(-MOST) }))
  }
  const stops = [
    objectsStore.subscribe(({ state }) => {
      if (state === undefined) return
      if (state.connection !== connection) {
        connection = state.connection
        objects = undefined
        servers = new Map()
        notedStore.setState({ noted: [] })
      }
      if (state.state !== 'current' || state.objects === objects) return
      const at = state.asOf === undefined ? nowAt(viewStore.getState(), Date.now()) : unixMsOf(state.asOf)
      note(objects === undefined ? pastWrites(state.objects) : objectChanges(objects, state.objects, at))
      objects = state.objects
    }),
    viewStore.subscribe(({ frame, mode }) => {
      if (mode === 'past') return
      for (const server of frame?.servers ?? []) {
        const before = servers.get(server.id)
        if (before === server) continue
        servers.set(server.id, server)
        if (before !== undefined) note(processChanges(before, server))
      }
    }),
  ]
  return () => {
    for (const stop of stops) stop()
    notedStore.setState({ noted: [] })
  }
}
