import type { ObjectChange } from '../../core/contract/objects.ts'
import type { ErrorCode } from '../../core/contract/errors.ts'
import { type ServerVerdict, verdictOf } from '../ports/objectDoor.ts'
import { refusalOf } from './apiStatus.ts'
import type { Failed } from './http.ts'

type Outcome = ServerVerdict['outcome']

/**
 * What a refusal or a missing answer means. `failed` is said only where the server may have carried the change out: of a
 * refusal it is known that nothing was done.
 */
export function verdictOfFailure(change: Pick<ObjectChange, 'kind' | 'name'>, failed: Failed): ServerVerdict {
  const { status } = failed
  if (status === undefined || status < 400) return verdictOf(change, 'failed', { problem: failed.problem })
  // Nobody was told what this user may: the credentials themselves are refused.
  if (status === 401) {
    const message = `Nothing was done with ${change.kind} ${change.name}: ${failed.problem.message}`
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
  // Admission refuses with the same status as authorisation.
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
      return `Nothing was done with ${object}: ${words}`
    default:
      return `The server did not carry out the change of ${object}: ${words}`
  }
}
