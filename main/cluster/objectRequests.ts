import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { versionOf, withoutNulls, type ObjectVersion } from '../../core/config/content.ts'
import { isJsonObject, type JsonObject } from '../../core/config/jsonValues.ts'
import type { Kind } from '../../core/config/objects.ts'
import type { Problem } from '../../core/errors.ts'
import type { Cause, ChangeVerdict } from '../../core/contract/objects.ts'
import { FIELD_MANAGER, type Waiting } from '../ports/objectGateway.ts'
import type { ReviewContext } from './accessReview.ts'
import { collectionUrl, objectUrl, type ClusterApi } from './clusterApi.ts'
import { type Failed, type HttpRequest, getJson } from './http.ts'
import type { HttpLimits } from './httpProblems.ts'
import { parseJson } from '../../core/text/text.ts'

export interface Written {
  readonly ok: true
  /** As the server stores or would store it; after a deletion the object that was deleted. */
  readonly object: JsonObject
  readonly warnings: readonly string[]
}

export interface Address {
  readonly kind: Kind
  readonly name: string
}
/** Admission may call webhooks, which may take ten seconds and more. */
const WRITE_LIMITS: HttpLimits = {
  connectMs: 5_000,
  firstByteMs: 35_000,
  idleMs: 5_000,
  totalMs: 40_000,
  maxWireBytes: 4 * 1024 * 1024,
  maxBytes: 4 * 1024 * 1024,
}
/** A refusal names each field; even for the largest object it is smaller than this. */
const REFUSAL_BYTES = 512 * 1024

/** The requests for one object, as the API has them. */
export interface ObjectRequests {
  /** `undefined` when there is none. */
  get(address: Address): Promise<{ readonly ok: true; readonly object: JsonObject | undefined } | Failed>
  create(kind: Kind, wish: JsonObject, dryRun: boolean): Promise<Written | Failed>
  /** Replaces the whole object. */
  update(address: Address, wish: JsonObject, at: ObjectVersion | undefined, dryRun: boolean): Promise<Written | Failed>
  /** Server-side apply. */
  patch(
    address: Address,
    wish: JsonObject,
    at: ObjectVersion | undefined,
    options: { readonly dryRun: boolean; readonly force: boolean },
  ): Promise<Written | Failed>
  remove(address: Address, at: ObjectVersion | undefined, dryRun: boolean): Promise<Written | Failed>
}

export function createObjectRequests(api: ClusterApi, patience: Patience): ObjectRequests {
  const write = (
    address: (base: string) => URL,
    method: NonNullable<HttpRequest['write']>['method'],
    body: unknown,
    contentType = 'application/json',
  ): Promise<Written | Failed> =>
    patience.ask(() =>
      api.ask(async ({ base, settings }: ReviewContext) => {
        const answer = await getJson({
          url: address(base),
          settings,
          limits: WRITE_LIMITS,
          failureBytes: REFUSAL_BYTES,
          body: JSON.stringify(body),
          write: { method, contentType },
        })
        if (!answer.ok) return answer
        return {
          ok: true,
          object: isJsonObject(answer.value) ? answer.value : {},
          warnings: warningsOf(answer.headers),
        }
      }),
    )
  const query = (dryRun: boolean) => ({
    fieldManager: FIELD_MANAGER,
    fieldValidation: 'Strict',
    ...(dryRun && { dryRun: 'All' }),
  })
  return {
    get: ({ kind, name }) =>
      patience.ask(() =>
        api.ask(async ({ base, settings }) => {
          const answer = await getJson({ url: objectUrl(base, kind, name), settings })
          if (!answer.ok) return answer.status === 404 ? { ok: true, object: undefined } : answer
          // An object is never written without its version.
          return isJsonObject(answer.value) && versionOf(answer.value) !== undefined
            ? { ok: true, object: answer.value }
            : { ok: false, status: 200, problem: strangeAnswer(kind, name) }
        }),
      ),
    create: (kind, wish, dryRun) => write((base) => collectionUrl(base, kind, query(dryRun)), 'POST', bodyOf(wish)),
    update: ({ kind, name }, wish, at, dryRun) =>
      write((base) => objectUrl(base, kind, name, query(dryRun)), 'PUT', bodyOf(wish, at)),
    patch: ({ kind, name }, wish, at, { dryRun, force }) =>
      write(
        (base) => objectUrl(base, kind, name, { ...query(dryRun), force: String(force) }),
        'PATCH',
        // Applying `null` would claim ownership of it.
        withoutNulls(bodyOf(wish, at)),
        'application/apply-patch+yaml',
      ),
    remove: ({ kind, name }, at, dryRun) =>
      write((base) => objectUrl(base, kind, name), 'DELETE', {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: at,
        ...(dryRun && { dryRun: ['All'] }),
      }),
  }
}

const strangeAnswer = (kind: Kind, name: string): Problem => ({
  code: 'bad-answer',
  message: `The server did not return ${kind} ${name}; check that the address is that of an API server.`,
})

/** Fields that the server maintains, and those that belong to the precondition. */
const KEPT_BY_SERVER: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
])

/** The wish as it is sent: everything that it contains, known to the console or not, except the server's own fields. */
function bodyOf({ metadata, status: _status, ...rest }: JsonObject, at?: ObjectVersion): JsonObject {
  if (!isJsonObject(metadata)) return { ...rest, ...(metadata !== undefined && { metadata }) }
  const said = Object.entries(metadata).filter(([key]) => !KEPT_BY_SERVER.has(key))
  return { ...rest, metadata: { ...Object.fromEntries(said), ...at } }
}

export type ManagerConflict = ChangeVerdict['conflicts'][number]

/** What a refusal contains besides its message. */
interface Refusal {
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

/** The Status object in the body of a failure; empty if there is none. */
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

/**
 * `strict decoding error: unknown field "spec.limited.shares", duplicate field "…"`: the server reports no causes for
 * these.
 */
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

/** As in client-go, and therefore in kubectl. */
const MOST_TRIES = 10
/** If a server requests a longer pause than this, the request is not repeated; flow control requests at most 32 s. */
const MOST_WAIT_MS = 60_000

interface PatienceOptions {
  readonly now: () => number
  /** Calls back once after `ms` unless the returned function was called first. */
  readonly after: (ms: number, callback: () => void) => () => void
  readonly onWaiting: (waiting: Waiting | undefined) => void
}

export interface Patience {
  /**
   * Sends a request, and repeats it after `Retry-After` as long as the server answers 429. Flow control rejects a
   * request before it is carried out, so this is safe for writes too. A 429 without `Retry-After`, which a webhook may
   * send, is not repeated. Returns the last response after 10 tries or `giveUp`.
   */
  ask<T extends { readonly ok: true }>(send: () => Promise<T | Failed>): Promise<T | Failed>
  /** Ends the current pauses; their requests return the 429. */
  giveUp(): void
}

export function createPatience({ now, after, onWaiting }: PatienceOptions): Patience {
  const pauses = new Set<() => void>()
  /** Whether the pause ran to its end. */
  const pause = (ms: number): Promise<boolean> =>
    new Promise((resolve) => {
      const end = (whole: boolean): void => {
        cancel()
        pauses.delete(giveUp)
        resolve(whole)
      }
      const giveUp = (): void => end(false)
      const cancel = after(ms, () => end(true))
      pauses.add(giveUp)
    })

  return {
    async ask(send) {
      for (let attempt = 2; ; attempt += 1) {
        const answer = await send()
        if (answer.ok || answer.status !== 429 || attempt > MOST_TRIES) return answer
        const { retryAfterMs } = answer
        if (retryAfterMs === undefined || retryAfterMs > MOST_WAIT_MS) return answer
        onWaiting({ until: now() + retryAfterMs, attempt, most: MOST_TRIES })
        const goOn = await pause(retryAfterMs)
        if (pauses.size === 0) onWaiting(undefined)
        if (!goOn) return answer
      }
    },
    giveUp() {
      for (const end of pauses) end()
    },
  }
}
