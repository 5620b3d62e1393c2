import { useEffect, useState } from 'react'

/** The page's clock, once a second, for ages and countdowns; it stands while not `running`. Unix ms. */
export function useNow(running = true): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!running) return undefined
    const tick = (): void => setNow(Date.now())
    tick()
    const timer = setInterval(tick, 1_000)
    return () => clearInterval(timer)
  }, [running])
  return now
}
