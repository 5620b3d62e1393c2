import { CATCH_ALL, type FlowSchema } from '../config/objects.ts'
import type { Counted, Coverage } from './coverage.ts'

/** Whether a schema gets requests, or why it gets none. */
export type Standing =
  /** Some within the last ten minutes. */
  | { readonly kind: 'traffic' }
  /** None for this long, but some before. */
  | { readonly kind: 'quiet'; readonly forMs: number }
  /** None since the servers started. */
  | { readonly kind: 'never' }
  /** Earlier schemas take all that it matches; without any, its rules match nothing. */
  | { readonly kind: 'shadowed'; readonly by: readonly string[] }
  /** Its level does not exist. */
  | { readonly kind: 'dangling' }
  /** The servers still count it, and it is not among the objects. */
  | { readonly kind: 'removed' }
  /** The servers do not count requests by schema, and no dump showed one. */
  | { readonly kind: 'unknown' }

export interface CoverageRow {
  readonly schema: string
  readonly level: string
  /** Absent for one that is not among the objects. */
  readonly matchingPrecedence?: number
  readonly standing: Standing
  /** Requests that the counters gained since the first frame, and the frame that last showed some. */
  readonly counted?: number
  readonly lastCountedAt?: number
  /** Requests since the servers started. */
  readonly total?: number
  /** What dumps showed; absent when none was looked at. */
  readonly seen?: { readonly requests: number; readonly flows: number }
}

export const QUIET_AFTER_MS = 600_000

/** What a row needs to know of the objects. */
export interface CoveredObjects {
  /** In matching order, with the schemas that the server imagines. */
  readonly order: readonly FlowSchema[]
  readonly dangling: readonly FlowSchema[]
  /** Earlier schemas that take everything from a schema, by its name (core/guard/shadowing.ts). */
  readonly shadowed: ReadonlyMap<string, readonly string[]>
}

/** One row for each schema in matching order, then dangling ones, then those that only the servers know. */
export function coverageRows(
  coverage: Coverage,
  { order, dangling, shadowed }: CoveredObjects,
): readonly CoverageRow[] {
  const seen = seenBySchema(coverage)
  const totals = totalsOf(coverage)
  const lost = new Set(dangling.map(({ metadata }) => metadata.name))
  const listed = [...order, ...dangling]
  const known = new Set(listed.map(({ metadata }) => metadata.name))
  const row = (schema: string, level: string, standing: (facts: Facts) => Standing): CoverageRow => {
    const facts: Facts = {
      total: totals?.get(schema) ?? (totals === undefined ? undefined : 0),
      counted: coverage.counted.get(schema),
      seen: seen.get(schema),
    }
    return {
      schema,
      level,
      standing: standing(facts),
      ...(facts.total !== undefined && { total: facts.total, counted: facts.counted?.requests ?? 0 }),
      ...(facts.counted?.lastAt !== undefined && { lastCountedAt: facts.counted.lastAt }),
      ...(coverage.dumps > 0 && { seen: { requests: facts.seen?.requests ?? 0, flows: facts.seen?.flows ?? 0 } }),
    }
  }
  return [
    ...listed.map(({ metadata: { name }, spec }) => ({
      ...row(name, spec.priorityLevelConfiguration.name, (facts) =>
        lost.has(name)
          ? { kind: 'dangling' }
          : standingOf(facts, coverage, tookSome(name, facts) ? undefined : shadowed.get(name)),
      ),
      matchingPrecedence: spec.matchingPrecedence,
    })),
    ...[...new Set([...coverage.counted.keys(), ...seen.keys()])]
      .filter((name) => !known.has(name))
      .map((name) =>
        row(name, coverage.counted.get(name)?.level ?? seen.get(name)?.level ?? '', () => ({ kind: 'removed' })),
      ),
  ]
}

interface SeenSchema {
  readonly level: string
  readonly requests: number
  readonly flows: number
  readonly lastAt: number
}
interface Facts {
  readonly total: number | undefined
  readonly counted: Counted | undefined
  readonly seen: SeenSchema | undefined
}

/** catch-all had requests that the present objects leave it none of: what counts is that it had some. */
const tookSome = (name: string, { total = 0 }: Facts): boolean => name === CATCH_ALL && total > 0

function standingOf(
  { total, counted, seen }: Facts,
  { since = 0, at = 0 }: Coverage,
  by: readonly string[] | undefined,
): Standing {
  const lastAt = Math.max(counted?.lastAt ?? Number.NEGATIVE_INFINITY, seen?.lastAt ?? Number.NEGATIVE_INFINITY)
  if (at - lastAt < QUIET_AFTER_MS) return { kind: 'traffic' }
  if (by !== undefined) return { kind: 'shadowed', by }
  if (total === undefined && seen === undefined) return { kind: 'unknown' }
  if (total === 0 && seen === undefined) return { kind: 'never' }
  return { kind: 'quiet', forMs: at - Math.max(lastAt, since) }
}

/** By schema, the sum over servers; `undefined` when no server counts requests by schema. */
function totalsOf({ counters }: Coverage): ReadonlyMap<string, number> | undefined {
  const sums = new Map<string, number>()
  for (const { totals } of counters.values()) {
    for (const [schema, total] of totals) sums.set(schema, (sums.get(schema) ?? 0) + total)
  }
  return sums.size === 0 ? undefined : sums
}

function seenBySchema({ flows }: Coverage): ReadonlyMap<string, SeenSchema> {
  const bySchema = new Map<string, SeenSchema>()
  for (const { schema, level, requests, lastAt } of flows.values()) {
    const known = bySchema.get(schema)
    bySchema.set(schema, {
      level,
      requests: (known?.requests ?? 0) + requests,
      flows: (known?.flows ?? 0) + 1,
      lastAt: Math.max(known?.lastAt ?? lastAt, lastAt),
    })
  }
  return bySchema
}
