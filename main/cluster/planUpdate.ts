import { sameContent, versionOf } from '../../core/config/content.ts'
import type { JsonObject } from '../../core/config/jsonValues.ts'
import { refusalOf, type ManagerConflict } from './apiStatus.ts'
import { ownersOfLeftovers } from './fieldOwners.ts'
import type { Failed } from './http.ts'
import { FIELD_MANAGER } from '../ports/objectDoor.ts'
import type { Address, ObjectRequests, Written } from './objectRequests.ts'

/** How an object comes to be as wished. */
export interface UpdatePlan {
  readonly ok: true
  /** What is taken from other managers by it. */
  readonly conflicts: readonly ManagerConflict[]
  readonly carryOut: () => Promise<Written | Failed>
}

export interface Update {
  readonly change: Address
  readonly wish: JsonObject
  readonly present: JsonObject
  /** What the server makes of the wish, from a dry run. */
  readonly wanted: JsonObject
}

/**
 * Finds the way by dry runs. Server-side apply tells which managers own what the wish sets, and keeps what it does not
 * name while somebody else owns it: `borrowingLimitPercent` set by kubectl stays although the wish has none, or the merge
 * is even invalid (Reject with the queues that were there). Then the object is replaced as a whole under our name, and
 * the owners of what goes are conflicts too.
 */
export async function planUpdate(
  requests: ObjectRequests,
  { change, wish, present, wanted }: Update,
): Promise<UpdatePlan | Failed> {
  const at = versionOf(present)
  const polite = await requests.patch(change, wish, at, { dryRun: true, force: false })
  const named = polite.ok ? [] : refusalOf(polite).conflicts
  const force = named.length > 0
  const merged = force ? await requests.patch(change, wish, at, { dryRun: true, force }) : polite
  if (!merged.ok && !isInvalid(merged)) return merged
  const exact = merged.ok && sameContent(merged.object, wanted)
  const left = exact ? [] : ownersOfLeftovers({ present, wanted, wish }, FIELD_MANAGER)
  return {
    ok: true,
    conflicts: [
      ...named.filter(({ manager }) => manager !== FIELD_MANAGER),
      ...left.map(({ manager, field }) => ({
        manager,
        field,
        message: `"${manager}" owns ${field}, which the change takes back to its default or away`,
      })),
    ],
    carryOut: () =>
      exact ? requests.patch(change, wish, at, { dryRun: false, force }) : requests.update(change, wish, at, false),
  }
}

/** The wish itself is valid: what was refused is what the merge made of it. */
const isInvalid = ({ status }: Failed): boolean => status === 422 || status === 400
