import { useEffect, useState } from 'react'
import { create } from 'zustand'
import { createNoter } from '../../core/compare/noted.ts'
import type { Noted } from '../../core/contract/recording.ts'
import { client } from './client.ts'
import { useConnected } from './connection.ts'
import { objectsStore } from './objects.ts'
import { askedOf, usePastPart } from './past.ts'
import { useTimePart } from './time.ts'
import { nowAt, viewStore } from './view.ts'

const MOST = 500

/** What was noted of the connected source, oldest first. */
const notedStore = create<{ readonly noted: readonly Noted[] }>(() => ({ noted: [] }))

/** Notes changes of objects and processes until the returned function is called; each connection begins anew. */
export function startNoting(): () => void {
  let connection: number | undefined
  let noter = createNoter()
  const note = (found: readonly Noted[]): void => {
    if (found.length > 0) notedStore.setState(({ noted }) => ({ noted: [...noted, ...found].slice(-MOST) }))
  }
  const stops = [
    objectsStore.subscribe(({ state }) => {
      if (state === undefined) return
      if (state.connection !== connection) {
        connection = state.connection
        noter = createNoter()
        notedStore.setState({ noted: [] })
      }
      note(noter.takeObjects(state, nowAt(viewStore.getState(), Date.now())))
    }),
    viewStore.subscribe(({ frame, mode }) => {
      if (mode === 'past') return
      for (const server of frame?.servers ?? []) note(noter.takeServer(server))
    }),
  ]
  return () => {
    for (const stop of stops) stop()
    notedStore.setState({ noted: [] })
  }
}

/** A range that is shown for so long is one that is looked at. */
const REST_MS = 300

/** What was noted of the source as it is shown: by this page of the present, by the recording of the past. */
export function useNoted(): readonly Noted[] {
  const present = notedStore(({ noted }) => noted)
  const connected = useConnected()
  const asked = usePastPart(askedOf)
  const past = asked ?? (connected?.source.kind === 'recording' ? connected.id : undefined)
  const from = useTimePart((time) => (past === undefined ? 0 : time.from))
  const to = useTimePart((time) => (past === undefined ? 0 : time.to))
  const [recorded, setRecorded] = useState<{ readonly of: number; readonly noted: readonly Noted[] }>()
  useEffect(() => {
    if (past === undefined) return undefined
    let gone = false
    const ask = async (): Promise<void> => {
      const noted = await client().call('past.noted', { connection: past, from, to })
      if (!gone) setRecorded({ of: past, noted })
    }
    // Without marks the charts say what they say; that the past cannot be read is said by the time bar.
    const timer = setTimeout(() => void ask().catch(() => undefined), REST_MS)
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [past, from, to])
  if (past === undefined) return present
  return recorded?.of === past ? recorded.noted : NONE
}
const NONE: readonly Noted[] = []
