import { create } from 'zustand'
import { timeStore } from '../state/time.ts'
import type { TimeRange } from './crosshair.data.ts'

interface SelectedRange {
  readonly range?: TimeRange
  /** The drag paused what was live, so letting go of the range resumes it. */
  readonly pausedHere: boolean
}

/** The dragged range, shared by all charts of a screen. */
export const rangeStore = create<SelectedRange>(() => ({ pausedHere: false }))

/** Shows a range while it is dragged; live data pauses, buffering goes on. */
export function selectRange(range: TimeRange): void {
  const { paused, pause } = timeStore.getState()
  const pausedHere = rangeStore.getState().pausedHere || !paused
  if (!paused) pause()
  rangeStore.setState({ range, pausedHere })
}

/** Lets go of the range, and resumes when the drag had paused. */
export function clearRange(): void {
  const { range, pausedHere } = rangeStore.getState()
  if (range === undefined) return
  rangeStore.setState({ pausedHere: false }, true)
  if (pausedHere) timeStore.getState().resume()
}

/** Makes the range the time range of all screens. */
export function zoomToRange(): void {
  const { range } = rangeStore.getState()
  if (range === undefined) return
  timeStore.getState().zoom(range.from, range.to)
  clearRange()
}
