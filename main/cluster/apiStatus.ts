import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import type { Cause, ChangeVerdict } from '../../core/contract/objects.ts'
import type { Failed } from './http.ts'

export type ManagerConflict = ChangeVerdict['conflicts'][number]

/** What a refusal says beyond its words. */
export interface Refusal {
  readonly message: string
  /** `Conflict`, `Invalid`, `AlreadyExists`, … */
  readonly reason: string
  /** Fields that it names. */
  readonly causes: readonly Cause[]
  /** Fields that other managers own. */
  readonly conflicts: readonly ManagerConflict[]
}

const StatusSchema = z.object({
  message: z.string().default(''),
  reason: z.string().default(''),
  details: z
    .object({
      causes: z
        .array(
          z.object({ reason: z.string().default(''), message: z.string().default(''), field: z.string().default('') }),
        )
        .default([]),
    })
    .default({ causes: [] }),
})

const MANAGER_CONFLICT = 'FieldManagerConflict'

/** The Status object in the body of a failure; empty where there is none. */
export function refusalOf({ body, problem }: Failed): Refusal {
  const status = StatusSchema.safeParse(parseJson(body ?? '')).data
  if (status === undefined)
    return { message: problem.details ?? problem.message, reason: '', causes: [], conflicts: [] }
  const { message, reason, details } = status
  const [conflicts, causes] = partition(details.causes, (cause) => cause.reason === MANAGER_CONFLICT)
  return {
    message,
    reason,
    causes: causes.length > 0 ? causes : strictCauses(message),
    conflicts: conflicts.map((cause) => ({
      manager: managerIn(cause.message),
      // The server begins these paths with a dot.
      field: cause.field.replace(/^\./, ''),
      message: cause.message,
    })),
  }
}

/** `strict decoding error: unknown field "spec.limited.shares", duplicate field "…"`: the server gives no causes for these. */
function strictCauses(message: string): Cause[] {
  const found = message.matchAll(/\b(unknown|duplicate) field "([^"]+)"/g)
  return [...found].map(([words, what, field = '']) => ({
    field,
    reason: what === 'unknown' ? 'FieldUnknown' : 'Malformed',
    message: words,
  }))
}

/** `conflict with "kubectl-edit" using flowcontrol.apiserver.k8s.io/v1 at …` */
const managerIn = (message: string): string => /^conflict with "((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? ''

/** The texts of Warning headers: `299 - "text"`, several joined by commas. */
export function warningsOf(headers: IncomingHttpHeaders): string[] {
  const found = (headers.warning ?? '').matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)
  return [...found].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'))
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
