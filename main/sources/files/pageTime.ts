import { FAMILY } from '../../../core/metrics/familyNames.ts'
import type { Page } from '../../../core/metrics/page.ts'

/**
 * When a page was written, in Unix milliseconds, from what it says itself; a metrics text has no date. The
 * time-weighted histograms count every nanosecond since the priority level was made, up to the scrape (specification
 * 8.2), so the longest of them added to the start of the process is the time of the scrape, some seconds early. The
 * distance between two pages of one server is exact. `undefined` when the page lacks either.
 */
export function pageTime(page: Page): number | undefined {
  const started = page.families.get(FAMILY.startedAt)?.values[0]
  const utilization = page.families.get(FAMILY.seatUtilization)
  if (started === undefined || utilization === undefined) return undefined
  let longestNs = 0
  utilization.series.forEach(({ name }, index) => {
    if (name.endsWith('_count')) longestNs = Math.max(longestNs, utilization.values[index] ?? 0)
  })
  return longestNs > 0 ? started * 1_000 + longestNs / 1e6 : undefined
}
