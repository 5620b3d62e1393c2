import { isJsonObject, type JsonObject } from '../../core/config/jsonValues.ts'
import { specEquals, sameContent, versionOf } from '../../core/config/content.ts'
import { type LastWrite, FIELD_MANAGER } from '../ports/objectGateway.ts'
import { refusalOf, type ManagerConflict, type Address, type ObjectRequests, type Written } from './objectRequests.ts'
import type { Failed } from './http.ts'

/** A field that a manager owns. */
export interface OwnedField {
  readonly manager: string
  /** `spec.limited.borrowingLimitPercent` */
  readonly field: string
}

interface Versions {
  readonly present: unknown
  /** The result of the wish with the server's defaults. */
  readonly wanted: unknown
  readonly wish: unknown
}

/**
 * The managers other than `ours` that own fields which the wish changes without naming them: fields to be removed, or
 * reset to their defaults. Server-side apply leaves those unchanged. Lists are owned as a whole in these kinds, so only
 * members of objects count.
 */
export function ownersOfLeftovers(
  { present, wanted, wish }: Readonly<Record<keyof Versions, JsonObject>>,
  ours: string,
): OwnedField[] {
  const left = PARTS.flatMap((path) =>
    leftovers({ present: at(present, path), wanted: at(wanted, path), wish: at(wish, path) }, path),
  )
  const managed = at(present, ['metadata', 'managedFields'])
  const managers = Array.isArray(managed) ? managed.filter(isJsonObject) : []
  return left.flatMap((path) => {
    const owners = managers.filter(({ subresource, fieldsV1 }) => subresource === undefined && owns(fieldsV1, path))
    const names = new Set(owners.flatMap(({ manager }) => (typeof manager === 'string' ? [manager] : [])))
    return [...names].filter((name) => name !== ours).map((manager) => ({ manager, field: path.join('.') }))
  })
}

type Path = readonly string[]
const PARTS: readonly Path[] = [['spec'], ['metadata', 'labels'], ['metadata', 'annotations']]

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((found, key) => (isJsonObject(found) ? found[key] : undefined), value)
}

/** Paths that differ between present and wanted, although the wish does not contain them. */
function leftovers({ present, wanted, wish }: Versions, path: Path): Path[] {
  if (present === undefined || present === null || specEquals(present, wanted)) return []
  if (isJsonObject(present) && isJsonObject(wanted)) {
    return Object.keys(present).flatMap((key) =>
      leftovers({ present: present[key], wanted: wanted[key], wish: at(wish, [key]) }, [...path, key]),
    )
  }
  return wish === undefined || wish === null ? [path] : []
}

/** Whether a set of paths contains this one or something below it. */
function owns(fields: unknown, [first, ...rest]: Path): boolean {
  if (first === undefined) return true
  if (!isJsonObject(fields)) return false
  const below = fields[`f:${first}`]
  return below !== undefined && owns(below, rest)
}

/**
 * The field manager that changed the object last, ignoring its status; `undefined` when the server does not report it.
 */
export function lastWriteOf(object: JsonObject): LastWrite | undefined {
  const managed = at(object, ['metadata', 'managedFields'])
  const writes = (Array.isArray(managed) ? managed.filter(isJsonObject) : []).flatMap(
    ({ manager, time, subresource }): LastWrite[] =>
      typeof manager !== 'string' || subresource !== undefined
        ? []
        : [{ by: manager, ...(typeof time === 'string' && { at: time }) }],
  )
  // RFC 3339 in UTC and whole seconds: the order of the texts is that of the times. Within a second, the last entry
  // counts.
  return writes.reduce<LastWrite | undefined>(
    (last, write) => (last === undefined || (write.at ?? '') >= (last.at ?? '') ? write : last),
    undefined,
  )
}

/** How an object is brought to the wish. */
interface UpdatePlan {
  readonly ok: true
  /** Fields that this takes from other managers. */
  readonly conflicts: readonly ManagerConflict[]
  readonly carryOut: () => Promise<Written | Failed>
}

interface Update {
  readonly change: Address
  readonly wish: JsonObject
  readonly present: JsonObject
  /** The server's result for the wish, from a dry run. */
  readonly wanted: JsonObject
}

/**
 * Chooses the method by dry runs. Server-side apply reports which managers own what the wish sets, and keeps fields
 * that the wish does not name while another manager owns them: `borrowingLimitPercent` set by kubectl stays although
 * the wish has none, or the merge is even invalid (Reject with the previous queues). Then the object is replaced as a
 * whole under our name, and the owners of removed fields are conflicts too.
 */
export async function planUpdate(
  requests: ObjectRequests,
  { change, wish, present, wanted }: Update,
): Promise<UpdatePlan | Failed> {
  const version = versionOf(present)
  const polite = await requests.patch(change, wish, version, { dryRun: true, force: false })
  const named = polite.ok ? [] : refusalOf(polite).conflicts
  const force = named.length > 0
  const merged = force ? await requests.patch(change, wish, version, { dryRun: true, force }) : polite
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
        message: `"${manager}" owns ${field}, which the change resets to its default or removes`,
      })),
    ],
    carryOut: () =>
      exact
        ? requests.patch(change, wish, version, { dryRun: false, force })
        : requests.update(change, wish, version, false),
  }
}

/** The wish itself is valid: the server rejected the result of the merge. */
const isInvalid = ({ status }: Failed): boolean => status === 422 || status === 400
