import { useCallback, useSyncExternalStore } from 'react'

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
