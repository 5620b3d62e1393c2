import { CATALOGUE, familiesOf, KIND_FAMILIES, requestTimeFamiliesOf } from '../metrics/catalogue.ts'
import { EARLIEST_LIMIT, FAMILY, type FamilyInfo } from '../metrics/familyNames.ts'
import { equals, named, type Matcher } from './promql.ts'

/** Names of the samples that one query reads together, parts of histograms among them. */
export type FamilyGroup = readonly string[]

type Sort = 'values' | 'durations' | 'sizes' | 'ratios'

const sortOf = ({ type, unit }: FamilyInfo): Sort => {
  if (type !== 'histogram') return 'values'
  if (unit === 'seconds') return 'durations'
  return unit.startsWith('ratio') ? 'ratios' : 'sizes'
}

/** Of a histogram; a native one has the name of its family. */
const histogramNames = (name: string): FamilyGroup => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]

const sampleNames = ({ name, type }: FamilyInfo): FamilyGroup => (type === 'histogram' ? histogramNames(name) : [name])

type Versions = readonly (string | undefined)[]

/** What servers of these versions can have; families that none of them has are not asked for. */
const familiesOfAll = (versions: Versions, of: typeof familiesOf): ReadonlySet<FamilyInfo> =>
  new Set((versions.length === 0 ? [undefined] : versions).flatMap(of))

function namesBySort(versions: Versions): (...sorts: readonly Sort[]) => FamilyGroup {
  const families = familiesOfAll(versions, familiesOf)
  return (...sorts) => [...families].filter((family) => sorts.includes(sortOf(family))).flatMap(sampleNames)
}

/** How long requests of all levels take, by verb. */
export const requestTimeNames = (versions: Versions): FamilyGroup =>
  [...familiesOfAll(versions, requestTimeFamiliesOf)].flatMap(sampleNames)

/** Of so many servers one sample of each series, of thirty levels, is two answers of a few megabytes. */
export const FEW_SERVERS = 4

/** What is read of the present: a few queries for any number of levels. */
export function presentGroups(versions: Versions, servers: number): readonly FamilyGroup[] {
  const names = namesBySort(versions)
  return servers <= FEW_SERVERS
    ? [[...names('values', 'ratios'), ...KIND_FAMILIES], names('durations', 'sizes')]
    : [names('values'), names('ratios'), names('durations'), names('sizes')]
}

/**
 * What a history is made of, in two queries: single values with the utilization of seats, and durations. Histograms that
 * are only shown of the present are left out.
 */
export function pastGroups(versions: Versions): readonly FamilyGroup[] {
  const names = namesBySort(versions)
  const utilization = names('ratios').filter((name) => name.startsWith(FAMILY.seatUtilization))
  return [[...names('values'), ...utilization], names('durations')]
}

/**
 * Each server has one such series: the level catch-all cannot be deleted, and it always has a limit. What it is labelled
 * with beside the level says which server it is, and its samples are the instants of the scrapes.
 */
export const CLOCK: readonly Matcher[] = [
  named([FAMILY.nominal, EARLIEST_LIMIT]),
  equals('priority_level', 'catch-all'),
]

/** Whether a series is one of those. */
export const isClock = ({ __name__: name, priority_level: level }: Readonly<Record<string, string>>): boolean =>
  (name === FAMILY.nominal || name === EARLIEST_LIMIT) && level === 'catch-all'

/** Labels that metrics pages have; whatever else a series is labelled with, Prometheus added. */
const PAGE_LABELS: ReadonlySet<string> = new Set(['le', ...[...CATALOGUE.values()].flatMap(({ labels }) => labels)])

export const isPageLabel = (label: string): boolean => label === '__name__' || PAGE_LABELS.has(label)
