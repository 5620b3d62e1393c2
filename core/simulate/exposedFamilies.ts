import { FAMILY } from '../metrics/familyNames.ts'
import { CATALOGUE } from '../metrics/catalogue.ts'
import { parseKubernetesVersion } from '../metrics/version.ts'
import type { EngineSnapshot, KindSnapshot } from '../engine/snapshot.ts'
import { MS_PER_SECOND } from '../units.ts'
import { type Exposed, type FamilyRule, gauge, histogram, OBSERVATIONS, PREFIX } from './exposed.ts'
import { deprecatedFamilies } from './exposedDeprecated.ts'
import { LANE_FAMILIES } from './exposedLanes.ts'
import { LIMIT_FAMILIES, TIME_FAMILIES } from './exposedLevels.ts'

const byKind =
  (value: (kind: KindSnapshot) => number) =>
  (snapshot: EngineSnapshot): readonly Exposed[] => [
    { labels: { request_kind: 'mutating' }, value: value(snapshot.mutating) },
    { labels: { request_kind: 'readOnly' }, value: value(snapshot.readOnly) },
  ]

const serverFamilies: readonly FamilyRule[] = [
  {
    ...histogram(
      `${PREFIX}read_vs_write_current_requests`,
      `${OBSERVATIONS} the number of requests (as a fraction of the relevant limit) waiting or in regular stage of execution`,
    ),
    expose: ({ readOnly, mutating }) => [
      { labels: { phase: 'executing', request_kind: 'mutating' }, value: mutating.executing },
      { labels: { phase: 'executing', request_kind: 'readOnly' }, value: readOnly.executing },
      { labels: { phase: 'waiting', request_kind: 'mutating' }, value: mutating.waiting },
      { labels: { phase: 'waiting', request_kind: 'readOnly' }, value: readOnly.waiting },
    ],
  },
  {
    ...gauge(
      'apiserver_current_inflight_requests',
      '[STABLE] Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
    ),
    expose: byKind(({ peakExecuting }) => peakExecuting),
  },
  {
    ...gauge(
      'apiserver_current_inqueue_requests',
      '[ALPHA] Maximal number of queued requests in this apiserver per request kind in last second.',
    ),
    expose: byKind(({ peakWaiting }) => peakWaiting),
  },
  {
    ...gauge(FAMILY.startedAt, 'Start time of the process since unix epoch in seconds.'),
    expose: ({ startUnixMs }) => [{ labels: {}, value: startUnixMs / MS_PER_SECOND }],
  },
]

/**
 * All families of the flow-control subsystem that a server of this version shows by itself, and those that stand beside it
 * (specification 8.1 – 8.4).
 */
export const exposedFamilies = (version: string): readonly FamilyRule[] => {
  const minor = parseKubernetesVersion(version)?.minor ?? Number.POSITIVE_INFINITY
  return [
    ...LANE_FAMILIES,
    ...LIMIT_FAMILIES,
    ...TIME_FAMILIES,
    ...serverFamilies,
    ...deprecatedFamilies(minor).filter(({ name }) => minor < (CATALOGUE.get(name)?.hiddenFrom ?? 0)),
  ]
}
