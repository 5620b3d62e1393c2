import { useMemo } from 'react'
import { create } from 'zustand'
import type { ObjectSet } from '../../core/config/objects.ts'
import type { ObjectsState } from '../../core/contract/objects.ts'
import { pastObjects, pastStore, usePastPart } from './past.ts'

/** Without a connection. */
export const NO_OBJECTS: ObjectsState = {
  connection: 0,
  origin: 'none',
  target: '',
  targetKey: 'none',
  state: 'unavailable',
  objects: { levels: [], schemas: [] },
  editing: { state: 'impossible', why: 'No connected source has flow-control objects.' },
}

/** Flow-control objects of the shown source at present, as reported by the other side; `undefined` before that. */
export const objectsStore = create<{ readonly state?: ObjectsState }>(() => ({}))

/** At the shown instant, for a single read. */
export function objectsNow(): ObjectsState | undefined {
  const { state } = objectsStore.getState()
  const { moment } = pastStore.getState()
  return moment === undefined ? state : pastObjects(state, moment)
}

/** At the shown instant. */
export function useObjects(): ObjectsState | undefined {
  const state = objectsStore((store) => store.state)
  const moment = usePastPart((past) => past.moment)
  return useMemo(() => (moment === undefined ? state : pastObjects(state, moment)), [state, moment])
}

/**
 * The objects that the connected server or engine applies, as far as they are known; files and recordings have none.
 */
export function useServerObjects(): ObjectSet | undefined {
  const state = useObjects()
  if (state === undefined || state.origin === 'files' || state.origin === 'none') return undefined
  return state.state === 'current' || state.state === 'stale' ? state.objects : undefined
}
