import { sameContent, shownObject, versionOf, type ObjectVersions } from '../../core/config/content.ts'
import type { JsonObject } from '../../core/config/jsonValues.ts'
import { ProblemError, type Problem, type ErrorCode } from '../../core/errors.ts'
import type { ObjectChange } from '../../core/contract/objects.ts'
import {
  type Applied,
  type Done,
  type ObjectEditor,
  type ServerVerdict,
  changedMeanwhile,
  judgeBeforehand,
  verdictOf,
} from '../ports/objectGateway.ts'
import { isPathSegment } from '../../core/request/requestInfo.ts'
import { planUpdate } from './fieldOwners.ts'
import { type ObjectRequests, type Written, refusalOf } from './objectRequests.ts'
import type { Failed } from './http.ts'

export interface ObjectWriterOptions {
  readonly requests: ObjectRequests
  readonly versions: ObjectVersions
  readonly pause: (ms: number) => Promise<void>
}

interface Mode {
  readonly dryRun: boolean
  readonly force: boolean
  /** Awaited with the object as it will be, right before anything but a dry run is sent. */
  readonly announce: (to: JsonObject | undefined) => Promise<void>
}

/** Pauses before each read of the object after the response to a change was lost, milliseconds. */
const LOOK_AGAIN_MS = [0, 500, 1_500, 3_000]

/**
 * Applies changes to a cluster, each at the version of the object that was read just before. An existing object is
 * changed by server-side apply with a field manager of our own if the result is exactly the wish, and replaced as a
 * whole if not (`planUpdate`).
 */
export function createObjectWriter(options: ObjectWriterOptions): Pick<ObjectEditor, 'read' | 'check' | 'apply'> {
  const { requests, versions, pause } = options

  const look = async ({ kind, name }: Pick<ObjectChange, 'kind' | 'name'>) =>
    isPathSegment(name) ? requests.get({ kind, name }) : ({ ok: true, object: undefined } as const)

  /** A conflict includes the current object. */
  const refused = async (change: ObjectChange, failed: Failed): Promise<ServerVerdict> => {
    const gone = failed.status === 404 && change.base !== undefined
    if (failed.status !== 409 && !gone) return verdictOfFailure(change, failed)
    const now = await look(change)
    return now.ok ? changedMeanwhile(change, shown(change, now.object)) : verdictOfFailure(change, failed)
  }
  const written = async (
    change: ObjectChange,
    answer: Written | Failed,
    wanted?: JsonObject,
  ): Promise<ServerVerdict> => {
    if (!answer.ok) return { ...(await refused(change, answer)), ...(wanted && { object: wanted }) }
    const warnings = [...answer.warnings]
    if (change.object === null) return verdictOf(change, 'accepted', { warnings })
    return verdictOf(change, 'accepted', { warnings, object: shownObject(change.kind, answer.object) })
  }

  const create = async (change: ObjectChange, wish: JsonObject, { dryRun, announce }: Mode): Promise<ServerVerdict> => {
    const tried = await requests.create(change.kind, wish, true)
    if (dryRun || !tried.ok) return written(change, tried)
    await announce(tried.object)
    return written(change, await requests.create(change.kind, wish, false), tried.object)
  }
  const remove = async (
    change: ObjectChange,
    present: JsonObject,
    { dryRun, announce }: Mode,
  ): Promise<ServerVerdict> => {
    if (!dryRun) await announce(undefined)
    return written(change, await requests.remove(change, versionOf(present), dryRun))
  }

  const update = async (
    change: ObjectChange,
    wish: JsonObject,
    present: JsonObject,
    { dryRun, force, announce }: Mode,
  ): Promise<ServerVerdict> => {
    const tried = await requests.update(change, wish, versionOf(present), true)
    if (!tried.ok) return refused(change, tried)
    const wanted = shownObject(change.kind, tried.object)
    const warnings = [...tried.warnings]
    if (sameContent(wanted, present)) return verdictOf(change, 'unchanged', { object: wanted, warnings })
    const plan = await planUpdate(requests, { change, wish, present, wanted })
    if (!plan.ok) return refused(change, plan)
    if (!force && plan.conflicts.length > 0) {
      const conflicts = [...plan.conflicts]
      return verdictOf(change, 'conflict', {
        object: wanted,
        warnings,
        conflicts,
        problem: ownedByOthers(change, conflicts),
      })
    }
    if (dryRun) return verdictOf(change, 'accepted', { object: wanted, warnings })
    await announce(wanted)
    return written(change, await plan.carryOut(), wanted)
  }

  const attempt = (change: ObjectChange, present: JsonObject | undefined, mode: Mode): Promise<ServerVerdict> => {
    const { object: wish } = change
    if (present === undefined) return create(change, wish ?? {}, mode)
    return wish === null ? remove(change, present, mode) : update(change, wish, present, mode)
  }

  const carryOut = async (
    change: ObjectChange,
    how: Pick<Mode, 'dryRun' | 'force'>,
    announce: (about: Done) => Promise<void>,
  ): Promise<Applied> => {
    const found = await look(change)
    if (!found.ok) return { verdict: verdictOfFailure(change, found) }
    const present = found.object
    const beforehand = judgeBeforehand(change, shown(change, present), (base) =>
      versions.saidTheSame(base, present ?? {}),
    )
    if (beforehand !== undefined) return { verdict: beforehand }
    const verdict = await attempt(change, present, {
      ...how,
      announce: (to) => announce(doneOf(change, present, shown(change, to))),
    })
    if (how.dryRun) return { verdict }
    if (verdict.outcome === 'failed') return afterLostAnswer(change, present, verdict)
    if (verdict.outcome !== 'accepted') return { verdict }
    return { verdict, done: doneOf(change, present, verdict.object) }
  }

  /** For a missing or inconclusive response: the outcome is read from the object itself. */
  const afterLostAnswer = async (
    change: ObjectChange,
    before: JsonObject | undefined,
    verdict: ServerVerdict,
  ): Promise<Applied> => {
    let asBefore = false
    for (const ms of LOOK_AGAIN_MS) {
      await pause(ms)
      const found = await look(change)
      if (!found.ok) continue
      const now = found.object
      asBefore = now === undefined ? before === undefined : before !== undefined && sameVersion(before, now)
      // It may still be in progress.
      if (asBefore) continue
      if (!isAsWished(change, now, before, verdict.object)) {
        return { verdict: changedMeanwhile(change, shown(change, now)) }
      }
      const object = shown(change, now)
      const warnings = [...verdict.warnings, LOST_BUT_DONE]
      return {
        verdict: verdictOf(change, 'accepted', { warnings, ...(object && { object }) }),
        done: doneOf(change, before, object),
      }
    }
    const { message, details } = verdict.problem ?? { message: '' }
    const found = asBefore ? 'The object is as it was before.' : 'It is unknown whether the change was made.'
    return {
      open: true,
      verdict: verdictOf(change, 'failed', {
        problem: {
          code: verdict.problem?.code ?? 'unreachable',
          message: `${message} ${found}`,
          ...(details !== undefined && { details }),
        },
      }),
    }
  }

  return {
    async read(change) {
      const found = await look(change)
      if (!found.ok) throw ProblemError.of(found.problem)
      return shown(change, found.object) ?? null
    },
    check: async (change) => (await carryOut(change, { dryRun: true, force: false }, async () => undefined)).verdict,
    apply: (change, force, announce) => carryOut(change, { dryRun: false, force }, announce),
  }
}

const LOST_BUT_DONE = 'The response of the server was lost, but the object has the values of the change.'

const shown = ({ kind }: Pick<ObjectChange, 'kind'>, object: JsonObject | undefined): JsonObject | undefined =>
  object === undefined ? undefined : shownObject(kind, object)

const doneOf = (change: ObjectChange, from: JsonObject | undefined, to: JsonObject | undefined): Done => ({
  from: shown(change, from) ?? null,
  to: to ?? null,
})

const sameVersion = (a: JsonObject, b: JsonObject): boolean =>
  versionOf(a)?.uid === versionOf(b)?.uid && versionOf(a)?.resourceVersion === versionOf(b)?.resourceVersion

function isAsWished(
  { object: wish }: ObjectChange,
  now: JsonObject | undefined,
  before: JsonObject | undefined,
  wanted: JsonObject | undefined,
): boolean {
  if (wish === null) return now === undefined || versionOf(now)?.uid !== versionOf(before ?? {})?.uid
  return now !== undefined && wanted !== undefined && sameContent(now, wanted)
}

function ownedByOthers({ kind, name }: ObjectChange, conflicts: ServerVerdict['conflicts']): Problem {
  const managers = [...new Set(conflicts.map(({ manager }) => manager))].join(', ')
  return {
    code: 'invalid-input',
    message: `${kind} ${name} was not changed: fields that the change sets or removes are owned by ${managers}. Take the fields over, or change them at their source.`,
  }
}

type Outcome = ServerVerdict['outcome']

/**
 * The meaning of a refusal or a missing response. `failed` is used only when the server may have carried out the
 * change: after a refusal, nothing was changed.
 */
export function verdictOfFailure(change: Pick<ObjectChange, 'kind' | 'name'>, failed: Failed): ServerVerdict {
  const { status } = failed
  if (status === undefined || status < 400) return verdictOf(change, 'failed', { problem: failed.problem })
  // The permissions of the user were not checked: the credentials themselves are refused.
  if (status === 401) {
    const message = `${change.kind} ${change.name} was not changed: ${failed.problem.message}`
    return verdictOf(change, 'forbidden', { problem: { ...failed.problem, message } })
  }
  const { message, causes, conflicts } = refusalOf(failed)
  const outcome = outcomeOf(status, message)
  return verdictOf(change, outcome, {
    causes: [...causes],
    conflicts: [...conflicts],
    problem: { code: CODES[outcome] ?? failed.problem.code, message: sentence(outcome, change, message) },
  })
}

const CODES: Readonly<Partial<Record<Outcome, ErrorCode>>> = {
  rejected: 'invalid-input',
  forbidden: 'forbidden',
  throttled: 'throttled',
}

function outcomeOf(status: number, message: string): Outcome {
  // Admission refuses with the same status as authorization.
  if (status === 403)
    return /admission webhook|ValidatingAdmissionPolicy|denied the request/.test(message) ? 'rejected' : 'forbidden'
  if (status === 404 || status === 409) return 'conflict'
  if (status === 429) return 'throttled'
  return status < 500 ? 'rejected' : 'failed'
}

function sentence(outcome: Outcome, { kind, name }: Pick<ObjectChange, 'kind' | 'name'>, words: string): string {
  const object = `${kind} ${name}`
  switch (outcome) {
    case 'forbidden':
      return `The user may not change ${object}: ${words}`
    case 'rejected':
      return `The server rejects ${object}: ${words}`
    case 'throttled':
      return `${object} was not changed: the server’s flow control rejected the request (429). The priority level of the console’s own user is full; try again later, or give the console a level of its own.`
    case 'conflict':
      return `${object} was not changed: ${words}`
    default:
      return `The server did not apply the change to ${object}: ${words}`
  }
}
