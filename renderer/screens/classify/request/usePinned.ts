import { useState } from 'react'

/** The queue that stays marked, as long as the level has so many queues. */
export function usePinned(queues: number): [number | undefined, (index: number | undefined) => void] {
  const [pinned, setPinned] = useState<number>()
  return [pinned !== undefined && pinned < queues ? pinned : undefined, setPinned]
}
