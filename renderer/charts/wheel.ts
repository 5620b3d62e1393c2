import { useEffect, useRef, type RefObject } from 'react'
import { timeStore } from '../state/time.ts'

/** The target of the wheel: the instant at a position, CSS pixels from the left edge of the page. */
export interface Turned {
  readonly box: RefObject<HTMLElement | null>
  readonly instantAt: (clientX: number) => number
  /** Whether the wheel alone controls time; otherwise it scrolls the page, and controls time with Ctrl or Shift. */
  readonly always?: boolean
}

/** Without it, the range would be read again for each wheel event, dozens of times a second. */
const GATHER_MS = 80
/** Pixels of wheel movement that halve or double the range, and that move it by its length. */
const DOUBLE_PX = 400
const LENGTH_PX = 1_200
/** Pixels of a line and of a page, for wheels that count in these. */
const UNIT_PX = [1, 16, 800]

/** The wheel zooms around the pointer; sideways, or with Shift, it moves the range. */
export function useWheel({ box, instantAt, always = false }: Turned): void {
  const newest = useRef(instantAt)
  useEffect(() => {
    newest.current = instantAt
  })
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    let [zoomed, panned, around] = [0, 0, 0]
    let timer: ReturnType<typeof setTimeout> | undefined
    const apply = (): void => {
      timer = undefined
      const { zoomBy, pan } = timeStore.getState()
      if (panned !== 0) pan(panned / LENGTH_PX)
      if (zoomed !== 0) zoomBy(2 ** (zoomed / DOUBLE_PX), around)
      zoomed = panned = 0
    }
    const onWheel = (event: WheelEvent): void => {
      const { deltaX, deltaY, shiftKey, ctrlKey, deltaMode, clientX } = event
      if (!always && !shiftKey && !ctrlKey) return
      // Ctrl must not zoom the page here.
      event.preventDefault()
      const unit = UNIT_PX[deltaMode] ?? 1
      if (shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) panned += (deltaX === 0 ? deltaY : deltaX) * unit
      else {
        zoomed += deltaY * unit
        around = newest.current(clientX)
      }
      timer ??= setTimeout(apply, GATHER_MS)
    }
    // React registers passive wheel listeners, which cannot prevent scrolling.
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => {
      clearTimeout(timer)
      element.removeEventListener('wheel', onWheel)
    }
  }, [box, always])
}
