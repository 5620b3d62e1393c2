import {
  LOOKING,
  type Capability,
  type CapabilityResult,
  type PermissionReport,
} from '../../../core/contract/source.ts'

export interface Count {
  readonly allowed: number
  /** Capabilities that looking needs and that apply to this kind of source. */
  readonly of: number
}

const WORST: readonly CapabilityResult['status'][] = ['allowed', 'not-applicable', 'forbidden', 'failed']

/** One row a capability: over several servers, the worst finding, with the servers named where they differ. */
export function capabilityRows(reports: readonly PermissionReport[]): readonly CapabilityResult[] {
  const rows = new Map<Capability, CapabilityResult>()
  for (const { server, results } of reports) {
    for (const result of results) {
      const before = rows.get(result.capability)
      if (before === undefined) rows.set(result.capability, result)
      else if (WORST.indexOf(result.status) > WORST.indexOf(before.status)) {
        rows.set(result.capability, { ...result, found: `${result.found} (${server})` })
      }
    }
  }
  return [...rows.values()]
}

/** The call, short enough for a column; the full one stands in its title and in the role. */
export const shortNeeds = (needs: string): string =>
  needs
    .replace('/debug/api_priority_and_fairness/', '…/')
    .replace('flowschemas, prioritylevelconfigurations', 'flowcontrol objects')

export function countOf(rows: readonly CapabilityResult[]): Count {
  const applicable = rows.filter(({ capability, status }) => LOOKING.has(capability) && status !== 'not-applicable')
  return { allowed: applicable.filter(({ status }) => status === 'allowed').length, of: applicable.length }
}

/** What each capability puts on the screens. */
const SHOWS: readonly (readonly [what: string, needs: readonly Capability[]])[] = [
  ['Seats, limits, demand, waits, rejections', ['metrics']],
  ['Server version', ['version']],
  ['State of levels between scrapes', ['dump-levels']],
  ['Queues, virtual time', ['dump-queues']],
  ['Flows and single requests', ['dump-requests']],
  ['Shares, schemas and their matching order', ['list-objects']],
]

export interface Consequence {
  readonly what: string
  readonly stays: boolean
}

/** What stays and what goes with these permissions. */
export function consequences(rows: readonly CapabilityResult[]): readonly Consequence[] {
  const has = (capability: Capability): boolean =>
    rows.some((row) => row.capability === capability && row.status === 'allowed')
  return SHOWS.map(([what, needs]) => ({ what, stays: needs.every(has) }))
}

/** Texts of several reports without repetition: servers of one source usually agree. */
export function distinct(texts: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(texts.filter((text) => text !== undefined))]
}

/** Whether the source can show anything at all. */
export const canConnect = (reports: readonly PermissionReport[]): boolean =>
  reports.some(({ results }) =>
    results.some(({ capability, status }) => capability === 'metrics' && status === 'allowed'),
  )
