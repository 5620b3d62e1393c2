import { useEffect, useEffectEvent, useState, type RefObject } from 'react'
import { rowWindow, scrollFor, type RowWindow } from './windowing.ts'

const HEADER = 26

export interface WindowedRows extends RowWindow {
  /** Heights of what is not mounted above and below, pixels. */
  readonly above: number
  readonly below: number
  readonly onScroll: () => void
  readonly reveal: (row: number) => void
  /** Whole rows in view, for the Page keys. */
  readonly page: number
}

/** The mounted part of the rows inside a scrolling element; all of them unless `virtual`. */
export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  virtual: boolean,
): WindowedRows {
  const [view, setView] = useState({ top: 0, height: 0 })
  const measure = (): void => {
    const element = scroller.current
    if (element === null) return
    // In steps of a row: scrolling by a pixel changes nothing that is mounted.
    const top = Math.floor(element.scrollTop / rowHeight) * rowHeight
    const height = element.clientHeight
    setView((old) => (old.top === top && old.height === height ? old : { top, height }))
  }
  const onResize = useEffectEvent(measure)
  useEffect(() => {
    const element = scroller.current
    if (!virtual || element === null || typeof ResizeObserver === 'undefined') return undefined
    const observer = new ResizeObserver(() => onResize())
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller, virtual])
  const { first, end } = virtual ? rowWindow(count, rowHeight, view.top, view.height) : { first: 0, end: count }
  return {
    first,
    end,
    above: first * rowHeight,
    below: (count - end) * rowHeight,
    onScroll: () => {
      if (virtual) measure()
    },
    reveal: (row) => {
      const element = scroller.current
      if (!virtual || element === null || row < 0) return
      element.scrollTo({ top: scrollFor(row, rowHeight, element.scrollTop, element.clientHeight, HEADER) })
      measure()
    },
    page: Math.max(1, Math.floor(view.height / rowHeight) - 1),
  }
}
