import type { Page } from 'playwright'

/** Milliseconds between the animation frames of the next `ms` milliseconds. */
export const frameTimes = (page: Page, ms: number): Promise<readonly number[]> =>
  page.evaluate(
    (length) =>
      new Promise<number[]>((resolve) => {
        const times: number[] = []
        let first: number | undefined
        let last = 0
        const frame = (now: number): void => {
          if (first === undefined) first = now
          else times.push(now - last)
          last = now
          if (now - first < length) requestAnimationFrame(frame)
          else resolve(times)
        }
        requestAnimationFrame(frame)
      }),
    ms,
  )

/** Milliseconds of each task of the page's thread in the next `ms` milliseconds that took 50 or more. */
export const longTasks = (page: Page, ms: number): Promise<readonly number[]> =>
  page.evaluate(
    (length) =>
      new Promise<number[]>((resolve) => {
        const times: number[] = []
        const observer = new PerformanceObserver((list) =>
          list.getEntries().forEach(({ duration }) => times.push(duration)),
        )
        observer.observe({ type: 'longtask' })
        setTimeout(() => {
          observer.disconnect()
          resolve(times)
        }, length)
      }),
    ms,
  )

/** Frames a second of what `frameTimes` gave. */
export const rateOf = (times: readonly number[]): number =>
  (times.length / times.reduce((sum, time) => sum + time, 0)) * 1_000
