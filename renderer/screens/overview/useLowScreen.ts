import { useSyncExternalStore } from 'react'

const QUERY = '(max-height: 760px)'

function subscribe(onChange: () => void): () => void {
  if (typeof matchMedia !== 'function') return () => undefined
  const list = matchMedia(QUERY)
  list.addEventListener('change', onChange)
  return () => list.removeEventListener('change', onChange)
}

/** Whether the window is so low that ribbons give way to an equation and rows are compact. */
export const useLowScreen = (): boolean =>
  useSyncExternalStore(subscribe, () => typeof matchMedia === 'function' && matchMedia(QUERY).matches)
