import type { RunCourse } from '../contract/scenario.ts'
import { type Nanoseconds, nsToSeconds, secondsToNs } from '../units.ts'

/** Steps of a chart: as many as fit when several are side by side. */
const STEPS = 70

/** Counts the requests of each group of clients that end, step by step over the whole run. */
export class CourseCounts {
  private readonly stepNs: Nanoseconds
  private readonly steps: number
  private readonly groups = new Map<string, { readonly served: number[]; readonly failed: number[] }>()

  constructor(untilNs: Nanoseconds) {
    this.stepNs = secondsToNs(Math.max(1, Math.ceil(nsToSeconds(untilNs) / STEPS)))
    this.steps = Math.max(1, Math.ceil(untilNs / this.stepNs))
  }

  count(client: string, nowNs: Nanoseconds, outcome: 'served' | 'failed'): void {
    let group = this.groups.get(client)
    if (group === undefined) {
      const zeros = (): number[] => Array.from({ length: this.steps }, () => 0)
      group = { served: zeros(), failed: zeros() }
      this.groups.set(client, group)
    }
    const step = Math.min(this.steps - 1, Math.floor(nowNs / this.stepNs))
    group[outcome][step] = (group[outcome][step] ?? 0) + 1
  }

  course(): RunCourse {
    const clients = [...this.groups].map(([client, counts]) => ({ client, ...counts }))
    return { stepSeconds: nsToSeconds(this.stepNs), clients }
  }
}
