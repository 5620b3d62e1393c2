import { useLayoutEffect, useState } from 'react'

export interface Size {
  readonly width: number
  readonly height: number
}

/**
 * Size of an element in whole CSS pixels: give it the first item as `ref`. Follows the element when it is mounted anew,
 * and keeps the last size while it is away.
 */
export function useSize(): [(element: HTMLElement | null) => void, Size] {
  const [element, setElement] = useState<HTMLElement | null>(null)
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  useLayoutEffect(() => {
    if (element === null) return undefined
    const measure = (): void => {
      const next = { width: Math.floor(element.clientWidth), height: Math.floor(element.clientHeight) }
      setSize((old) => (old.width === next.width && old.height === next.height ? old : next))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return [setElement, size]
}
