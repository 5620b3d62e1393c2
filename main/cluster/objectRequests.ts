import { versionOf, withoutNulls, type ObjectVersion } from '../../core/config/content.ts'
import { isJsonObject, type JsonObject } from '../../core/config/jsonValues.ts'
import type { Kind } from '../../core/config/objects.ts'
import type { Problem } from '../../core/contract/errors.ts'
import { FIELD_MANAGER } from '../ports/objectDoor.ts'
import type { ReviewContext } from './accessReview.ts'
import { collectionUrl, objectUrl, type ClusterApi } from './clusterApi.ts'
import type { Failed, HttpRequest } from './http.ts'
import type { HttpLimits } from './httpProblems.ts'
import { getJson } from './json.ts'
import type { Patience } from './patience.ts'
import { warningsOf } from './apiStatus.ts'

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
/** Admission may call webhooks, which have ten seconds and more. */
const WRITE_LIMITS: HttpLimits = {
  connectMs: 5_000,
  firstByteMs: 35_000,
  idleMs: 5_000,
  totalMs: 40_000,
  maxWireBytes: 4 * 1024 * 1024,
  maxBytes: 4 * 1024 * 1024,
}
/** A refusal names each field; the largest object has fewer than would fill this. */
const REFUSAL_BYTES = 512 * 1024

/** The requests about one object, as the API has them. */
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
          // Nothing is ever written without knowing the version.
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
        // To apply `null` would be to own it.
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
  message: `The server answered with something else than ${kind} ${name}; check that the address is that of an API server.`,
})

/** What the server keeps by itself, and what belongs to the precondition. */
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

/** The wish as it is sent: everything that it says, known to the console or not, but for what is the server's. */
function bodyOf({ metadata, status: _status, ...rest }: JsonObject, at?: ObjectVersion): JsonObject {
  if (!isJsonObject(metadata)) return { ...rest, ...(metadata !== undefined && { metadata }) }
  const said = Object.entries(metadata).filter(([key]) => !KEPT_BY_SERVER.has(key))
  return { ...rest, metadata: { ...Object.fromEntries(said), ...at } }
}
