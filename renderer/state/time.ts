import { create } from 'zustand'
import { absolute, bounds, panned, zoomed, type TimeWindow } from './time.logic.ts'

export interface TimeState {
  readonly window: TimeWindow
  /** Length of the last relative range, seconds. */
  readonly rangeSeconds: number
  /** The shown range, Unix milliseconds; follows the newest sample unless paused or absolute. */
  readonly from: number
  readonly to: number
  readonly paused: boolean
  /** The chosen instant, Unix milliseconds; see `instantOf`. */
  readonly chosen?: number
  /** Crosshair shared by all charts, Unix milliseconds. */
  readonly cursor?: number
  /** Previous ranges, for `back`, and ranges that `back` left, for `forward`. */
  readonly past: readonly TimeWindow[]
  readonly future: readonly TimeWindow[]
  readonly pause: () => void
  readonly resume: () => void
  /** A range of that many seconds that follows the newest sample. */
  readonly setRange: (seconds: number) => void
  /** A fixed range; the previous one is kept for `back`. */
  readonly zoom: (from: number, to: number) => void
  /** Zooms in (factor < 1) or out around an instant: the cursor, or the middle, unless another is given. */
  readonly zoomBy: (factor: number, around?: number) => void
  /** Moves the range by a share of its length, later if positive; the chosen instant moves along. */
  readonly pan: (share: number) => void
  readonly show: (window: TimeWindow) => void
  /** Shows an instant of the past, in a range around it if it lies outside the shown one. */
  readonly goTo: (at: number) => void
  readonly back: () => void
  readonly forward: () => void
  /** Resumes, and returns from a fixed range to the last relative one. */
  readonly live: () => void
  readonly setCursor: (at?: number) => void
}

const PAST_KEPT = 20

export const timeStore = create<TimeState>((set, get) => {
  let anchor = 0
  const place = (window: TimeWindow, past: readonly TimeWindow[], future: readonly TimeWindow[]): void => {
    // A range that follows the newest sample starts from the last known one until the next arrives.
    anchor = Math.max(anchor, get().window.kind === 'relative' ? get().to : anchor)
    const { chosen, ...rest } = get()
    const range = bounds(window, anchor)
    const stays = window.kind === 'absolute' && chosen !== undefined && chosen >= range.from && chosen <= range.to
    set(
      {
        ...rest,
        window,
        past,
        future,
        ...range,
        ...(window.kind === 'relative' ? { rangeSeconds: window.seconds } : {}),
        ...(stays && { chosen }),
      },
      true,
    )
  }
  const withShown = (): readonly TimeWindow[] => [...get().past, get().window].slice(-PAST_KEPT)
  const show = (window: TimeWindow): void => place(window, withShown(), [])
  return {
    window: { kind: 'relative', seconds: 600 },
    rangeSeconds: 600,
    from: 0,
    to: 0,
    paused: false,
    past: [],
    future: [],
    pause: () => set({ paused: true }),
    resume: () => set({ paused: false }),
    setRange: (seconds) => show({ kind: 'relative', seconds }),
    zoom: (from, to) => show(absolute(from, to)),
    zoomBy: (factor, around) => {
      const { from, to, cursor } = get()
      show(zoomed(from, to, around ?? cursor ?? (from + to) / 2, factor))
    },
    pan: (share) => {
      const { from, to, chosen } = get()
      show(panned(from, to, share))
      if (chosen !== undefined) set({ chosen: chosen + (to - from) * share })
    },
    show,
    goTo: (at) => {
      const { window, from, to } = get()
      const length = to - from
      const inside = at >= from && at <= to
      if (window.kind === 'relative' || !inside) {
        // Data after the newest sample does not exist yet.
        const end = at > to ? at : at + length / 2
        show(inside ? absolute(from, to) : absolute(end - length, end))
      }
      set({ chosen: at })
    },
    back: () => {
      const { past, future, window } = get()
      const previous = past.at(-1)
      if (previous !== undefined) place(previous, past.slice(0, -1), [...future, window])
    },
    forward: () => {
      const { future } = get()
      const next = future.at(-1)
      if (next !== undefined) place(next, withShown(), future.slice(0, -1))
    },
    live: () => {
      const { window, rangeSeconds } = get()
      set({ paused: false })
      if (window.kind === 'absolute') show({ kind: 'relative', seconds: rangeSeconds })
    },
    setCursor: (at) => {
      if (at === get().cursor) return
      if (at === undefined) {
        const { cursor: _dropped, ...rest } = get()
        set(rest, true)
      } else set({ cursor: at })
    },
  }
})

/** Moves a following range to the newest sample. */
export function anchorTime(at: number): void {
  const { window, to } = timeStore.getState()
  if (window.kind === 'relative' && at !== to) timeStore.setState(bounds(window, at))
}

/**
 * The instant of the past that every screen shows, Unix milliseconds: the chosen one, otherwise the end of a fixed
 * range.
 */
export const instantOf = ({ chosen, window }: TimeState): number | undefined =>
  chosen ?? (window.kind === 'absolute' ? window.to : undefined)

/** The line in every chart: the pointer, or the chosen instant. */
export const cursorOf = ({ cursor, chosen }: TimeState): number | undefined => cursor ?? chosen

/** Part of the time state; the component renders again only when the part changes. */
export const useTimePart = <T>(select: (time: TimeState) => T): T => timeStore(select)
