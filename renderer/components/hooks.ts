import { useCallback, useSyncExternalStore, useEffect, useState, useRef } from 'react'
import { toProblem, type Problem } from '../../core/contract/errors.ts'

/** Below this width the sidebar is a rail and tables lose columns; below this height charts are lower (design). */
export const NARROW = '(max-width: 1240px)'
export const LOW = '(max-height: 760px)'

/** Whether a media query holds. */
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

/** The page's clock, once a second, for ages and countdowns; it stands while not `running`. Unix ms. */
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
 * frames of their own, so that none of them takes long (docs/decisions/020-charts.md). A source that changes again
 * meanwhile does not begin the wait anew, or a fast one would never be seen.
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

/** The same where parts of a screen take turns: where they do not, it follows at once. */
export function useTurn<T>(value: T, frames: number, takesTurns: boolean): T {
  const later = useLater(takesTurns ? value : undefined, frames)
  return takesTurns && later !== undefined ? later : value
}

/**
 * A value that follows its source at most once in `ms` milliseconds, at once after a longer rest: nobody reads a table
 * whose rows change places ten times a second.
 */
export function useCalm<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value)
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    if (Object.is(value, shown)) return undefined
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

/** One thing at a time that takes a while; the answer of an older start is dropped. */
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
 * Where what opens over the page is put: inside `main`, because what is outside of every landmark is passed over by
 * those who go from landmark to landmark. Looked up when it opens; without one it is the end of the page.
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
