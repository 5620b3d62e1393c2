import { CATALOGUE } from '../metrics/catalogue.ts'
import { FAMILY } from '../metrics/familyNames.ts'
import { byCodeUnits } from '../text/text.ts'
import { CLOCK } from './asked.ts'
import type { TargetLabels } from './discovery.ts'
import { FLEET_SHOWN, type FleetNumber } from './fleetNumbers.ts'
import { promqlOf, type Place } from './measures.ts'
import { metric, selector, type Matcher } from './promql.ts'

/** Servers of several versions that Prometheus scrapes at about the same interval. */
export interface FleetPlace extends Pick<Place, 'matchers' | 'intervalMs'> {
  /** gitVersions, which determine the family names. */
  readonly versions: readonly (string | undefined)[]
}

/** The PromQL for a number, with one series for each level of each server; `undefined` if no version has it. */
export const fleetQuery = (number: FleetNumber, place: FleetPlace): string | undefined =>
  overVersions(place, (one) => promqlOf(FLEET_SHOWN[number], one))

/** Executing seats over the current limit of the busiest level: one series for each server. */
export const busiestQuery = (place: FleetPlace): string | undefined =>
  overVersions(place, (one) => {
    const [executing, limit] = [promqlOf(FLEET_SHOWN.executing, one), promqlOf(FLEET_SHOWN.limit, one)]
    if (executing === undefined || limit === undefined) return undefined
    return `max without (priority_level) (${executing} / ${limit})`
  })

const HISTOGRAMS = [...CATALOGUE.values()].flatMap(({ name, type }) => (type === 'histogram' ? name : []))

/** Newer names first: a server that has both keeps the earlier one for compatibility. */
function overVersions(
  { versions, ...place }: FleetPlace,
  write: (one: Place) => string | undefined,
): string | undefined {
  const newestFirst = [...new Set(versions.length === 0 ? [undefined] : versions)].toSorted((a = '', b = '') =>
    byCodeUnits(b, a),
  )
  // Some servers may be stored with classic histograms, others with native ones.
  const written = new Set(
    [undefined, HISTOGRAMS].flatMap((native) =>
      newestFirst.flatMap((version) => write({ ...place, version, native }) ?? []),
    ),
  )
  return written.size === 0 ? undefined : [...written].join(' or ')
}

/** The versions of the API servers. Kubelets and other components report theirs under the same name. */
export function versionsQuery({ cluster, instance }: TargetLabels, matchers: readonly Matcher[]): string {
  const labels = [...(cluster === undefined ? [] : [cluster]), instance]
  return `${metric(FAMILY.buildInfo, matchers)} and on (${labels.join(', ')}) ${selector([...CLOCK, ...matchers])}`
}
