import type { Shown } from './measures.ts'

/** Numbers by which a fleet is compared: one query for each, whatever the number of clusters, servers and levels. */
export const FLEET_NUMBERS = ['executing', 'limit', 'nominal', 'queued', 'rejected', 'dispatched', 'waitP99'] as const
export type FleetNumber = (typeof FLEET_NUMBERS)[number]

/** For each level of each server. */
export const FLEET_SHOWN: Readonly<Record<FleetNumber, Shown>> = {
  executing: { measures: 'executing', each: ['priority_level'] },
  limit: { measures: 'limit', each: ['priority_level'] },
  nominal: { measures: 'limitedNominal', each: ['priority_level'] },
  queued: { measures: 'queued', each: ['priority_level'] },
  rejected: { measures: 'rejected', each: ['priority_level', 'reason'] },
  dispatched: { measures: 'dispatched', each: ['priority_level'] },
  waitP99: { measures: 'waitP99', each: ['priority_level'] },
}
