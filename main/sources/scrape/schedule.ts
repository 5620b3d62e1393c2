/**
 * When the next scrape is due, without drift: the due times stay on a grid of `intervalMs` from the first one, and a
 * scrape that takes longer than the interval skips the due times that it missed. When the wall clock was set back by
 * more than an interval, the grid starts anew.
 *
 * All times are Unix milliseconds.
 */
export function nextDue(lastDue: number, now: number, intervalMs: number): number {
  if (lastDue - now > intervalMs) return now + intervalMs
  const missed = Math.max(0, Math.floor((now - lastDue) / intervalMs))
  return lastDue + (missed + 1) * intervalMs
}
