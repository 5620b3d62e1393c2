import type { Problem } from '../../core/errors.ts'
import { useConnected } from './connection.ts'
import { useHealth, usePermissionReport } from './health.ts'
import { askedOf, usePastPart } from './past.ts'

/** Why a server shows no debug dumps. */
export type DumpAbsence =
  | { readonly kind: 'no-source' }
  | { readonly kind: 'off' }
  /** Such a source has no dumps, so they cannot be switched on. */
  | { readonly kind: 'unsupported'; readonly problem: Problem }
  /** `role` is the role and its binding that would fix it, once they are known. */
  | { readonly kind: 'forbidden'; readonly problem: Problem | undefined; readonly role: string | undefined }
  | { readonly kind: 'failing'; readonly problem: Problem }
  /** Files without dumps. */
  | { readonly kind: 'still' }
  /** The shown instant is past, and no dump was recorded in the minutes before it. */
  | { readonly kind: 'not-recorded' }
  | { readonly kind: 'not-yet' }

/** Why a server without dumps has none; before the first sample, for the source’s first server. */
export function useDumpAbsence(shown: string | undefined): DumpAbsence {
  const connected = useConnected()
  const isPast = usePastPart(askedOf) !== undefined
  const server = shown ?? connected?.servers[0]?.id
  const dumps = useHealth(server)?.dumps
  const report = usePermissionReport(server ?? '', server !== undefined && dumps?.status === 'forbidden')
  if (connected === undefined) return { kind: 'no-source' }
  if (dumps?.status === 'off') {
    return dumps.problem?.code === 'unsupported' ? { kind: 'unsupported', problem: dumps.problem } : { kind: 'off' }
  }
  if (dumps?.status === 'forbidden') return { kind: 'forbidden', problem: dumps.problem, role: report?.missingRole }
  if (dumps?.status === 'failing' && dumps.problem !== undefined) return { kind: 'failing', problem: dumps.problem }
  return { kind: isPast ? 'not-recorded' : connected.still ? 'still' : 'not-yet' }
}
