import type { Family, Page, FamilyType } from './page.ts'

export const PREFIX = 'apiserver_flowcontrol_'

/** The families that a frame is built from, by their names in the frame (specification 8). */
export const FAMILY = {
  dispatched: `${PREFIX}dispatched_requests_total`,
  rejected: `${PREFIX}rejected_requests_total`,
  executingSeats: `${PREFIX}current_executing_seats`,
  queuedSeats: `${PREFIX}current_inqueue_seats`,
  executingRequests: `${PREFIX}current_executing_requests`,
  queuedRequests: `${PREFIX}current_inqueue_requests`,
  noAccommodation: `${PREFIX}request_dispatch_no_accommodation_total`,
  wait: `${PREFIX}request_wait_duration_seconds`,
  execution: `${PREFIX}request_execution_seconds`,
  queueLength: `${PREFIX}request_queue_length_after_enqueue`,
  estimatedSeats: `${PREFIX}work_estimated_seats`,
  watchCount: `${PREFIX}watch_count_samples`,
  nominal: `${PREFIX}nominal_limit_seats`,
  lower: `${PREFIX}lower_limit_seats`,
  upper: `${PREFIX}upper_limit_seats`,
  current: `${PREFIX}current_limit_seats`,
  highWatermark: `${PREFIX}demand_seats_high_watermark`,
  average: `${PREFIX}demand_seats_average`,
  stdev: `${PREFIX}demand_seats_stdev`,
  smoothed: `${PREFIX}demand_seats_smoothed`,
  target: `${PREFIX}target_seats`,
  seatFairFrac: `${PREFIX}seat_fair_frac`,
  currentR: `${PREFIX}current_r`,
  dispatchR: `${PREFIX}dispatch_r`,
  latestS: `${PREFIX}latest_s`,
  nextS: `${PREFIX}next_s_bounds`,
  nextDiscountedS: `${PREFIX}next_discounted_s_bounds`,
  epochs: `${PREFIX}epoch_advance_total`,
  seatUtilization: `${PREFIX}priority_level_seat_utilization`,
  demandRatio: `${PREFIX}demand_seats`,
  requestUtilization: `${PREFIX}priority_level_request_utilization`,
  kindUtilization: `${PREFIX}read_vs_write_current_requests`,
  inFlightByKind: 'apiserver_current_inflight_requests',
  inQueueByKind: 'apiserver_current_inqueue_requests',
  startedAt: 'process_start_time_seconds',
  buildInfo: 'kubernetes_build_info',
} as const

export type FamilyKey = keyof typeof FAMILY

/** The only limit that a level had before 1.26, when there was no borrowing. */
export const EARLIEST_LIMIT = `${PREFIX}request_concurrency_limit`

/** The name of executing seats before 1.28, in releases with and without borrowing. */
export const EARLIEST_SEATS = `${PREFIX}request_concurrency_in_use`

/** The names of the same families in earlier releases. */
const EARLIER_NAMES: Partial<Record<FamilyKey, string>> = {
  nominal: EARLIEST_LIMIT,
  current: EARLIEST_LIMIT,
  executingSeats: EARLIEST_SEATS,
}

/**
 * The name of a family in a release that lacks the present one. Where there is a nominal limit, the earliest limit
 * stands only for that, not for the current one.
 */
export function earlierName(key: FamilyKey, hasNominal: boolean): string | undefined {
  const earlier = EARLIER_NAMES[key]
  return hasNominal && earlier === EARLIEST_LIMIT ? undefined : earlier
}

/** A family of a page under its name in that release. */
export function familyIn({ families }: Pick<Page, 'families'>, key: FamilyKey): Family | undefined {
  const family = families.get(FAMILY[key])
  const earlier = earlierName(key, families.has(FAMILY.nominal))
  return family !== undefined || earlier === undefined ? family : families.get(earlier)
}

const isFamilyKey = (text: string): text is FamilyKey => Object.hasOwn(FAMILY, text)
export const FAMILY_KEYS: readonly FamilyKey[] = Object.keys(FAMILY).filter(isFamilyKey)

type FamilyUnit =
  | 'requests'
  | 'seats'
  | 'seat-seconds'
  | 'seconds'
  | 'ratio, weighted with nanoseconds'
  | 'watchers'
  | 'events'
  | 'none'

/** One metric family as the API server documents and exposes it (specification 8, docs/frame.md). */
export interface FamilyInfo {
  readonly name: string
  readonly type: FamilyType
  readonly unit: FamilyUnit
  readonly labels: readonly string[]
  readonly stability: 'ALPHA' | 'BETA' | 'STABLE' | 'none'
  /** First minor in which an alpha family is beta. */
  readonly betaFrom?: number
  /** First minor of Kubernetes 1 that has it; absent when it is older than any version that the console reads. */
  readonly since?: number
  /** First minor that hides it unless `--show-hidden-metrics-for-version` is set. */
  readonly hiddenFrom?: number
  /** First minor without it. */
  readonly removedIn?: number
  /** `at-rest`: in every page of a server that has it. `after-event`: only after the first event of its kind. */
  readonly presence: 'at-rest' | 'after-event'
  /** Frames are built from it, or its absence is worth a notice. */
  readonly needed: boolean
}

type Versions = Pick<FamilyInfo, 'betaFrom' | 'since' | 'hiddenFrom' | 'removedIn'>

/** A family in the columns of the catalogue. */
type FamilyRow = readonly [
  name: string,
  type: FamilyType,
  unit: FamilyUnit,
  labels: readonly string[],
  stability: FamilyInfo['stability'],
  presence: FamilyInfo['presence'],
  need: 'needed' | 'optional',
  versions?: Versions,
]

export const fromRows = (rows: readonly FamilyRow[]): readonly FamilyInfo[] =>
  rows.map(([name, type, unit, labels, stability, presence, need, versions]) => ({
    name,
    type,
    unit,
    labels,
    stability,
    presence,
    needed: need === 'needed',
    ...versions,
  }))
