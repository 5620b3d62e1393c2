import { useEffect, useState } from 'react'
import { timeStore } from '../../state/time.ts'

const SOON_MS = 250

/** The reader's clock, Unix milliseconds; moves once a second, and not while the page is hidden or paused. */
export function useSecond(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    // What was there before the page came is there soon, paused or not.
    const soon = setTimeout(() => setNow(Date.now()), SOON_MS)
    const timer = setInterval(() => {
      if (!document.hidden && !timeStore.getState().paused) setNow(Date.now())
    }, 1_000)
    return () => {
      clearTimeout(soon)
      clearInterval(timer)
    }
  }, [])
  return now
}
