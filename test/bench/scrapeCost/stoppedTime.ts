import type { Environment } from '../../../main/ports/environment.ts'

/**
 * Time that stops while anything is in progress and jumps to the next timer otherwise, so that ten minutes
 * of scrapes take no longer than the scrapes themselves.
 */
export function createStoppedTime(): { readonly environment: Environment; run(signal: AbortSignal): void } {
  let now = Date.UTC(2026, 0, 1)
  const timers = new Map<number, { readonly at: number; readonly callback: () => void }>()
  let ids = 0
  return {
    environment: {
      now: () => now,
      random: () => 0.5,
      after(ms, callback) {
        const id = ids++
        timers.set(id, { at: now + ms, callback })
        return () => timers.delete(id)
      },
    },
    /** Jumps on whenever the loops of all servers wait, until the signal aborts. */
    run(signal) {
      let most = 0
      const tick = (): void => {
        if (signal.aborted) return
        most = Math.max(most, timers.size)
        // Each server has one timer while it waits and none while it is read.
        const [next] = timers.size === most ? [...timers].toSorted(([, a], [, b]) => a.at - b.at) : []
        if (next !== undefined) {
          const [id, { at, callback }] = next
          timers.delete(id)
          now = Math.max(now, at)
          callback()
        }
        setImmediate(tick)
      }
      tick()
    },
  }
}
