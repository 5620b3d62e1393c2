import type { Finding } from '../../core/config/finding.ts'
import type { ChangeVerdict } from '../../core/contract/objects.ts'
import type { ServerVerdict } from '../ports/objectGateway.ts'

/**
 * Where the server and our own validation disagree, in sentences; the server is right. `ours` are our errors; a verdict
 * that does not come from validation agrees with everything.
 */
export function differencesOf(verdict: ServerVerdict, ours: readonly Finding[]): string[] {
  const errors = ours.filter(({ severity }) => severity === 'error')
  const { outcome, causes, object } = verdict
  const accepted = outcome === 'accepted' || outcome === 'unchanged' || (outcome === 'conflict' && object !== undefined)
  if (accepted) {
    return errors.map(
      ({ field, message }) => `The server accepts ${place(field)}, but the console would not: ${message}`,
    )
  }
  if (outcome !== 'rejected') return []
  if (errors.length === 0) {
    return [
      causes.length === 0
        ? 'The server rejects the object; the console finds nothing wrong with it.'
        : `The server rejects ${causes.map(({ field }) => place(field)).join(', ')}; the console finds nothing wrong there.`,
    ]
  }
  // Without causes the server only reports that it rejects, as does the console.
  return causes.length === 0 ? [] : differingFields(causes, errors)
}

function differingFields(causes: ChangeVerdict['causes'], errors: readonly Finding[]): string[] {
  const [theirs, ours] = [byField(causes), byField(errors)]
  const fields = [...new Set([...theirs.keys(), ...ours.keys()])]
  return fields.flatMap((field) => {
    const [said, found] = [theirs.get(field), ours.get(field)]
    if (found === undefined) return [`The server rejects ${place(field)}; the console finds nothing wrong there.`]
    if (said === undefined) return [`The console rejects ${place(field)}; the server does not name it.`]
    return said === found ? [] : [`The server rejects ${place(field)} for ${said}, the console for ${found}.`]
  })
}

/** Reasons by field, each once, in one order. */
function byField(items: readonly { readonly field: string; readonly reason: string }[]): Map<string, string> {
  const grouped = Map.groupBy(items, ({ field }) => field)
  return new Map(
    [...grouped].map(([field, group]) => [
      field,
      [...new Set(group.map(({ reason }) => reason))].toSorted().join(', '),
    ]),
  )
}

const place = (field: string): string => (field === '' ? 'the object' : field)
