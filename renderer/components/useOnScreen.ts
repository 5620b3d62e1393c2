import { useEffect, useRef, useState, type RefObject } from 'react'

/**
 * Whether an element is on the screen or near it. Starts as true, so that the first paint is complete; `height` is what
 * it last measured, to keep its place while its content is away.
 */
export function useOnScreen(): { ref: RefObject<HTMLDivElement | null>; visible: boolean; height: number } {
  const ref = useRef<HTMLDivElement>(null)
  const [state, setState] = useState({ visible: true, height: 0 })
  useEffect(() => {
    const element = ref.current
    if (element === null || typeof IntersectionObserver === 'undefined') return undefined
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry === undefined) return
        setState((old) =>
          entry.isIntersecting
            ? { ...old, visible: true }
            : { visible: false, height: old.visible ? entry.boundingClientRect.height : old.height },
        )
      },
      { rootMargin: '200px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { ref, ...state }
}
