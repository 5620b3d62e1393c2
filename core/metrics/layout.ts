import { type MissingFamily, SCHEMA_HISTOGRAMS } from '../frame/frame.ts'
import { REJECT_REASONS, recordOf } from '../frame/reading.ts'
import { byCodeUnits } from '../text/text.ts'
import { missingFamilies, NEEDED_FAMILIES } from './catalogue.ts'
import type { Family, Page } from './page.ts'
import { FAMILY, FAMILY_KEYS, familyIn, type FamilyKey } from './familyNames.ts'

/**
 * Positions of a frame's numbers in a page. They depend on which series a page has, not on their values, so they are
 * determined once and used for every page of the same shape.
 */
export interface Layout {
  readonly version: string | undefined
  readonly missing: readonly MissingFamily[]
  /** Families that this server exposes, or would expose after their first event. */
  readonly available: ReadonlySet<FamilyKey>
  readonly seatFairFrac: At
  readonly startedAt: At
  readonly inFlight: KindsLayout | undefined
  readonly inQueue: KindsLayout | undefined
  readonly executingByKind: KindRatiosLayout | undefined
  readonly waitingByKind: KindRatiosLayout | undefined
  /** Sorted by name, and so are the schemas of each. */
  readonly levels: readonly LevelLayout[]
}

/** Index of a series among the values of its family; −1 when the page does not have it. */
export type At = number
const NOWHERE: At = -1

/** Requests by kind. */
export interface KindsLayout {
  readonly readOnly: At
  readonly mutating: At
}

/** Histograms by kind. */
export interface KindRatiosLayout {
  readonly readOnly: HistogramLayout | undefined
  readonly mutating: HistogramLayout | undefined
}

export interface HistogramLayout {
  /** Finite, ascending. Shared by the histograms of all frames of this layout, so it must not be changed. */
  readonly bounds: number[]
  /** One more than bounds. */
  readonly buckets: readonly At[]
  readonly sum: At
  readonly count: At
}

const LEVEL_GAUGES = [
  'nominal',
  'lower',
  'upper',
  'current',
  'highWatermark',
  'average',
  'stdev',
  'smoothed',
  'target',
  'currentR',
  'dispatchR',
  'latestS',
] as const satisfies readonly FamilyKey[]

const SCHEMA_NUMBERS = [
  'dispatched',
  'executingSeats',
  'queuedSeats',
  'executingRequests',
  'queuedRequests',
  'noAccommodation',
] as const satisfies readonly FamilyKey[]

type SchemaHistogram = (typeof SCHEMA_HISTOGRAMS)[number]

/** Family of each histogram, and the value of the dividing label that separates two of one family. */
const HISTOGRAM_FAMILIES: Readonly<Record<SchemaHistogram, readonly [family: FamilyKey, division: string]>> = {
  wait: ['wait', 'true'],
  waitRejected: ['wait', 'false'],
  execution: ['execution', 'regular'],
  executionWatch: ['execution', 'watch'],
  queueLength: ['queueLength', ''],
  estimatedSeats: ['estimatedSeats', ''],
  watchCount: ['watchCount', ''],
}

export type NumbersLayout = Readonly<Record<(typeof SCHEMA_NUMBERS)[number], At>> & {
  /** In the order of REJECT_REASONS, then `CANCELLED`. */
  readonly rejected: readonly At[]
}

export type SchemaLayout = NumbersLayout &
  Readonly<Record<SchemaHistogram, HistogramLayout | undefined>> & { readonly name: string }

export type LevelLayout = Readonly<Record<(typeof LEVEL_GAUGES)[number], At>> & {
  readonly name: string
  readonly nextS: { readonly min: At; readonly max: At }
  readonly nextDiscountedS: { readonly min: At; readonly max: At }
  /** Those that succeeded, and those that failed. */
  readonly epochs: readonly [At, At]
  readonly seatUtilization: HistogramLayout | undefined
  readonly demandRatio: HistogramLayout | undefined
  readonly executingUtilization: HistogramLayout | undefined
  readonly waitingUtilization: HistogramLayout | undefined
  readonly schemas: readonly SchemaLayout[]
  /** Series without a schema, where somebody summed them by level. */
  readonly whole: NumbersLayout
}

/**
 * Label that divides a family further than by level and schema, what its absence means in an old release, and a second
 * one.
 */
const DIVIDING_LABEL: Partial<Record<FamilyKey, readonly [label: string, absent: string, more?: string]>> = {
  rejected: ['reason', ''],
  wait: ['execute', 'true'],
  execution: ['type', 'regular'],
  nextS: ['bound', ''],
  nextDiscountedS: ['bound', ''],
  epochs: ['success', ''],
  inFlightByKind: ['request_kind', ''],
  inQueueByKind: ['request_kind', ''],
  requestUtilization: ['phase', ''],
  kindUtilization: ['phase', '', 'request_kind'],
}

/** Families of the whole server, whose series have no level label. */
const OF_SERVER: ReadonlySet<FamilyKey> = new Set([
  'seatFairFrac',
  'startedAt',
  'buildInfo',
  'inFlightByKind',
  'inQueueByKind',
  'kindUtilization',
])

/** The reason of some releases for clients that left while their request waited; the others count them as time-out. */
const CANCELLED = 'cancelled'

/** Spellings of the two labels; the first releases used the second ones. */
const LEVEL_LABELS = ['priority_level', 'priorityLevel'] as const
const SCHEMA_LABELS = ['flow_schema', 'flowSchema'] as const

/** A server has about a dozen of each. A page with thousands must not exhaust the memory. */
export const MOST_LEVELS = 128
const MOST_SCHEMAS = 1_024

interface HistogramParts {
  /** By upper bound; a bound that occurs twice on the page counts once. */
  readonly buckets: Map<number, At>
  sum: At
  count: At
}

/** The series of one family by level, schema and dividing label. */
interface FamilyIndex {
  readonly at: ReadonlyMap<string, At>
  readonly histograms: ReadonlyMap<string, HistogramLayout>
  readonly isEmpty: boolean
}

const key = (level: string, schema = '', division = ''): string => `${level}\u0000${schema}\u0000${division}`

/**
 * Determines the layout. `version` is the server's gitVersion if the source has it; otherwise the page's own is used.
 * `notExposed` is as for `missingFamilies`.
 */
export function layOut(page: Page, version?: string, notExposed?: string): Layout {
  const named = new Named()
  const indices = new Map<FamilyKey, FamilyIndex>()
  for (const family of FAMILY_KEYS) indices.set(family, indexFamily(family, familyIn(page, family), named))
  const at = (family: FamilyKey, where: string): At => indices.get(family)?.at.get(where) ?? NOWHERE
  const histogram = (family: FamilyKey, where: string) => indices.get(family)?.histograms.get(where)
  const numbers = (level: string, schema?: string): NumbersLayout => ({
    ...recordOf(SCHEMA_NUMBERS, (family) => at(family, key(level, schema))),
    rejected: [...REJECT_REASONS, CANCELLED].map((reason) => at('rejected', key(level, schema, reason))),
  })

  const known = version ?? gitVersion(page)
  const present = new Set([...NEEDED_FAMILIES].filter((name) => (page.families.get(name)?.series.length ?? 0) > 0))
  for (const family of FAMILY_KEYS) {
    if (indices.get(family)?.isEmpty === false) present.add(FAMILY[family])
    // Series without a level, as where somebody summed them up, say nothing about any level.
    else present.delete(FAMILY[family])
  }
  if (known !== undefined) present.add(FAMILY.buildInfo)
  const missing = missingFamilies(known, present, notExposed)
  const missingNames = new Set(missing.map(({ family }) => family))

  return {
    version: known,
    missing: [...missing, ...named.leftOut()].toSorted((a, b) => byCodeUnits(a.family, b.family)),
    available: new Set(FAMILY_KEYS.filter((family) => !missingNames.has(FAMILY[family]))),
    seatFairFrac: at('seatFairFrac', key('')),
    startedAt: at('startedAt', key('')),
    inFlight: kinds('inFlightByKind', at),
    inQueue: kinds('inQueueByKind', at),
    executingByKind: kindRatios('executing', histogram),
    waitingByKind: kindRatios('waiting', histogram),
    levels: [...named.levels.keys()].toSorted(byCodeUnits).map((level) => ({
      name: level,
      ...recordOf(LEVEL_GAUGES, (family) => at(family, key(level))),
      nextS: bounds('nextS', level, at),
      nextDiscountedS: bounds('nextDiscountedS', level, at),
      epochs: [at('epochs', key(level, '', 'true')), at('epochs', key(level, '', 'false'))],
      seatUtilization: histogram('seatUtilization', key(level)),
      demandRatio: histogram('demandRatio', key(level)),
      executingUtilization: histogram('requestUtilization', key(level, '', 'executing')),
      waitingUtilization: histogram('requestUtilization', key(level, '', 'waiting')),
      schemas: [...(named.levels.get(level) ?? [])].toSorted(byCodeUnits).map((schema) => ({
        name: schema,
        ...numbers(level, schema),
        ...recordOf(SCHEMA_HISTOGRAMS, (property) => {
          const [family, division] = HISTOGRAM_FAMILIES[property]
          return histogram(family, key(level, schema, division))
        }),
      })),
      whole: numbers(level),
    })),
  }
}

const bounds = (family: FamilyKey, level: string, at: (family: FamilyKey, where: string) => At) => ({
  min: at(family, key(level, '', 'min')),
  max: at(family, key(level, '', 'max')),
})

function kinds(family: FamilyKey, at: (family: FamilyKey, where: string) => At): KindsLayout | undefined {
  const [readOnly, mutating] = [at(family, key('', '', 'readOnly')), at(family, key('', '', 'mutating'))]
  return readOnly < 0 && mutating < 0 ? undefined : { readOnly, mutating }
}

function kindRatios(
  phase: string,
  histogram: (family: FamilyKey, where: string) => HistogramLayout | undefined,
): KindRatiosLayout | undefined {
  const of = (kind: string) => histogram('kindUtilization', key('', '', phase + kind))
  const [readOnly, mutating] = [of('readOnly'), of('mutating')]
  return readOnly === undefined && mutating === undefined ? undefined : { readOnly, mutating }
}

const gitVersion = (page: Page): string | undefined =>
  page.families.get(FAMILY.buildInfo)?.series[0]?.labels['git_version'] || undefined

/** The levels and schemas on a page, in its order, up to the limits. */
class Named {
  readonly levels = new Map<string, Set<string>>()
  private readonly otherLevels = new Set<string>()
  private readonly otherSchemas = new Set<string>()
  private schemas = 0

  /** Records a name of each; returns whether both are shown. */
  take(level: string, schema: string | undefined): boolean {
    let schemas = this.levels.get(level)
    if (schemas === undefined) {
      if (this.levels.size >= MOST_LEVELS) {
        this.otherLevels.add(level)
        return false
      }
      schemas = new Set()
      this.levels.set(level, schemas)
    }
    if (schema === undefined || schema === '' || schemas.has(schema)) return true
    if (this.schemas >= MOST_SCHEMAS) {
      this.otherSchemas.add(key(level, schema))
      return false
    }
    this.schemas += 1
    schemas.add(schema)
    return true
  }

  leftOut(): readonly MissingFamily[] {
    const counts = [
      [this.otherLevels.size, 'priority levels', MOST_LEVELS],
      [this.otherSchemas.size, 'flow schemas', MOST_SCHEMAS],
    ] as const
    return counts.flatMap(([left, what, most]): MissingFamily[] =>
      left === 0
        ? []
        : [
            {
              family: 'apiserver_flowcontrol_*',
              reason: 'too-many',
              note: `The page names ${most + left} ${what}. The first ${most} are shown and counted.`,
            },
          ],
    )
  }
}

/** Indexes one family and records its levels and schemas. Series without the required labels are left out. */
function indexFamily(of: FamilyKey, family: Family | undefined, named: Named): FamilyIndex {
  const at = new Map<string, At>()
  const parts = new Map<string, HistogramParts>()
  const ofServer = OF_SERVER.has(of)
  const [dividing, absent = '', more = ''] = DIVIDING_LABEL[of] ?? []
  const familyName = family?.name ?? ''
  family?.series.forEach(({ name, labels }, i) => {
    const level = labels[LEVEL_LABELS[0]] ?? labels[LEVEL_LABELS[1]]
    const schema = labels[SCHEMA_LABELS[0]] ?? labels[SCHEMA_LABELS[1]]
    if (!ofServer && (level === undefined || level === '' || !named.take(level, schema))) return
    const division = dividing === undefined ? '' : (labels[dividing] ?? absent) + (labels[more] ?? '')
    const where = ofServer ? key('', '', division) : key(level ?? '', schema, division)
    if (name === familyName) at.set(where, i)
    else addPart(parts, where, name.slice(familyName.length), labels['le'], i)
  })
  const histograms = new Map<string, HistogramLayout>()
  for (const [where, found] of parts) {
    const layout = histogramLayout(found)
    if (layout !== undefined) histograms.set(where, layout)
  }
  return { at, histograms, isEmpty: at.size + parts.size === 0 }
}

function addPart(
  parts: Map<string, HistogramParts>,
  where: string,
  suffix: string,
  le: string | undefined,
  at: At,
): void {
  const found = parts.get(where) ?? { buckets: new Map<number, At>(), sum: NOWHERE, count: NOWHERE }
  parts.set(where, found)
  if (suffix === '_sum') found.sum = at
  else if (suffix === '_count') found.count = at
  else if (suffix === '_bucket' && le !== undefined) {
    const bound = /^\+?Inf$/.test(le) ? Number.POSITIVE_INFINITY : Number.parseFloat(le)
    if (!Number.isNaN(bound)) found.buckets.set(bound, at)
  }
}

/** `undefined` unless the histogram is complete: a sum, a count and a bucket for +Inf. */
function histogramLayout({ buckets, sum, count }: HistogramParts): HistogramLayout | undefined {
  const ascending = [...buckets].toSorted(([a], [b]) => a - b)
  if (sum < 0 || count < 0 || ascending.at(-1)?.[0] !== Number.POSITIVE_INFINITY) return undefined
  return {
    bounds: ascending.slice(0, -1).map(([bound]) => bound),
    buckets: ascending.map(([, at]) => at),
    sum,
    count,
  }
}
