import { useCallback, useSyncExternalStore, useEffect, useState, useRef } from 'react'
import { toProblem, type Problem } from '../../core/errors.ts'

/** Below this width the sidebar is a rail and tables lose columns; below this height charts are lower (design). */
export const NARROW = '(max-width: 1240px)'
export const LOW = '(max-height: 760px)'

/** Whether a media query matches. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = window.matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches)
}

/** The page's clock, once a second, for ages and countdowns; stopped while not `running`. Unix ms. */
export function useNow(running = true): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!running) return undefined
    const tick = (): void => setNow(Date.now())
    tick()
    const timer = setInterval(tick, 1_000)
    return () => clearInterval(timer)
  }, [running])
  return now
}

/**
 * A value that follows its source a few animation frames later: charts that change with the same sample are drawn in
 * separate frames, so that none of them takes long (docs/decisions/020-charts.md). A source that changes again in the
 * meantime does not restart the wait, otherwise a fast one would never be drawn.
 */
export function useLater<T>(value: T, frames: number): T {
  const [shown, setShown] = useState(value)
  const newest = useRef(value)
  const handle = useRef(0)
  useEffect(() => {
    newest.current = value
    if (handle.current !== 0 || Object.is(value, shown)) return
    let left = frames
    const step = (): void => {
      handle.current = 0
      if (left <= 0) setShown(newest.current)
      else {
        left -= 1
        handle.current = requestAnimationFrame(step)
      }
    }
    handle.current = requestAnimationFrame(step)
  }, [value, frames, shown])
  useEffect(
    () => () => {
      cancelAnimationFrame(handle.current)
      handle.current = 0
    },
    [],
  )
  return shown
}

/** The same for parts of a screen that render in turn; without `takesTurns`, the value follows at once. */
export function useTurn<T>(value: T, frames: number, takesTurns: boolean): T {
  const later = useLater(takesTurns ? value : undefined, frames)
  return takesTurns && later !== undefined ? later : value
}

/**
 * A value that follows its source at most once in `ms` milliseconds, and at once after a longer pause: a table whose
 * rows change places ten times a second is unreadable. It stands still while `ms` is infinite.
 */
export function useCalm<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value)
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    if (Object.is(value, shown) || ms === Infinity) return undefined
    const timer = setTimeout(
      () => {
        changedAt.current = performance.now()
        setShown(value)
      },
      Math.max(0, changedAt.current + ms - performance.now()),
    )
    return () => clearTimeout(timer)
  }, [value, shown, ms])
  return shown
}

export type Task<T> =
  | { readonly state: 'idle' }
  | { readonly state: 'busy' }
  | { readonly state: 'done'; readonly value: T; readonly at: number }
  | { readonly state: 'failed'; readonly problem: Problem }

/** One slow operation at a time; the result of an earlier start is dropped. */
export function useTask<T>(): [Task<T>, (work: () => Promise<T>) => Promise<boolean>, () => void] {
  const [task, setTask] = useState<Task<T>>({ state: 'idle' })
  const newest = useRef(0)
  const start = useCallback(async (work: () => Promise<T>): Promise<boolean> => {
    newest.current += 1
    const own = newest.current
    setTask({ state: 'busy' })
    try {
      const value = await work()
      if (own === newest.current) setTask({ state: 'done', value, at: Date.now() })
      return true
    } catch (thrown) {
      if (own === newest.current) setTask({ state: 'failed', problem: toProblem(thrown) })
      return false
    }
  }, [])
  const reset = useCallback(() => {
    newest.current += 1
    setTask({ state: 'idle' })
  }, [])
  return [task, start, reset]
}

/**
 * Container for overlays: inside `main`, because users who move from landmark to landmark skip anything outside of
 * landmarks. Looked up when the overlay opens; without `main` it is the end of the page.
 */
export function useInsideMain(): {
  readonly container: HTMLElement | null
  readonly onOpenChange: (open: boolean) => void
} {
  const [container, setContainer] = useState<HTMLElement | null>(null)
  const onOpenChange = useCallback((open: boolean): void => {
    if (open) setContainer(document.querySelector('main'))
  }, [])
  return { container, onOpenChange }
}
