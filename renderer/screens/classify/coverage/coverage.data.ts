import { plural } from '../../../../core/text/format.ts'
import {
  type Coverage,
  type SeenFlow,
  QUIET_AFTER_MS,
  type CoverageRow,
  type Standing,
} from '../../../../core/classify/coverage.ts'
import { landings } from '../../../../core/classify/configuration.ts'
import { CATCH_ALL, type ObjectSet } from '../../../../core/config/objects.ts'
import type { DerivedServer } from '../../../../core/frame/derived.ts'
import { flowName } from '../../../../core/frame/flow.ts'
import { format } from '../../../theme/format.ts'
import { sampleOfDump } from '../../../../core/classify/requestText.ts'
import { requestWords } from '../shared/seen.data.ts'

/** Requests dispatched per second by schema, summed over servers; schemas without a rate on any server are absent. */
export function dispatchedRates(derived: readonly DerivedServer[]): ReadonlyMap<string, number> {
  const rates = new Map<string, number>()
  for (const { levels } of derived) {
    for (const { schemas } of levels) {
      for (const { name, dispatchedPerSecond: rate } of schemas) {
        if (rate !== undefined) rates.set(name, (rates.get(name) ?? 0) + rate)
      }
    }
  }
  return rates
}

/** Whether a standing needs attention; catch-all is expected to get nothing. */
export const isIdle = ({ schema, standing }: CoverageRow): boolean =>
  schema !== CATCH_ALL &&
  (standing.kind === 'quiet' ? standing.forMs > 0 : ['never', 'shadowed', 'dangling'].includes(standing.kind))

/** Summary of all schemas of the configuration, in a sentence. */
export function coverageSentence(rows: readonly CoverageRow[]): string {
  const listed = rows.filter(({ standing }) => standing.kind !== 'removed')
  // Catch-all is expected to get nothing.
  const count = (holds: (standing: Standing) => boolean): number =>
    listed.filter(({ schema, standing }) => schema !== CATCH_ALL && holds(standing)).length
  const all = `${listed.length} flow schemas`
  const unknown = count(({ kind }) => kind === 'unknown')
  const lost = count(({ kind }) => kind === 'shadowed' || kind === 'dangling')
  const never = count(({ kind }) => kind === 'never')
  const quiet = count((standing) => standing.kind === 'quiet' && standing.forMs >= QUIET_AFTER_MS)
  const unwatched = count((standing) => standing.kind === 'quiet' && standing.forMs === 0)
  const brief = count((standing) => standing.kind === 'quiet' && standing.forMs < QUIET_AFTER_MS)
  const have = (number: number): string => plural(number, 'has', 'have')
  if (unknown > 0) return `It is unknown whether ${unknown} of ${all} ${plural(unknown, 'gets', 'get')} requests.`
  if (lost > 0) return `${lost} of ${all} can get no request.`
  if (never > 0) return `${never} of ${all} ${have(never)} had no request since the servers started.`
  if (quiet > 0) return `${quiet} of ${all} ${have(quiet)} had no request for 10 minutes.`
  if (unwatched > 0) return 'Every flow schema has had requests since the servers started.'
  if (brief > 0) return `${brief} of ${all} ${have(brief)} had no request while this page was open, but some before.`
  return 'Every flow schema gets requests.'
}

/** Requests that no other schema matches; `undefined` when there are none. Rows of the past are of one instant. */
export function catchAllSentence(rows: readonly CoverageRow[], isPast = false): string | undefined {
  const row = rows.find(({ schema }) => schema === CATCH_ALL)
  const { counted = 0, total = 0, seen } = row ?? {}
  const lately = Math.max(counted, seen?.requests ?? 0)
  if (total === 0 && lately === 0) return undefined
  const requests = (count: number): string => format.counted(count, 'request')
  const when =
    isPast && total === 0
      ? `${requests(lately)} of the dump`
      : lately > 0 && !isPast
        ? `${requests(lately)} since this page opened`
        : `${requests(total)} since the servers started`
  return `catch-all received ${when}: no other schema matches them. It is a last resort with few seats and no queues; give such requests a schema of their own.`
}

export interface FlowRow {
  readonly key: string
  readonly name: string
  readonly schema: string
  readonly level: string
  readonly requests: number
  readonly users: number
  readonly lastAt: number
  readonly example: SeenFlow['example']
  readonly words: string
  /** Schema that the draft sends it to; `unclear` where the present objects do not explain where the server sent it. */
  readonly draft?: { readonly schema: string; readonly level: string; readonly moves: boolean } | 'unclear'
}

/** Flows from dumps, of one schema or of all: those with most requests first. */
export function flowTable(
  { flows }: Coverage,
  schema: string | undefined,
  current: ObjectSet,
  draft: ObjectSet | undefined,
): readonly FlowRow[] {
  const land = landings(current)
  const landInDraft = draft && landings(draft)
  return [...flows.values()]
    .filter((flow) => schema === undefined || flow.schema === schema)
    .toSorted((a, b) => b.requests - a.requests || (a.key < b.key ? -1 : 1))
    .map((flow): FlowRow => {
      const sample = sampleOfDump(flow.example)
      const now = sample && land(sample)
      const then = sample && landInDraft?.(sample)
      const explained = now?.ok === true && now.flowSchema === flow.schema
      return {
        key: flow.key,
        name: flowName(flow.distinguisher, flow.schema),
        schema: flow.schema,
        level: flow.level,
        requests: flow.requests,
        users: flow.users.size,
        lastAt: flow.lastAt,
        example: flow.example,
        words: sample === undefined ? '' : requestWords(sample),
        ...(landInDraft && {
          draft:
            explained && then?.ok === true
              ? {
                  schema: then.flowSchema,
                  level: then.priorityLevel,
                  moves: then.flowSchema !== flow.schema || then.priorityLevel !== flow.level,
                }
              : ('unclear' as const),
        }),
      }
    })
}
