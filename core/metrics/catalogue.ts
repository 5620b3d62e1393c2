import type { MissingFamily } from '../frame/frame.ts'
import type { FamilyType } from './page.ts'
import { byCodeUnits } from '../text/text.ts'
import { RELATED_FAMILIES, DEPRECATED_FAMILIES, LIMIT_FAMILIES } from './catalogueLimits.ts'
import { DURATION_FAMILIES } from './catalogueTimes.ts'
import { earlierName, FAMILY, type FamilyInfo, type FamilyKey } from './familyNames.ts'
import { COVERED_MINORS, parseKubernetesVersion } from './versions.ts'
import { REQUEST_FAMILIES, TIME_FAMILIES } from './catalogueRequests.ts'

/**
 * Every family that the console supports, by name (specification 8): the 32 flow-control families of Kubernetes 1.37,
 * the two that it lost (specification 8.1, 8.2, 8.4), and related ones.
 */
export const CATALOGUE: ReadonlyMap<string, FamilyInfo> = new Map(
  [
    ...REQUEST_FAMILIES,
    ...LIMIT_FAMILIES,
    ...TIME_FAMILIES,
    ...DEPRECATED_FAMILIES,
    ...RELATED_FAMILIES,
    ...DURATION_FAMILIES,
  ].map((family) => [family.name, family]),
)

/** The type of a family, for pages that do not declare it. */
export const typeOf = (family: string): FamilyType | undefined => CATALOGUE.get(family)?.type

/** The families that a source keeps of a page: those that frames are built from, or whose absence is reported. */
export const NEEDED_FAMILIES: ReadonlySet<string> = new Set(
  [...CATALOGUE.values()].filter((family) => family.needed).map((family) => family.name),
)

/** Families of requests by kind. Shown if a page has them, never reported as missing: occupancy by level is better. */
export const KIND_FAMILIES: readonly string[] = [FAMILY.inFlightByKind, FAMILY.inQueueByKind]

/** The same of ratios of requests, beside those of seats: read where a page is read whole, not from Prometheus. */
export const RATIO_FAMILIES: readonly string[] = [FAMILY.requestUtilization, FAMILY.kindUtilization]

/** Families of request times. Shown if a page has them, never reported as missing: waits and executions are better. */
export const REQUEST_TIME_FAMILIES: readonly string[] = DURATION_FAMILIES.map(({ name }) => name)

/** Needed families that a server of this version can have; all of them if the version is unknown. */
export function familiesOf(version: string | undefined): readonly FamilyInfo[] {
  const has = presenceIn(version)
  return [...CATALOGUE.values()].filter((family) => family.needed && has(family.since, family.removedIn))
}

/**
 * Families of request times to request from a server of this version; all if it is unknown. Hidden names are not
 * requested: where a flag shows one, its successor is exposed too.
 */
export function requestTimeFamiliesOf(version: string | undefined): readonly FamilyInfo[] {
  const has = presenceIn(version)
  return DURATION_FAMILIES.filter(({ since, hiddenFrom }) => has(since, hiddenFrom))
}

/** Whether a version is in the range from one minor to before another; an unknown version is in every range. */
function presenceIn(version: string | undefined): (since?: number, before?: number) => boolean {
  const parsed = parseKubernetesVersion(version)
  if (parsed?.major !== 1) return () => true
  const { minor } = parsed
  return (since = 0, before = Number.POSITIVE_INFINITY) => since <= minor && minor < before
}

/** The family that a server of this version has for a frame's `key`; `undefined` if it has none. */
export function familyFor(version: string | undefined, key: FamilyKey): FamilyInfo | undefined {
  const has = new Map(familiesOf(version).map((family) => [family.name, family]))
  const earlier = earlierName(key, has.has(FAMILY.nominal))
  return has.get(FAMILY[key]) ?? (earlier === undefined ? undefined : has.get(earlier))
}

/**
 * Needed families that are missing from a page although the console would use them, sorted by name. A family that
 * appears only after its first event is not missing: it reads as 0.
 *
 * `version` is the server's gitVersion. If it cannot be read, or is newer than the catalogue, the rules of the newest
 * known version apply. `notExposed` says, without a full stop, why a family that the version has may be absent.
 */
export function missingFamilies(
  version: string | undefined,
  present: ReadonlySet<string>,
  notExposed = 'Not in the page',
): MissingFamily[] {
  const parsed = parseKubernetesVersion(version)
  const minor = parsed === undefined || parsed.major > 1 ? COVERED_MINORS.newest : parsed.major < 1 ? 0 : parsed.minor
  const missing: MissingFamily[] = []
  const isPart = isPartOfPage(minor, present)
  const hasQueued = QUEUED.some((one) => present.has(one))
  for (const name of NEEDED_FAMILIES) {
    const family = CATALOGUE.get(name)
    if (family === undefined || present.has(name)) continue
    const absence = explainAbsence(family, minor, {
      notExposed: parsed === undefined ? `${notExposed}.` : `${notExposed}, although this version has it.`,
      isPart: isPart || (hasQueued && QUEUED.includes(name)),
    })
    if (absence === undefined) continue
    missing.push({ family: name, ...absence })
  }
  return missing.toSorted((a, b) => byCodeUnits(a.family, b.family))
}

/** All appear with the first request that goes through a queue: without one of them, a page was filtered. */
const QUEUED: readonly string[] = [FAMILY.queuedRequests, FAMILY.queuedSeats, FAMILY.queueLength, FAMILY.wait]

/**
 * Whether a page was filtered: it has less than half of the families that every page of such a server has. Then a
 * family that appears with its first event may be filtered out as well.
 */
function isPartOfPage(minor: number, present: ReadonlySet<string>): boolean {
  const atRest = [...CATALOGUE.values()].filter(
    (family) => family.needed && family.presence === 'at-rest' && explainAbsence(family, minor) === undefined,
  )
  return 2 * atRest.filter(({ name }) => present.has(name)).length < atRest.length
}

function explainAbsence(
  family: FamilyInfo,
  minor: number,
  page?: { readonly notExposed: string; readonly isPart: boolean },
): Omit<MissingFamily, 'family'> | undefined {
  const { since, hiddenFrom, removedIn } = family
  const without = WHEN_MISSING[family.name] ?? ''
  if (since !== undefined && minor < since) {
    return { reason: 'not-yet', note: `Exists only from Kubernetes 1.${since} on. ${without}` }
  }
  if (removedIn !== undefined && minor >= removedIn) {
    return { reason: 'removed', note: `Removed in Kubernetes 1.${removedIn}. ${without}` }
  }
  if (hiddenFrom !== undefined && minor >= hiddenFrom) {
    return { reason: 'hidden', note: `Deprecated, hidden from Kubernetes 1.${hiddenFrom} on. ${without}` }
  }
  if (page === undefined || (family.presence === 'after-event' && !page.isPart)) return undefined
  const { notExposed } = page
  return { reason: 'not-exposed', note: `${notExposed} ${without}` }
}

/**
 * What is unavailable, or shown instead, without each family that is needed: one sentence for users whose server does not
 * expose it. They are apart from the catalogue, which the page has as well.
 */
const WHEN_MISSING: Readonly<Record<string, string>> = {
  apiserver_flowcontrol_rejected_requests_total: 'Rejections are unknown.',
  apiserver_flowcontrol_dispatched_requests_total: 'Dispatched requests and their rate are unknown.',
  apiserver_flowcontrol_current_inqueue_requests: 'Queued requests are unknown.',
  apiserver_flowcontrol_current_inqueue_seats: 'Queued seats are unknown.',
  apiserver_flowcontrol_request_queue_length_after_enqueue: 'Queue lengths at arrival are unknown.',
  apiserver_flowcontrol_current_executing_requests: 'Executing requests are unknown.',
  apiserver_flowcontrol_current_executing_seats: 'Executing seats are unknown.',
  apiserver_flowcontrol_request_wait_duration_seconds: 'Waiting times are unknown.',
  apiserver_flowcontrol_request_execution_seconds: 'Execution times are unknown.',
  apiserver_flowcontrol_watch_count_samples: 'Watchers per mutating request are unknown.',
  apiserver_flowcontrol_work_estimated_seats: 'Seats per request are unknown.',
  apiserver_flowcontrol_request_dispatch_no_accommodation_total: 'Failed attempts to dispatch are unknown.',
  apiserver_flowcontrol_nominal_limit_seats: 'Nominal limits are unknown, and with them lending and borrowing.',
  apiserver_flowcontrol_lower_limit_seats: 'Lower limits are unknown.',
  apiserver_flowcontrol_upper_limit_seats: 'Upper limits are unknown.',
  apiserver_flowcontrol_current_limit_seats: 'Current limits are unknown, and with them lending and borrowing.',
  apiserver_flowcontrol_demand_seats_high_watermark: 'The high watermark of demand is unknown.',
  apiserver_flowcontrol_demand_seats_average: 'The average demand is unknown.',
  apiserver_flowcontrol_demand_seats_stdev: 'The deviation of demand is unknown.',
  apiserver_flowcontrol_demand_seats_smoothed: 'Smoothed demand is unknown, and why limits are what they are.',
  apiserver_flowcontrol_target_seats: 'Targets are unknown.',
  apiserver_flowcontrol_seat_fair_frac: 'The fair fraction is unknown.',
  apiserver_flowcontrol_current_r: 'Virtual time is unknown.',
  apiserver_flowcontrol_dispatch_r: 'R at the last dispatch is unknown.',
  apiserver_flowcontrol_latest_s: 'The virtual start of the last dispatch is unknown.',
  apiserver_flowcontrol_next_s_bounds: 'Bounds of virtual starts are unknown.',
  apiserver_flowcontrol_next_discounted_s_bounds: 'Discounted bounds of virtual starts are unknown.',
  apiserver_flowcontrol_epoch_advance_total: 'Shifts of virtual time are unknown.',
  apiserver_flowcontrol_priority_level_seat_utilization: 'Utilisation is known only at the instants of the scrapes.',
  apiserver_flowcontrol_demand_seats: 'Demand is known only as statistics of adjustment periods.',
  apiserver_flowcontrol_request_concurrency_limit:
    'Nothing is lost: nominal_limit_seats has the same value and is shown.',
  apiserver_flowcontrol_request_concurrency_in_use:
    'Nothing is lost: current_executing_seats has the same value and is shown.',
  process_start_time_seconds: 'A restart is noticed only when a counter falls.',
  kubernetes_build_info: 'The metrics do not show the version of the server.',
}
