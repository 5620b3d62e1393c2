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

/** Milliseconds of the page's thread for each of `frames`, by what it did. */
export interface FrameCost {
  readonly script: number
  readonly style: number
  readonly layout: number
  /** All tasks, those three included. */
  readonly all: number
}

/** Counts what the thread of a page does until the returned function is called. */
export async function countCost(page: Page): Promise<(frames: number) => Promise<FrameCost>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const seconds = async (): Promise<Readonly<Record<string, number>>> => {
    const { metrics } = await session.send('Performance.getMetrics')
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]))
  }
  const before = await seconds()
  return async (frames) => {
    const after = await seconds()
    await session.detach()
    const each = (name: string): number => (((after[name] ?? 0) - (before[name] ?? 0)) * 1_000) / Math.max(1, frames)
    return {
      script: each('ScriptDuration'),
      style: each('RecalcStyleDuration'),
      layout: each('LayoutDuration'),
      all: each('TaskDuration'),
    }
  }
}

/** Frames a second of what `frameTimes` gave. */
export const rateOf = (times: readonly number[]): number =>
  (times.length / times.reduce((sum, time) => sum + time, 0)) * 1_000
