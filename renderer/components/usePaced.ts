import { useEffect, useRef, useState } from 'react'

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
