import type { ServerFacts } from '../engine/facts.ts'
import { FAMILY } from '../metrics/familyNames.ts'
import { reportedServerLimit } from '../impact/reportedLimit.ts'
import { statisticsKey } from '../engine/workEstimator.ts'
import type { ReportedFacts } from '../contract/source.ts'
import type { Page } from '../metrics/page.ts'

export const OBJECTS = 'apiserver_resource_objects'
export const SIZES = 'apiserver_resource_size_estimate_bytes'
/** Until 1.34, without sizes; servers of those versions do not use sizes for their estimates either. */
export const OBJECTS_BEFORE = 'apiserver_storage_objects'
const LONG_RUNNING = 'apiserver_longrunning_requests'
export const START_FAMILY = 'process_start_time_seconds'

const { nominal: NOMINAL, upper: UPPER } = FAMILY

/** Families to parse from a page. */
export const FACT_FAMILIES: ReadonlySet<string> = new Set([
  OBJECTS,
  SIZES,
  OBJECTS_BEFORE,
  LONG_RUNNING,
  START_FAMILY,
  NOMINAL,
  UPPER,
])

/** The facts on a metrics page; counts that the server could not obtain are −1 there and left out here. */
export function factsOf(page: Page): ServerFacts {
  const counts = valuesOf(page, page.families.has(OBJECTS) ? OBJECTS : OBJECTS_BEFORE)
  const sizes = valuesOf(page, SIZES)
  const objects = [...counts].map(([key, count]) => {
    const bytes = sizes.get(key)
    return [key, { count, averageSize: bytes === undefined || count === 0 ? 0 : bytes / count }] as const
  })
  const seats = reportedServerLimit({
    levels: [{ name: 'exempt', limits: { nominal: exemptLimit(page, NOMINAL), upper: exemptLimit(page, UPPER) } }],
  })
  const startedS = page.families.get(START_FAMILY)?.values[0] ?? Number.NaN
  return {
    objects: new Map(objects),
    watches: watchesOf(page, counts.get('nodes') ?? 0),
    ...(startedS > 0 && { startedMs: Math.round(startedS * 1_000) }),
    ...(seats !== undefined && { seats }),
  }
}

function exemptLimit({ families }: Page, name: string): number | undefined {
  const family = families.get(name)
  const at = family?.series.findIndex(({ labels }) => labels['priority_level'] === 'exempt') ?? -1
  return family?.values[at]
}

/** The facts in the form of a message; `null` when the page contained no counts at all. */
export function reportedFacts({ objects, watches }: ServerFacts): ReportedFacts | null {
  if (objects.size === 0) return null
  return {
    objects: Object.fromEntries(
      [...objects].map(([key, { count, averageSize }]) => [key, { count, ...(averageSize > 0 && { averageSize }) }]),
    ),
    watches: Object.fromEntries(watches.map((one) => [statisticsKey(one), one.total])),
  }
}

function valuesOf({ families }: Page, name: string): Map<string, number> {
  const family = families.get(name)
  const values = new Map<string, number>()
  family?.series.forEach(({ labels: { resource = '', group = '' } }, at) => {
    const value = family.values[at] ?? -1
    if (resource !== '' && value >= 0) values.set(group === '' ? resource : `${resource}.${group}`, value)
  })
  return values
}

/** Each node watches its own pods, which appears as a watch of all pods and does not count (trap T44). */
function watchesOf({ families }: Page, nodes: number): ServerFacts['watches'] {
  const family = families.get(LONG_RUNNING)
  const totals = new Map<string, { apiGroup: string; resource: string; total: number }>()
  family?.series.forEach(({ labels }, at) => {
    const { verb, scope, subresource = '', group: apiGroup = '', resource = '' } = labels
    if (verb !== 'WATCH' || scope !== 'cluster' || subresource !== '' || resource === '') return
    const key = `${apiGroup}/${resource}`
    const known = totals.get(key) ?? { apiGroup, resource, total: 0 }
    known.total += family.values[at] ?? 0
    totals.set(key, known)
  })
  return [...totals.values()].map((one) =>
    one.resource === 'pods' && one.apiGroup === '' ? { ...one, total: Math.max(0, one.total - nodes) } : one,
  )
}
