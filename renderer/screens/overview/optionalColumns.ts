import { create } from 'zustand'

/** Columns that are shown on request only. */
export const OPTIONAL_COLUMNS = [
  ['waitP50', 'Wait p50'],
  ['queuedSeats', 'Queued seats'],
  ['min', 'Min'],
  ['max', 'Max'],
  ['noAccommodation', 'No accommodation /s'],
  ['queueFull', 'queue-full /s'],
  ['timeOut', 'time-out /s'],
  ['concurrencyLimit', 'concurrency-limit /s'],
] as const
export type OptionalColumn = (typeof OPTIONAL_COLUMNS)[number][0]

interface Chosen {
  readonly chosen: ReadonlySet<OptionalColumn>
}

/** Kept while the page lives, so that going to another screen and back changes nothing. */
const store = create<Chosen>(() => ({ chosen: new Set() }))

export const useOptionalColumns = (): ReadonlySet<OptionalColumn> => store(({ chosen }) => chosen)

export function toggleColumn(column: OptionalColumn): void {
  const chosen = new Set(store.getState().chosen)
  if (!chosen.delete(column)) chosen.add(column)
  store.setState({ chosen })
}
