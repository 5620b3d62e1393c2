import { useEffect, useState } from 'react'

const SOON_MS = 250

/** The reader's clock, Unix milliseconds; moves once a second, and not while the page is hidden. */
export function useSecond(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const move = (): void => {
      if (!document.hidden) setNow(Date.now())
    }
    // What was there before the page came is there soon.
    const soon = setTimeout(move, SOON_MS)
    const timer = setInterval(move, 1_000)
    return () => {
      clearTimeout(soon)
      clearInterval(timer)
    }
  }, [])
  return now
}
