import { CATALOGUE, familiesOf, KIND_FAMILIES, requestTimeFamiliesOf } from '../metrics/catalogue.ts'
import { EARLIEST_LIMIT, FAMILY, type FamilyInfo } from '../metrics/familyNames.ts'
import { equals, named, type Matcher } from './promql.ts'

/** Names of the samples that one query reads together, including the parts of histograms. */
export type FamilyGroup = readonly string[]

type Sort = 'values' | 'durations' | 'sizes' | 'ratios'

const sortOf = ({ type, unit }: FamilyInfo): Sort => {
  if (type !== 'histogram') return 'values'
  if (unit === 'seconds') return 'durations'
  return unit.startsWith('ratio') ? 'ratios' : 'sizes'
}

/** Sample names of a histogram. A native one has the name of its family. */
const histogramNames = (name: string): FamilyGroup => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]

const sampleNames = ({ name, type }: FamilyInfo): FamilyGroup => (type === 'histogram' ? histogramNames(name) : [name])

type Versions = readonly (string | undefined)[]

/** Families that servers of these versions can have. Families that none of them has are not queried. */
const familiesOfAll = (versions: Versions, of: typeof familiesOf): ReadonlySet<FamilyInfo> =>
  new Set((versions.length === 0 ? [undefined] : versions).flatMap(of))

function namesBySort(versions: Versions): (...sorts: readonly Sort[]) => FamilyGroup {
  const families = familiesOfAll(versions, familiesOf)
  return (...sorts) => [...families].filter((family) => sorts.includes(sortOf(family))).flatMap(sampleNames)
}

/** How long requests of all levels take, by verb. */
export const requestTimeNames = (versions: Versions): FamilyGroup =>
  [...familiesOfAll(versions, requestTimeFamiliesOf)].flatMap(sampleNames)

/** Up to this many servers, one sample of each series, at thirty levels, is two responses of a few megabytes. */
export const FEW_SERVERS = 4

/** Families for the current state: a few queries for any number of levels. */
export function presentGroups(versions: Versions, servers: number): readonly FamilyGroup[] {
  const names = namesBySort(versions)
  return servers <= FEW_SERVERS
    ? [[...names('values', 'ratios'), ...KIND_FAMILIES], names('durations', 'sizes')]
    : [names('values'), names('ratios'), names('durations'), names('sizes')]
}

/**
 * Families for a history, in two queries: single values with the seat utilization, and durations. Histograms that are
 * shown only for the current state are left out.
 */
export function pastGroups(versions: Versions): readonly FamilyGroup[] {
  const names = namesBySort(versions)
  const utilization = names('ratios').filter((name) => name.startsWith(FAMILY.seatUtilization))
  return [[...names('values'), ...utilization], names('durations')]
}

/**
 * Each server has exactly one such series: the level catch-all cannot be deleted, and it always has a limit. Its labels
 * other than the level identify the server, and the times of its samples are the times of the scrapes.
 */
export const CLOCK: readonly Matcher[] = [
  named([FAMILY.nominal, EARLIEST_LIMIT]),
  equals('priority_level', 'catch-all'),
]

/** Whether a series matches `CLOCK`. */
export const isClock = ({ __name__: name, priority_level: level }: Readonly<Record<string, string>>): boolean =>
  (name === FAMILY.nominal || name === EARLIEST_LIMIT) && level === 'catch-all'

/** Labels on metrics pages; Prometheus added all other labels of a series. */
const PAGE_LABELS: ReadonlySet<string> = new Set(['le', ...[...CATALOGUE.values()].flatMap(({ labels }) => labels)])

export const isPageLabel = (label: string): boolean => label === '__name__' || PAGE_LABELS.has(label)
